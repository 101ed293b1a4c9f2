import Base

enum GatewaySection {
  static func read(
    _ reader: inout SectionReader, name: TunnelName, references: inout [Assembly.Reference]
  ) -> GatewaySettings {
    reader.checkKeys()
    var gateway = GatewaySettings(name: name, location: reader.section.location)
    gateway.keys = reader.keyLocations
    gateway.tunnels = tunnels(&reader, gateway: name, references: &references)
    gateway.lan = reader.values("lan") { DeviceName($0) }.uniqued()
    if let scope = reader.choice("scope", as: GatewaySettings.Scope.self) { gateway.scope = scope }
    gateway.killSwitch = killSwitch(&reader)
    if let value = reader.flag("masquerade") { gateway.masquerade = value }
    if let value = reader.flag("mss_clamp") { gateway.clampsMSS = value }
    if let mode = reader.choice("ipv6", as: GatewaySettings.IPv6Mode.self) { gateway.ipv6 = mode }
    if let mode = reader.choice("dns", as: GatewaySettings.DNSMode.self) { gateway.dns = mode }
    if gateway.dns == .hijack, let word = reader.words("dns").last {
      reader.note(word.location, "with `hijack` the LAN's own names are lost: the tunnel's server does not know them")
    }
    if let value = reader.flag("block_dot") { gateway.blocksDoT = value }
    gateway.dohTerms = dohTerms(&reader)
    if let inbound = reader.choice("inbound", as: GatewaySettings.Inbound.self) { gateway.inbound = inbound }
    if let routes = reader.choice("routes", as: GatewaySettings.Routes.self) { gateway.routes = routes }
    gateway.excluded = reader.values("exclude") { IPPrefix($0)?.network }
    if gateway.tunnels.isEmpty, reader.section["tunnel"] == nil {
      reader.fail(reader.section.nameLocation, "a gateway needs `list tunnel`")
    }
    if gateway.lan.isEmpty, gateway.scope == .forward, reader.section["lan"] == nil {
      reader.fail(reader.section.nameLocation, "a gateway needs `list lan`, or `option scope 'all'`")
    }
    return gateway
  }

  private static func dohTerms(_ reader: inout SectionReader) -> [PolicySettings.Term] {
    reader.words("block_doh").compactMap { word in
      var match: PolicySettings.Match?
      if word.text.hasPrefix("file:") {
        match = word.text.count > 5 ? .list(String(word.text.dropFirst(5))) : nil
      } else if let prefix = IPPrefix(word.text), prefix.length > 0 {
        match = .prefix(prefix.network)
      }
      guard let match else {
        reader.failValue(word, of: "block_doh")
        return nil
      }
      return PolicySettings.Term(match: match, location: word.location)
    }
  }

  static func tunnels(
    _ reader: inout SectionReader, gateway: TunnelName?, references: inout [Assembly.Reference]
  ) -> [TunnelName] {
    var names: [TunnelName] = []
    for word in reader.words("tunnel") {
      guard let name = TunnelName(word.text) else {
        reader.failValue(word, of: "tunnel")
        continue
      }
      if names.contains(name) {
        reader.note(word.location, "tunnel '\(name)' is listed twice")
        continue
      }
      names.append(name)
      references.append(Assembly.Reference(tunnel: name, location: word.location, gateway: gateway))
    }
    return names
  }

  /// Whatever is wrong with it, the protection is on (cases G-03), and the gateway works: the value itself is the
  /// complaint.
  private static func killSwitch(_ reader: inout SectionReader) -> GatewaySettings.KillSwitch {
    guard let word = reader.words("kill_switch").last else {
      reader.note(
        reader.section.nameLocation,
        "`kill_switch` is not set: `always`, nothing of the LAN outside the tunnel until `adit disarm`")
      return .always
    }
    switch GatewaySettings.KillSwitch(rawValue: word.text) {
    case let known?: return known
    case nil:
      reader.complain(
        word.location, reader.choiceText(word, of: "kill_switch") + "; it counts as `always`, the protection is on")
      return .always
    }
  }
}

extension [DeviceName] {
  fileprivate func uniqued() -> [DeviceName] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
