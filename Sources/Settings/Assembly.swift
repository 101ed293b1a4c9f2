import Base
import Profile

/// Puts sections together into `Settings`: names, references between sections, clashes.
struct Assembly {
  var result = ParsedSettings()
  var diagnostics: [Diagnostic] = []

  /// Where a gateway or a later section names a tunnel, to be checked once all are known.
  struct Reference {
    var tunnel: TunnelName
    var location: SourceLocation
    /// The gateway that breaks with it.
    var gateway: TunnelName?
    /// The policy that then blocks.
    var policy: TunnelName?
  }
  var references: [Reference] = []
  private var counts: [String: Int] = [:]

  /// The tunnel index lives in the low seven bits of the mark byte (design: marks).
  static let tunnelLimit = 0x7f

  // MARK: Sections

  mutating func readGlobals(_ sections: [UCISection]) {
    for (index, section) in sections.enumerated() {
      if index > 0 {
        let first = sections[0].location
        diagnostics.append(
          Diagnostic(.error, section.location, "a second `globals` section; the first is \(first)"))
        continue
      }
      var reader = SectionReader(section, Schema.globals)
      result.settings.globals = GlobalsSection.read(&reader)
      diagnostics += reader.diagnostics
    }
  }

  mutating func readOwn(_ section: UCISection) {
    guard let schema = Schema.section(ofType: section.type) else {
      readUnknown(section)
      return
    }
    if !schema.isActedOn {
      diagnostics.append(
        Diagnostic(.note, section.location, "`\(section.type)` sections are checked but not yet acted on"))
    }
    var reader = SectionReader(section, schema)
    switch section.type {
    case Schema.tunnel.type:
      let name = name(of: section, &reader)
      add(TunnelSection.read(&reader, name: name), &reader)
    case Schema.gateway.type: readGateway(section, &reader)
    case Schema.policy.type:
      readPolicy(section, &reader)
    case Schema.health.type:
      if let health = LaterSections.health(&reader, references: &references) { result.settings.health.append(health) }
    case Schema.onDemand.type:
      result.settings.onDemand.append(OnDemandSection.read(&reader, references: &references))
    default: break
    }
    diagnostics += reader.diagnostics
  }

  private mutating func readUnknown(_ section: UCISection) {
    let types = Schema.sections.map(\.type)
    if SettingsFile.Package(rawValue: section.type) == .openvpn {
      takeOverFromOwnFile(section)
      return
    }
    let nearest = NearestName.of(section.type, in: types)
    diagnostics.append(
      Diagnostic(
        .error, section.location,
        "there is no section type `\(section.type)`" + SectionReader.hint(nearest)))
    // A misspelled gateway still closes its LAN, and a misspelled tunnel can still be named.
    switch nearest {
    case Schema.gateway.type?:
      var reader = SectionReader(section, Schema.gateway)
      readGateway(section, &reader, isBroken: true)
    case Schema.tunnel.type?:
      var reader = SectionReader(section, Schema.tunnel)
      let name = name(of: section, &reader)
      add(TunnelSection.read(&reader, name: name), &reader, isBroken: true)
    case Schema.policy.type?:
      var reader = SectionReader(section, Schema.policy)
      readPolicy(section, &reader, isBroken: true)
    default: break
    }
  }

  private mutating func readPolicy(_ section: UCISection, _ reader: inout SectionReader, isBroken: Bool = false) {
    let name = name(of: section, &reader)
    var policy = PolicySection.read(&reader, name: name, references: &references)
    if let first = result.settings.policies.first(where: { $0.name == name }) {
      reader.fail(section.nameLocation, "a second policy '\(name)'; the first is \(first.location)")
      policy.reading = .nothing
    }
    if isBroken { policy.reading = .nothing }
    result.settings.policies.append(policy)
  }

  private mutating func readGateway(_ section: UCISection, _ reader: inout SectionReader, isBroken: Bool = false) {
    let name = name(of: section, &reader)
    let gateway = GatewaySection.read(&reader, name: name, references: &references)
    if let first = result.settings.gateways.first(where: { $0.name == name }) {
      reader.fail(section.nameLocation, "a second gateway '\(name)'; the first is \(first.location)")
    }
    result.settings.gateways.append(gateway)
    if reader.isBroken || isBroken { result.brokenGateways.insert(name) }
  }

