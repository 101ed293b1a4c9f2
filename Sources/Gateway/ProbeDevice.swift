package import Base
package import Settings

/// The router's end of a cable to the client of `adit prove`.
package enum ProbeDevice {
  private static let prefix = "adit-prove:"

  /// By which it is known, to the planner and to a sweep.
  package static func alias(for gateway: TunnelName) -> String { prefix + gateway.text }

  /// True for what `adit prove` made, in whatever state it is.
  package static func isOurs(_ link: Link) -> Bool { link.kind == "veth" && (link.alias?.hasPrefix(prefix) ?? false) }

  /// The gateway that it is a LAN device of; `nil` for a port of a bridge, which is no device of its own.
  static func gateway(of link: Link) -> TunnelName? {
    guard isOurs(link), link.master == nil, let alias = link.alias else { return nil }
    return TunnelName(String(alias.dropFirst(prefix.count)))
  }
}

extension Settings {
  /// With the probe devices that are there as further LAN devices of their gateways: they are treated like every other.
  func including(probesIn snapshot: Snapshot) -> Settings {
    var settings = self
    for link in snapshot.links {
      guard let name = ProbeDevice.gateway(of: link),
        let place = settings.gateways.firstIndex(where: { $0.name == name })
      else { continue }
      settings.gateways[place].lan.append(link.name)
    }
    return settings
  }
}
