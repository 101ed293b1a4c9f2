package import Base
package import Exchange
internal import Profile

/// Decides what one tunnel does next: which server, when again, and what to say about it. A pure reducer.
package struct TunnelSupervisor: Sendable {
  /// Where the tunnel stands; each case carries only what it owns. Every case but `idle` and `up` has a deadline.
  enum Phase: Hashable, Sendable {
    case idle
    case resolving(Attempt, until: Instant)
    case connecting(Attempt, until: Instant)
    case up(Attempt)
    /// Waiting for the engine to say goodbye; then what `After` says.
    case ending(Attempt, until: Instant, After)
    case pausing(until: Instant)
    /// The kernel knows no way to the server.
    case unreachable(until: Instant)
  }

  enum After: Hashable, Sendable {
    case rest
    case again(after: Duration)
  }

  package struct Failure: Hashable, Sendable {
    package var fault: Fault
    package var since: Instant
  }

  /// An engine that does not answer a lookup in this time hangs: its resolver gives up far sooner.
  static let engineDeadline: Duration = .seconds(30)
  /// Engines end attempts by themselves; this is for one that does not.
  static let attemptSlack: Duration = .seconds(30)
  /// Exit notices take a second or so; the whole stop of Adit has five.
  static let goodbyeDeadline: Duration = .seconds(3)
  /// Once TLS stands the server may ask for a login outside the tunnel, which takes a person minutes.
  static let loginDeadline: Duration = .seconds(600)
  /// The same failure this often in a row has been told; the log is not filled with it.
  static let toldEnough = 3
  /// After a longer outage the server may have forgotten us, and asking takes longer than a handshake.
  static let longOutage: Duration = .seconds(8)
  /// While there is no way to the server, look again even without an event.
  static let unreachablePoll: Duration = .seconds(10)
  /// A session or an engine that lived shorter than this counts as one more failure in a row.
  static let stableAfter: Duration = .seconds(20)

  /// Between attempts while a server that said it restarts is away.
  static let restartPause: Duration = .seconds(1)

  var phase = Phase.idle
  var profile: Profile?
  var round: RemoteRound?
  var backoff = Backoff()
  var attempt = Attempt(0)
  var wantsUp = false
  var hasBeenUp = false
  var upSince: Instant?
  var hasEngine = false
  var engineDeaths = 0
  var engineStarted: Instant?
  var path: Path?
  var pathIsKnown = false
  /// The server takes packets of the running session from any address: data of format v2 with a peer id floats.
  var canFloat = false
  /// Since when the running session has no way to its server, and the way it had.
  var lostWay: (since: Instant, way: Path?)?
  /// When the server said that it restarts.
  var restartSaid: Instant?
  /// How often the last failure came in a row.
  var repetitions = 0
  var token: SecretBytes?
  var tokenUser: String?
  /// The running attempt logs in with a token.
  var usesToken = false
  /// The attempt whose network was asked for. A session asks once; a broken engine may not keep the firewall busy.
  var networkAsked: Attempt?
  let random: @Sendable () -> UInt64

  package private(set) var status: StatusWord
  package private(set) var since: Instant
  package internal(set) var lastFailure: Failure?
  /// The server of the running attempt.
  package internal(set) var remote: (index: Int, endpoint: Endpoint)?
  package internal(set) var handshakes: UInt64 = 0
  package internal(set) var reconnects: UInt64 = 0

  /// The words of design.md section 5.
  package enum StatusWord: String, Hashable, Sendable {
    case invalid, disconnected, connecting, connected, reasserting, disconnecting
  }

  package init(random: @escaping @Sendable () -> UInt64, at now: Instant) {
    self.random = random
    status = .invalid
    since = now
  }

  /// When `wake` is due; `nil` = only an event leads on.
  package var nextWake: Instant? {
    switch phase {
    case .idle, .up: nil
    case .resolving(_, let until), .connecting(_, let until), .ending(_, let until, _): until
    case .pausing(let until), .unreachable(let until): until
    }
  }

  /// Whose path the daemon shall watch.
  package var watchedAddress: IPAddress? { phase == .idle ? nil : remote?.endpoint.address }
  /// No server's address is known: a way to anywhere is worth an attempt.
  package var watchesAnyWay: Bool { phase != .idle && remote == nil }
  package var currentAttempt: Attempt { attempt }
  package var isIdle: Bool { phase == .idle }
  package var isUp: Bool { if case .up = phase { true } else { false } }

  package mutating func handle(_ event: TunnelEvent, at now: Instant) -> [TunnelEffect] {
    var effects: [TunnelEffect] = []
    switch event {
    case .configured(let profile, let fault): configured(profile, fault, at: now, &effects)
    case .up:
      wantsUp = true
      backoff.reset()
      if case .idle = phase { begin(at: now, &effects) }
      if case .pausing = phase { begin(at: now, &effects) }
      if case .ending(let attempt, let until, .rest) = phase {
        phase = .ending(attempt, until: until, .again(after: .zero))
      }
    case .down:
      wantsUp = false
      end(.rest, at: now, &effects)
    case .reconnect(let after):
      guard wantsUp else { break }
      backoff.reset()
      effects.append(.configure)
      end(.again(after: after ?? .zero), at: now, &effects)
    case .engineDied(let words): engineDied(words, at: now, &effects)
    case .resolved(let attempt, let addresses, let fault):
      guard case .resolving(attempt, _) = phase else { break }
      resolved(addresses, fault, at: now, &effects)
    case .session(let attempt, let event):
      guard attempt == self.attempt else { break }
      session(event, at: now, &effects)
    case .networkFailed(let attempt, let fault):
      guard case .connecting(attempt, _) = phase else { break }
      note(fault, at: now, &effects)
      effects.append(.order(.refused(attempt, fault.code)))
    case .path(let path): pathChanged(path, at: now, &effects)
    case .wake: wake(at: now, &effects)
    }
    settle(at: now)
    return effects
  }

  private mutating func configured(
    _ profile: Profile?, _ fault: Fault?, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    let isSame = profile == self.profile
    self.profile = profile
    if let fault { remember(fault, at: now) }
    guard let profile else {
      round = nil
      end(.rest, at: now, &effects)
      return
    }
    if isSame { return }
    round = RemoteRound(profile, random: random)
    token = nil
    tokenUser = nil
    backoff.reset()
    lastFailure = nil
    repetitions = 0
    if hasEngine { effects.append(.configure) }
    if phase != .idle || wantsUp { end(.again(after: .zero), at: now, &effects) }
  }

  /// Leaves whatever goes on, politely where a session is there.
  mutating func end(_ after: After, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch phase {
    case .idle:
      if case .again(let pause) = after, wantsUp { self.pause(pause, at: now, &effects) }
    case .up(let attempt), .connecting(let attempt, _):
      effects.append(.order(.stop(attempt)))
      phase = .ending(attempt, until: now + Self.goodbyeDeadline, after)
    case .ending(let attempt, let until, _): phase = .ending(attempt, until: until, after)
    case .resolving, .pausing, .unreachable: finish(after, at: now, &effects)
    }
  }

  mutating func finish(_ after: After, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch after {
    case .rest:
      phase = .idle
      remote = nil
      hasBeenUp = false
      // It ends by itself, and nobody waits for it: the next attempt starts another.
      if hasEngine { effects.append(.order(.quit)) }
      hasEngine = false
      effects.append(.withdrawNetwork)
    case .again(let pause):
      round?.stay()
      self.pause(pause, at: now, &effects)
    }
  }

  mutating func pause(_ span: Duration, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard wantsUp, profile != nil else {
      finish(.rest, at: now, &effects)
      return
    }
    if span <= .zero {
      begin(at: now, &effects)
    } else {
      if span >= .seconds(1), !isToldEnough { effects.append(.note(Note(.retryIn, Self.words(span)))) }
      phase = .pausing(until: now + span)
    }
  }

  private mutating func wake(at now: Instant, _ effects: inout [TunnelEffect]) {
    guard let due = nextWake, due <= now else { return }
    switch phase {
    case .idle, .up: break
    case .resolving:
      effects.append(.killEngine)
      hasEngine = false
      failed(Fault(.nameUnresolved, "no answer"), at: now, &effects)
    case .connecting:
      // The engine keeps shorter deadlines itself: one that misses them hangs.
      effects.append(.killEngine)
      hasEngine = false
      failed(Fault(.engineDied, "it did not answer"), at: now, &effects)
    case .ending(_, _, let after):
      effects.append(.killEngine)
      hasEngine = false
      finish(after, at: now, &effects)
    case .pausing, .unreachable: begin(at: now, &effects)
    }
  }

  /// One place where the words of status follow from what is.
  private mutating func settle(at now: Instant) {
    let word: StatusWord
    switch phase {
    case .idle: word = profile == nil ? .invalid : .disconnected
    case .ending(_, _, .rest): word = .disconnecting
    case .up: word = pathIsKnown && path == nil ? .reasserting : .connected
    case .resolving, .connecting, .ending, .pausing, .unreachable: word = hasBeenUp ? .reasserting : .connecting
    }
    if word != status {
      status = word
      since = now
    }
  }

  static func words(_ span: Duration) -> String {
    let seconds = span.components.seconds
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}
