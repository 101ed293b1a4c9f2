package import Base
package import Profile

/// A session of a tunnel beside the one that serves, on a device of its own: it comes up to take over, or has served and is
/// about to leave. Nothing is sent into it; what comes out of it is taken.
package struct SecondSession: Hashable, Sendable {
  package var device: DeviceName
  package var pushed: PushedOptions?
  /// Neither session's server may be reached through the other.
  package var serverAddress: IPAddress?
  /// Bytes of the largest inner packet that was found to pass; `nil` = not known.
  package var measuredMTU: Int?
  package var remoteIndex: Int?

  package init(
    device: DeviceName, pushed: PushedOptions? = nil, remoteIndex: Int? = nil, serverAddress: IPAddress? = nil,
    measuredMTU: Int? = nil
  ) {
    self.device = device
    self.pushed = pushed
    self.remoteIndex = remoteIndex
    self.serverAddress = serverAddress
    self.measuredMTU = measuredMTU
  }

  /// The name of a spare device: `tun-home` → `tun-home.1`, and the next number where another device has that name.
  /// - Parameter taken: names that are in use.
  /// - Returns: `nil` when there is none left.
  package static func device(besides device: DeviceName, taken: Set<DeviceName>) -> DeviceName? {
    let room = DeviceName.longest - 2
    return (1...9).lazy.compactMap { DeviceName("\(device.text.prefix(room)).\($0)") }
      .first { $0 != device && !taken.contains($0) }
  }
}

extension TunnelState {
  /// The two sessions with their roles exchanged; without a second one, as it is.
  package var exchanged: TunnelState {
    guard let second else { return self }
    var copy = self
    copy.device = second.device
    copy.pushed = second.pushed
    copy.remoteIndex = second.remoteIndex
    copy.serverAddress = second.serverAddress
    copy.measuredMTU = second.measuredMTU
    copy.second = SecondSession(
      device: device, pushed: pushed, remoteIndex: remoteIndex, serverAddress: serverAddress, measuredMTU: measuredMTU)
    return copy
  }
}

extension Situation {
  /// The devices of a tunnel, in an order that does not tell which of them serves: so a change of roles is one of routes.
  func devices(of tunnel: TunnelNetwork) -> [DeviceName] {
    ([tunnel] + seconds.filter { $0.stands && $0.state.name == tunnel.state.name }).map(\.state.device).sorted()
  }

  /// The same devices, each with the other one of its tunnel.
  func withSeconds(_ devices: [DeviceName]) -> [DeviceName] {
    devices.flatMap { device in
      tunnels.first { $0.state.device == device }.map(self.devices(of:)) ?? [device]
    }
  }

  /// What stands of all sessions.
  var sessions: [TunnelNetwork] {
    standing.flatMap { tunnel in
      ([tunnel] + seconds.filter { $0.stands && $0.state.name == tunnel.state.name })
        .sorted { $0.state.device < $1.state.device }
    }
  }
}
