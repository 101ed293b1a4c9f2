package import Base

extension TunnelSupervisor {
  /// Takes the place of the reducer whose session served until now: what it counted goes on.
  ///
  /// - Parameter keepsRemote: the remote in use is the only one from now on; false = the former's choice counts.
  package mutating func succeed(_ former: TunnelSupervisor, keepsRemote: Bool, at now: Instant) {
    handshakes += former.handshakes
    reconnects += former.reconnects
    roams += former.roams
    if !keepsRemote, round?.pin(former.round?.pinned, at: now) == true { round?.stay(at: now) }
  }

  /// What a reducer beside another one has to know before its first attempt: a login that waits is the account's matter, and
  /// a one-time password that was sent is sent by nobody again.
  package mutating func shareLogin(of other: TunnelSupervisor) {
    gate = other.gate
    spentCode = other.spentCode
  }

  /// A time, for a person.
  package static func spoken(_ span: Duration) -> String { words(span) }
}
