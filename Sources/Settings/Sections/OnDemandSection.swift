import Base

/// `config ondemand`: when tunnels come and go by themselves.
enum OnDemandSection {
  static func read(_ reader: inout SectionReader, references: inout [Assembly.Reference]) -> OnDemandSettings {
    reader.checkKeys()
    var rule = OnDemandSettings(location: reader.section.location)
    if let action = reader.choice("action", as: OnDemandSettings.Action.self) { rule.action = action }
    rule.tunnels = GatewaySection.tunnels(&reader, gateway: nil, references: &references)
    rule.uplinks = reader.values("uplink") { pattern in
      DeviceName(String(pattern.map { $0 == "*" ? "x" : $0 })).map { _ in pattern }
    }
    rule.kinds = reader.values("kind") { Uplink.Kind(rawValue: $0) }
    rule.subnets = reader.values("subnet") { IPPrefix($0)?.network }
    rule.reachable = reader.values("reachable") { ReachTarget($0) }
    rule.isBroken = reader.isBroken
    return rule
  }
}
