import Base
import Profile

/// Sections that are checked whole already and acted on later: policy, health, ondemand.
enum LaterSections {
  static func policy(
    _ reader: inout SectionReader, name: TunnelName, references: inout [Assembly.Reference]
  ) -> PolicySettings {
    reader.checkKeys()
    var policy = PolicySettings(name: name, location: reader.section.location)
    policy.keys = reader.keyLocations
    policy.sources = reader.values("src", term)
    policy.destinations = reader.values("dest", term)
    policy.protocols = reader.values("proto", networkProtocol)
    policy.sourcePorts = reader.values("src_port", ports)
    policy.destinationPorts = reader.values("dest_port", ports)
    if let word = reader.words("via").last {
      policy.via = way(word, &reader, references: &references)
    } else {
      reader.fail(reader.section.nameLocation, "a policy needs `option via`")
    }
    if let onDown = reader.choice("on_down", as: PolicySettings.OnDown.self) { policy.onDown = onDown }
    let takesPorts = policy.protocols.allSatisfy { ["tcp", "udp"].contains($0) } && !policy.protocols.isEmpty
    if !takesPorts, let word = (reader.words("src_port") + reader.words("dest_port")).first {
      reader.fail(word.location, "ports need `list proto` with tcp or udp only")
    }
    return policy
  }

  static func health(_ reader: inout SectionReader, references: inout [Assembly.Reference]) -> HealthSettings? {
    reader.checkKeys()
    guard let written = reader.section.name, let tunnel = TunnelName(written) else {
      reader.fail(reader.section.nameLocation, "a `health` section bears the name of its tunnel")
      return nil
    }
    var health = HealthSettings(tunnel: tunnel, location: reader.section.location)
    references.append(Assembly.Reference(tunnel: tunnel, location: reader.section.nameLocation))
    health.probe = reader.value("probe") { IPAddress($0) }
    if let interval = reader.value("interval", DurationText.parse) { health.interval = interval }
    if let count = reader.number("fail_after") { health.failAfter = count }
    return health
  }

  static func onDemand(_ reader: inout SectionReader, references: inout [Assembly.Reference]) -> OnDemandSettings {
    reader.checkKeys()
    var rule = OnDemandSettings(location: reader.section.location)
    if let action = reader.choice("action", as: OnDemandSettings.Action.self) { rule.action = action }
    rule.tunnels = GatewaySection.tunnels(&reader, gateway: nil, references: &references)
    rule.uplinks = reader.values("uplink") { pattern in
      DeviceName(String(pattern.map { $0 == "*" ? "x" : $0 })).map { _ in pattern }
    }
    rule.subnets = reader.values("subnet") { IPPrefix($0)?.network }
    rule.reachable = reader.values("reachable") { IPAddress($0) }
    return rule
  }

  // MARK: Values

  private static func way(
    _ word: UCIWord, _ reader: inout SectionReader, references: inout [Assembly.Reference]
  ) -> PolicySettings.Way {
    switch word.text {
    case "wan": return .wan
    case "block": return .block
    default:
      guard let tunnel = TunnelName(word.text) else {
        reader.failValue(word, of: "via")
        return .block
      }
      references.append(Assembly.Reference(tunnel: tunnel, location: word.location))
      return .tunnel(tunnel)
    }
  }

  static func term(_ text: String) -> PolicySettings.Term? {
    let isNegated = text.hasPrefix("!")
    return match(isNegated ? text.dropFirst() : text[...]).map { PolicySettings.Term(match: $0, isNegated: isNegated) }
  }

  private static func match(_ text: Substring) -> PolicySettings.Match? {
    if text.hasPrefix("@") { return DeviceName(text.dropFirst()).map { .device($0) } }
    if text.hasPrefix("file:") { return text.count > 5 ? .list(String(text.dropFirst(5))) : nil }
    if let mac = MACAddress(text) { return .mac(mac) }
    if let prefix = IPPrefix(text) { return .prefix(prefix.network) }
    // A name of digits and dots alone is a mistyped address.
    guard text.contains(where: \.isLetter), text.contains(".") else { return nil }
    return DomainName(text).map { .domain($0) }
  }

  private static func networkProtocol(_ text: String) -> String? {
    let known = ["tcp", "udp", "icmp", "icmpv6", "esp", "gre"]
    if known.contains(text) { return text }
    return UInt8(text).map(String.init)
  }

  static func ports(_ text: String) -> Rule.Ports? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = UInt16(parts[0]), first > 0 else { return nil }
    guard parts.count == 2 else { return Rule.Ports(first) }
    guard let last = UInt16(parts[1]), last >= first else { return nil }
    return Rule.Ports(first: first, last: last)
  }
}

/// `10s`, `5m`, `1h`, `500ms`; a bare number is seconds.
package enum DurationText {
  private static let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
  /// A day: longer is a slip of the unit.
  private static let longest: Int64 = 86_400_000

  package static func parse(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard let count = Int64(digits), let scale = unit.isEmpty ? 1_000 : units.first(where: { $0.0 == unit })?.1
    else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: scale)
    guard !overflow, (1...longest).contains(milliseconds) else { return nil }
    return .milliseconds(milliseconds)
  }
}
