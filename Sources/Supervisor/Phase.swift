package import Base
internal import Exchange

extension TunnelSupervisor {
  /// Where the tunnel stands; each case carries only what it owns. docs/STATES.md has what leads from one to the other.
  ///
  /// Every case but `idle`, `up` and `suspect` has a deadline; a `stranded` session has one when another family leads to
  /// the server. Those wait for the owner, for the session, and for a way.
  enum Phase: Hashable, Sendable {
    case idle
    case resolving(Attempt, until: Instant)
    /// - isHasty: the deadline is ours and short, while no answer has come.
    case connecting(Attempt, until: Instant, isHasty: Bool)
    case up(Attempt)
    /// The session goes on by another way, or after a gap, and has to show that it lives. `from` = the way on which it did.
    case proving(Attempt, until: Instant, from: Path?)
    /// The session has no way to its server.
    case stranded(Attempt, since: Instant, from: Path?, until: Instant?)
    /// The session hears nothing and probes.
    case suspect(Attempt)
    /// Waiting for the engine to say goodbye; then what `After` says.
    case ending(Attempt, until: Instant, After)
    case pausing(until: Instant, Wait)
    /// The kernel knows no way to the server, and there is no session.
    case unreachable(until: Instant)
  }

  enum After: Hashable, Sendable {
    case rest
    case again(after: Duration)
  }

  /// What a pause is for, which decides what cuts it short.
  enum Wait: Hashable, Sendable {
    /// Nothing answers.
    case silence
    /// An answer that refuses.
    case refusal
    /// A refused login: neither the line nor a down and up shortens it, or the account is locked.
    case login
    /// The one-time password was sent; only another one helps.
    case code
    /// The server told us to stay away.
    case halt
    /// The server, or the owner, named the time.
    case wish
    /// Engines die.
    case engine
    /// Something in the configuration that only the owner can mend.
    case owner
    /// Attempts came too fast, whatever for.
    case pace

    /// Another way to the server is worth an attempt at once.
    var endsByPath: Bool { self == .silence || self == .refusal }
    /// Another file of secrets ends it.
    var looksAtSecrets: Bool { self == .login || self == .code || self == .owner }
  }

  /// The phases by name, for status words, blame and docs/STATES.md.
  package enum PhaseName: String, Hashable, Sendable, CaseIterable {
    case idle, resolving, connecting, up, proving, stranded, suspect, ending, pausing, unreachable
  }

  package var phaseName: PhaseName {
    switch phase {
    case .idle: .idle
    case .resolving: .resolving
    case .connecting: .connecting
    case .up: .up
    case .proving: .proving
    case .stranded: .stranded
    case .suspect: .suspect
    case .ending: .ending
    case .pausing: .pausing
    case .unreachable: .unreachable
    }
  }

  /// When `wake` is due; `nil` = only an event leads on.
  package var nextWake: Instant? {
    switch phase {
    case .idle: pausedUntil
    case .up, .suspect: nil
    case .stranded(_, _, _, let until): until
    case .resolving(_, let until), .connecting(_, let until, _), .proving(_, let until, _), .ending(_, let until, _),
      .unreachable(let until):
      until
    case .pausing(let until, let wait): wait.looksAtSecrets ? min(until, nextLook ?? until) : until
    }
  }

  /// When the next attempt is made unless an event makes it sooner; `nil` = no pause goes on.
  package var nextAttempt: Instant? { if case .pausing(let until, _) = phase { until } else { nil } }

  package var isIdle: Bool { phase == .idle }

  /// A session stands, whether or not its server can be reached just now.
  package var isUp: Bool { sessionAttempt != nil }

  var sessionAttempt: Attempt? {
    switch phase {
    case .up(let attempt), .proving(let attempt, _, _), .stranded(let attempt, _, _, _), .suspect(let attempt): attempt
    case .idle, .resolving, .connecting, .ending, .pausing, .unreachable: nil
    }
  }

  /// The servers whose path the daemon shall watch, in order: the first one with a way counts.
  package var watchedAddresses: [IPAddress] {
    guard phase != .idle, let address = remote?.endpoint.address else { return [] }
    switch phase {
    case .unreachable, .pausing: return [address] + (round?.known(besides: address.family).map { [$0.address] } ?? [])
    default: return [address]
    }
  }

  /// Of the running attempt.
  package var watchedAddress: IPAddress? { watchedAddresses.first }
  /// No server's address is known: a way to anywhere is worth an attempt.
  package var watchesAnyWay: Bool { phase != .idle && remote == nil }

  /// One place where the words of status follow from what is.
  mutating func settle(at now: Instant) {
    let word: StatusWord
    switch phase {
    case .idle: word = profile == nil ? .invalid : .disconnected
    case .ending(_, _, .rest): word = .disconnecting
    case .up, .suspect: word = .connected
    case .stranded: word = .reasserting
    // Out of an outage only the proof makes it connected again; a change of the way alone is no news to anybody.
    case .proving: word = status == .connected ? .connected : .reasserting
    case .resolving, .connecting, .ending, .pausing, .unreachable: word = hasBeenUp ? .reasserting : .connecting
    }
    show(word, at: now)
  }
}
