package import Base
package import Profile

/// The whole configuration directory, checked and typed.
///
/// Made by `SettingsParser`, or in memory by `adit connect`.
package struct Settings: Hashable, Sendable {
  package var globals = Globals()
  package var tunnels: [TunnelSettings] = []
  package var gateways: [GatewaySettings] = []
  package var policies: [PolicySettings] = []
  package var health: [HealthSettings] = []
  package var onDemand: [OnDemandSettings] = []
  /// False when a file could not be read, so that sections may be missing.
  package var isWhole = true

  package init() {}
}

package struct Globals: Hashable, Sendable {
  package var logLevel: Note.Level = .info
  package var metrics: Endpoint?
  package var marks = MarkLayout()
  /// First priority of our rules.
  package var rulePriority: UInt32 = 800
  /// Every priority that a rule of ours may have.
  package var ruleBand: ClosedRange<UInt32> { rulePriority...(rulePriority + 99) }
  /// Names of OpenWrt packages whose sections are read too.
  package var takeOver: [String] = []
  package var controlGroup: String?
  package var bootstrapDNS: [IPAddress] = []

  package init() {}
}

/// Firewall marks live in one byte only (design: marks).
package struct MarkLayout: Hashable, Sendable {
  package var mask: UInt32 = 0xff00_0000

  package init(mask: UInt32 = 0xff00_0000) { self.mask = mask }

  private func placed(_ value: UInt32) -> UInt32 { value << UInt32(mask.trailingZeroBitCount) & mask }

  /// Our own transport and lookups.
  package var own: UInt32 { placed(0xad) }
  package var wan: UInt32 { placed(0xae) }
  package var blocked: UInt32 { placed(0xaf) }
  /// - Parameter index: 1 to 0x7f.
  package func tunnel(_ index: Int) -> UInt32 { placed(UInt32(clamping: index) & 0x7f) }
}

package struct TunnelSettings: Hashable, Sendable {
  package enum ClockPolicy: String, Hashable, Sendable { case floor, strict }

  package var name: TunnelName
  package var isEnabled = true
  /// As written; relative to the configuration directory.
  package var profilePath: String?
  /// Where the key stands that names the profile.
  package var profileLocation: SourceLocation?
  package var device: DeviceName
  /// OpenVPN options given as keys, in file order, to be laid over the profile.
  package var options: [OptionLine] = []
  /// Options that a key switches off, so that the profile's own line goes (`option float '0'`).
  package var withdrawnOptions: [String] = []
  /// True when the section itself holds a password, so that its file must be private.
  package var holdsSecret = false
  package var ignoresUnknownOptions = false
  package var clockPolicy: ClockPolicy = .floor
  package var mtu: Int?
  /// How soon an earlier remote than the one that serves is tried beside it.
  package var returnAfter: Duration = .seconds(60)
  package var offload: OffloadMode = .auto
  package var location: SourceLocation

  package init(name: TunnelName, device: DeviceName, location: SourceLocation) {
    self.name = name
    self.device = device
    self.location = location
  }
}

/// A section's name: letters, digits, `_` and `-`, at most 31; safe in a path, a ruleset, a link alias.
package struct TunnelName: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let text: String

  package init?(_ text: some StringProtocol) {
    guard (1...31).contains(text.utf8.count),
      text.utf8.allSatisfy({
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
      })
    else { return nil }
    self.text = String(text)
  }

  package var description: String { text }
  package static func < (left: TunnelName, right: TunnelName) -> Bool { left.text < right.text }
}

package struct GatewaySettings: Hashable, Sendable {
  package enum Scope: String, Hashable, Sendable { case forward, all }
  package enum KillSwitch: String, Hashable, Sendable { case always, session, off }
  package enum IPv6Mode: String, Hashable, Sendable { case auto, block, bypass }
  package enum DNSMode: String, Hashable, Sendable { case auto, hijack, dnsmasq, resolved, resolvconf, off }
  package enum Inbound: String, Hashable, Sendable { case wan, block }
  package enum Routes: String, Hashable, Sendable { case all, pushed }

  package var name: TunnelName
  /// In order of preference.
  package var tunnels: [TunnelName] = []
  package var lan: [DeviceName] = []
  package var scope: Scope = .forward
  package var killSwitch: KillSwitch = .always
  package var masquerade = true
  package var clampsMSS = true
  package var ipv6: IPv6Mode = .auto
  package var dns: DNSMode = .auto
  package var blocksDoT = false
  /// Resolvers that speak DNS over HTTPS: addresses, and lists until the configuration directory has read them.
  package var dohTerms: [PolicySettings.Term] = []
  package var inbound: Inbound = .wan
  package var routes: Routes = .all
  package var excluded: [IPPrefix] = []
  package var keys = KeyLocations()
  package var location: SourceLocation

  package init(name: TunnelName, location: SourceLocation) {
    self.name = name
    self.location = location
  }
}

package struct HealthSettings: Hashable, Sendable {
  package var tunnel: TunnelName
  package var probe: IPAddress?
  /// `nil` = asked only when traffic goes one way.
  package var interval: Duration?
  package var failAfter = 3
  package var location: SourceLocation

  package init(tunnel: TunnelName, location: SourceLocation) {
    self.tunnel = tunnel
    self.location = location
  }
}

extension GatewaySettings {
  package var blockedDoH: [IPPrefix] {
    dohTerms.compactMap { term in
      if case .prefix(let prefix) = term.match { return prefix }
      return nil
    }
  }
}
