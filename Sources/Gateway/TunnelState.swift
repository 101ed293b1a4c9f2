package import Base
package import Profile
package import Settings

/// What the planner has to know about one configured tunnel.
///
/// `pushed` outlives a session: addresses and routes stay across a reconnect, and the plan changes only when the next
/// push differs. It is taken away when the tunnel is put down.
package struct TunnelState: Hashable, Sendable {
  package var name: TunnelName
  /// 1 to 0x7f; its mark and its table follow from it, so it must not change while the daemon lives.
  package var index: Int
  package var device: DeviceName
  package var settings: TunnelSettings
  /// `nil` when the profile cannot be used; its gateways stay closed all the same.
  package var profile: Profile?
  package var pushed: PushedOptions?
  /// The remote of the profile that the running attempt speaks to, and its address.
  package var remoteIndex: Int?
  package var serverAddress: IPAddress?
  /// True while data may flow.
  package var isUp: Bool
  /// False for a tunnel that is switched off: no device is made for it.
  package var wantsDevice: Bool
  package var second: SecondSession?
  /// Bytes of the largest inner packet that was found to pass; `nil` = not known.
  package var measuredMTU: Int?

  package init(
    name: TunnelName, index: Int, device: DeviceName, settings: TunnelSettings, profile: Profile?,
    pushed: PushedOptions? = nil, serverAddress: IPAddress? = nil, isUp: Bool = false, wantsDevice: Bool = true
  ) {
    self.name = name
    self.index = index
    self.device = device
    self.settings = settings
    self.profile = profile
    self.pushed = pushed
    self.serverAddress = serverAddress
    self.isUp = isUp
    self.wantsDevice = wantsDevice
  }

  /// The link alias by which a successor knows the device.
  package var alias: String { Self.alias(of: name) }
  package static func alias(of tunnel: TunnelName) -> String { aliasPrefix + tunnel.text }
  package static let aliasPrefix = "adit:"

  /// True for the device of a tunnel of ours, be it in the configuration or not.
  package static func isOurs(_ link: Link) -> Bool { link.alias?.hasPrefix(aliasPrefix) ?? false }
}
