package import Base
package import Exchange
package import Profile

/// What one attempt at one server needs to know.
package struct SessionSetup: Sendable {
  package var profile: Profile
  package var remote: Remote
  /// Of the socket: decides how much room the headers take.
  package var outerFamily: AddressFamily
  /// At the start of the session, for certificates and for the wrap's packet ids.
  package var wallTime: WallTime
  /// Another remote or address waits, so the first answer is awaited for a few seconds only.
  package var hasAlternatives: Bool
  /// From an earlier session; used in place of the password.
  package var token: SecretBytes?
  package var tokenUser: String?

  package init(
    profile: Profile, remote: Remote, outerFamily: AddressFamily, wallTime: WallTime, hasAlternatives: Bool,
    token: SecretBytes? = nil, tokenUser: String? = nil
  ) {
    self.profile = profile
    self.remote = remote
    self.outerFamily = outerFamily
    self.wallTime = wallTime
    self.hasAlternatives = hasAlternatives
    self.token = token
    self.tokenUser = tokenUser
  }
}

/// What a session wants done. The engine drains it after every call and hands it in again.
package struct Outbox: Sendable {
  /// Complete datagrams to send, in order; on TCP each still needs its length in front.
  package var packets: [[UInt8]] = []
  /// The same, but nobody may fragment them: probes of the path.
  package var wholePackets: [[UInt8]] = []
  package var events: [SessionEvent] = []
  package var notes: [Note] = []

  package init() {}

  package var isEmpty: Bool { packets.isEmpty && wholePackets.isEmpty && events.isEmpty && notes.isEmpty }

  package mutating func removeAll() {
    packets.removeAll(keepingCapacity: true)
    wholePackets.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
  }
}
