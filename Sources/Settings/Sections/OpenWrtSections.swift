import Base
import Profile

/// OpenWrt's own ways to write a tunnel.
///
/// `config openvpn` of the old package (/etc/config/openvpn) and `config interface`
/// with `option proto 'openvpn'` of netifd (/etc/config/network). Both are read with their keys as they stand.
enum OpenWrtSections {
  private static let common: [Schema.Key] = [
    Schema.Key("enabled", .flag, "Whether it starts."),
    Schema.Key("enable", .flag, "As `enabled`."),
    Schema.Key("disabled", .flag, "The opposite of `enabled`."),
    Schema.Key("auto", .flag, "0: does not start by itself."),
    Schema.Key("config", .file, "The profile; most other keys are then not read."),
    Schema.Key("username", .text, "The user name."),
    Schema.Key("password", .text, "The password."),
    Schema.Key("cert_password", .text, "The password of the private key."),
    Schema.Key("allow_deprecated", .flag, "No effect."),
    Schema.Key("ovpnproto", .text, "The transport protocol, where netifd owns `proto`."),
  ]

  static let openvpn = Schema.Section(
    type: "openvpn", summary: "OpenWrt's old package.", naming: .own, keys: common, takesOpenVPNOptions: true)

  static let interface = Schema.Section(
    type: "interface", summary: "OpenWrt's netifd.", naming: .own,
    keys: common + [
      Schema.Key("proto", .text, "netifd's protocol: openvpn."),
      Schema.Key("metric", .number(0...Int(Int32.max)), "The metric of the tunnel's routes."),
    ] + netifdOnly.map { Schema.Key($0, .text, "netifd's own.") },
    takesOpenVPNOptions: true)

  /// What netifd would do with the interface and Adit does by its gateways instead.
  private static let netifdOnly = [
    "defaultroute", "peerdns", "dns", "ip4table", "ip6table", "ipv6", "nohostroute", "force_link", "delegate", "zone",
    "device", "ifname", "mtu", "hostroute",
  ]

  /// Read from a section that names a profile, as the old init script did; everything else it ignored.
  private static let besideProfile: Set = ["dev", "dev_type"]

  /// `proto` values of the old package: an interface section that was moved without renaming the key (cases U-06).
  private static let transports: Set = [
    "udp", "udp4", "udp6", "tcp", "tcp4", "tcp6", "tcp-client", "tcp4-client", "tcp6-client",
  ]

  static func isTunnel(_ section: UCISection, of package: SettingsFile.Package) -> Bool {
    switch package {
    case .openvpn: return section.type == openvpn.type
    case .network:
      guard section.type == interface.type, let proto = section["proto"]?.values.last?.text else { return false }
      return proto == "openvpn" || (transports.contains(proto) && (section["remote"] ?? section["config"]) != nil)
    }
  }

  static func read(_ reader: inout SectionReader, name: TunnelName) -> TunnelSettings {
    let device = TunnelSection.namedDevice(reader.section) ?? .standard(for: name)
    var tunnel = TunnelSettings(name: name, device: device, location: reader.section.location)
    tunnel.isEnabled = isEnabled(&reader)
    tunnel.profilePath = reader.text("config")
    tunnel.profileLocation = reader.word("config")?.location
    readOptions(&reader, into: &tunnel)
    readTransport(&reader, into: &tunnel)
    TunnelSection.readSecrets(&reader, into: &tunnel)
    if tunnel.profilePath == nil, !tunnel.options.contains(where: { $0.name == "remote" }) {
      reader.fail(reader.section.nameLocation, "neither `option config` nor a `remote`: nowhere to connect to")
    }
    return tunnel
  }

  // The old package starts nothing without `enable` or `enabled`; netifd starts all but what `disabled` or `auto` stop,
  // and its migration copies sections that were switched off by `enabled`, which it does not know. All four count.
  private static func isEnabled(_ reader: inout SectionReader) -> Bool {
    let isOld = reader.schema.type == openvpn.type
    var isEnabled = !isOld
    if let value = reader.flag("enabled") ?? reader.flag("enable") { isEnabled = value }
    if reader.flag("disabled") == true || reader.flag("auto") == false { isEnabled = false }
    return isEnabled
  }

  private static func readOptions(_ reader: inout SectionReader, into tunnel: inout TunnelSettings) {
    for option in reader.section.options {
      if reader.schema.type == interface.type, netifdOnly.contains(option.key) {
        reader.note(option.location, "`\(option.key)` is netifd's own; here a `gateway` section decides")
      } else if reader.schema.key(named: option.key) != nil {
        continue
      } else if TunnelSection.hooks.contains(option.key) {
        reader.note(option.location, "`\(option.key)`: hooks are not yet acted on")
      } else if tunnel.profilePath != nil, !besideProfile.contains(option.key) {
        reader.note(option.location, "`\(option.key)` is not read beside `config`, as in OpenWrt")
      } else if let name = OpenVPNKey.optionName(of: option.key) {
        if option.key == "dev", TunnelSection.namedDevice(reader.section) != nil { continue }
        TunnelSection.add(option, as: name, &reader, into: &tunnel)
      } else {
        reader.failUnknown(option, among: reader.schema.keys.map(\.name) + OpenVPNKey.keys)
      }
    }
  }

  /// `ovpnproto` is the transport; so is a `proto` that was moved to netifd unrenamed.
  private static func readTransport(_ reader: inout SectionReader, into tunnel: inout TunnelSettings) {
    if reader.schema.type == interface.type {
      if let metric = reader.number("metric") {
        let location = reader.section["metric"]?.location ?? reader.section.location
        tunnel.options.append(OptionLine(name: "route-metric", arguments: ["\(metric)"], location: location))
      }
      if let proto = reader.word("proto"), proto.text != "openvpn" {
        reader.note(proto.location, "read as `ovpnproto`: netifd wants `option proto 'openvpn'` here")
        tunnel.options.append(OptionLine(name: "proto", arguments: [proto.text], location: proto.location))
      }
    }
    if let proto = reader.word("ovpnproto") {
      tunnel.options.removeAll { $0.name == "proto" }
      tunnel.options.append(OptionLine(name: "proto", arguments: [proto.text], location: proto.location))
    }
  }
}
