package import Base
package import Exchange
package import Profile

/// What the supervisor of one tunnel is told.
package enum TunnelEvent: Sendable {
  /// The configuration was read; `nil` when it cannot be used, with the reason.
  case configured(Profile?, Fault?)
  case up
  case down
  /// `nil` = now.
  case reconnect(after: Duration?)
  /// How the engine ended, in words.
  case engineDied(String)
  case resolved(Attempt, addresses: [IPAddress], fault: Fault?)
  case session(Attempt, SessionEvent)
  /// Addresses and routes could not be made.
  case networkFailed(Attempt, Fault)
  /// The kernel's answer for `watchedAddress`, or for the default route while `watchesAnyWay`; `nil` = no way there. Also
  /// told at once after each `resolve` and `connect`.
  case path(Path?)
  case wake
}

/// What the supervisor of one tunnel wants done, in this order.
package enum TunnelEffect: Hashable, Sendable {
  /// Start a fresh process and give it the configuration and its sockets.
  case startEngine
  case killEngine
  /// Send the profile and credentials again: they may have been mended.
  case configure
  case resolve(Attempt, host: String, family: AddressFamily?)
  /// The daemon adds time and tells the path at once: `nil` ends the attempt before it begins.
  case connect(Attempt, remote: Int, Endpoint, hasAlternatives: Bool, token: SecretBytes?, tokenUser: String?)
  case order(Order)
  /// Make the network for what the server pushed, hand over the tun, and say `applied`.
  case applyNetwork(Attempt, items: [String])
  /// Addresses and routes of the push go; what keeps the LAN closed stays.
  case withdrawNetwork
  case note(Note)
}