  private mutating func add(_ tunnel: TunnelSettings, _ reader: inout SectionReader, isBroken: Bool = false) {
    if let first = result.settings.tunnels.first(where: { $0.name == tunnel.name }) {
      reader.fail(reader.section.nameLocation, "a second tunnel '\(tunnel.name)'; the first is \(first.location)")
      return
    }
    guard result.settings.tunnels.count < Self.tunnelLimit else {
      reader.fail(tunnel.location, "more than \(Self.tunnelLimit) tunnels")
      return
    }
    if let other = result.settings.tunnels.first(where: { $0.device == tunnel.device }) {
      reader.fail(
        section(reader, "device"), "device \(tunnel.device) is also the device of tunnel '\(other.name)'")
    }
    result.settings.tunnels.append(tunnel)
    if reader.isBroken || isBroken { result.brokenTunnels.insert(tunnel.name) }
  }

  private func section(_ reader: SectionReader, _ key: String) -> SourceLocation {
    reader.section[key]?.location ?? reader.section.nameLocation
  }

  /// The section's own name, or a counted one.
  private mutating func name(of section: UCISection, _ reader: inout SectionReader) -> TunnelName {
    if let written = section.name {
      if let name = TunnelName(written), !reader.schema.reservedNames.contains(written) { return name }
      reader.fail(
        section.nameLocation,
        reader.schema.reservedNames.contains(written)
          ? "'\(written)' is a name of Adit's own, take another"
          : "a name has at most 31 letters, digits, `_` and `-`")
    }
    let type = reader.schema.type
    counts[type, default: 0] += 1
    guard let name = TunnelName("\(type)\(counts[type] ?? 1)") else {
      preconditionFailure("a schema's type is a valid name")
    }
    return name
  }

  // MARK: OpenWrt

  mutating func takeOver(_ section: UCISection, of package: SettingsFile.Package) {
    let schema = package == .openvpn ? OpenWrtSections.openvpn : OpenWrtSections.interface
    guard OpenWrtSections.isTunnel(section, of: package) else { return }
    var reader = SectionReader(section, schema)
    let name = name(of: section, &reader)
    add(OpenWrtSections.read(&reader, name: name), &reader)
    diagnostics += reader.diagnostics
  }

  private mutating func takeOverFromOwnFile(_ section: UCISection) {
    guard result.settings.globals.takeOver.contains(SettingsFile.Package.openvpn.rawValue) else {
      diagnostics.append(
        Diagnostic(
          .error, section.location,
          "an `openvpn` section of OpenWrt is read only with `list take_over 'openvpn'` in `globals`"))
      return
    }
    takeOver(section, of: .openvpn)
  }

  // MARK: References

  /// Checks every mention of a tunnel.
  ///
  /// A gateway that names one that is not there is broken.
  mutating func resolve() {
    let names = result.settings.tunnels.map(\.name)
    let policies = result.settings.policies
    for reference in references where !names.contains(reference.tunnel) {
      let nearest = NearestName.of(reference.tunnel.text, in: names.map(\.text))
      diagnostics.append(
        Diagnostic(
          .error, reference.location,
          "there is no tunnel '\(reference.tunnel)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
            + (reference.policy == nil ? "" : "; what the policy matches is blocked")))
      if let gateway = reference.gateway { result.brokenGateways.insert(gateway) }
      for (index, policy) in policies.enumerated() where policy.name == reference.policy {
        result.settings.policies[index].via = .block
      }
    }
    checkSharedLAN()
  }

  /// One LAN has one gateway: two would each send its packets another way.
  private mutating func checkSharedLAN() {
    var owners: [DeviceName: GatewaySettings] = [:]
    for gateway in result.settings.gateways {
      for device in gateway.lan {
        guard let first = owners[device] else {
          owners[device] = gateway
          continue
        }
        guard first.name != gateway.name else { continue }
        diagnostics.append(
          Diagnostic(.error, gateway.location, "LAN device \(device) belongs to gateway '\(first.name)' already"))
        result.brokenGateways.insert(gateway.name)
      }
    }
  }
}
