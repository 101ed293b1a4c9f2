package import Base
package import Exchange
package import Profile

/// What the supervisor of one tunnel is told.
package enum TunnelEvent: Sendable {
  /// The configuration was read; `nil` when it cannot be used, with the reason.
  case configured(Profile?, Fault?)
  /// The tunnel is wanted: by its owner, or by an on-demand rule. Ends a pause.
  case up
  /// The same as `.rest(.owner)`.
  case down
  case rest(RestReason)
  /// Stay away until then, or until `resume`; `nil` = until `resume` only.
  case pause(until: Instant?)
  /// Ends a pause, and what `use` asked for.
  case resume
  /// This remote and no other, until `resume` or `use(nil)`.
  case use(remote: Int?)
  /// `nil` = now.
  case reconnect(after: Duration?)
  /// How the engine ended, in words.
  case engineDied(String)
  case resolved(Attempt, addresses: [IPAddress], fault: Fault?)
  case session(Attempt, SessionEvent)
  /// Addresses and routes could not be made.
  case networkFailed(Attempt, Fault)
  /// The kernel's answer for `watchedAddresses`, the first that has a way, or for the default route while `watchesAnyWay`;
  /// `nil` = no way there. Also told at once after each `resolve` and `connect`.
  case path(Path?)
  /// The families that have a default route. They order the addresses to try; `path` decides.
  case ways(Set<AddressFamily>)
  /// The host slept, or time jumped: what was known about the way is old.
  case shaken
  /// The clock was stepped from unset to set.
  case clockSet(WallTime)
  /// A better remote was tried in the background, and did not come up.
  case preferredFailed(remote: Int)
  case wake
}

/// Why a tunnel stays down.
package enum RestReason: Hashable, Sendable {
  case owner
  /// A rule of the configuration, in words.
  case demand(String)
  case paused
}

/// What the supervisor of one tunnel wants done, in this order.
package enum TunnelEffect: Hashable, Sendable {
  /// Start a fresh process and give it the configuration and its sockets.
  case startEngine
  case killEngine
  /// Send the profile and credentials again: they may have been mended.
  case configure
  /// Look whether a file with secrets has changed, and tell `configured` if so: a login waits for it.
  case lookAtSecrets
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
