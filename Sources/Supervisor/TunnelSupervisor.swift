package import Base
package import Exchange
internal import Profile

/// Decides what one tunnel does next: which server, when again, and what to say about it. A pure reducer.
///
/// Its states and what leads from one to the other are in `Phase` and docs/STATES.md.
package struct TunnelSupervisor: Sendable {
  package struct Failure: Hashable, Sendable {
    package var fault: Fault
    package var since: Instant
  }

  /// A pause that outlives a down and up.
  struct Gate: Hashable, Sendable {
    var until: Instant
    var wait: Wait
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
  /// The engine answers within 2 s, or six round trips, whether the session lives; this is for one that does not.
  static let proofDeadline: Duration = .seconds(5)
  /// A TCP connection survives a blink; after more its retransmissions come slower than a new handshake.
  static let streamBlink: Duration = .seconds(1)
  /// So long a session without a way is kept when another address family leads to a server.
  static let familyPatience: Duration = .seconds(1)
  /// While there is no way to the server, look again even without an event.
  static let unreachablePoll: Duration = .seconds(10)
  /// A session or an engine that lived shorter than this counts as one more failure in a row.
  static let stableAfter: Duration = .seconds(20)
  /// While a login waits, its file is looked at this often.
  static let secretsLook: Duration = .seconds(10)
  /// Nobody waits for a server that was just found silent as long as for a strange one.
  static let shortHaste: Duration = .milliseconds(300)
  static let haste: Duration = .milliseconds(1_500)
  /// `inactive` and `session-timeout` may be set to a second by a server, and each costs a handshake.
  static let shortestLife: Duration = .seconds(5)

  var phase = Phase.idle
  var profile: Profile?
  var round: RemoteRound?
  var backoff = Backoff()
  var pace = Pace()
  var gate: Gate?
  var attempt = Attempt(0)
  var wantsUp = false
  var pausedUntil: Instant?
  var hasBeenUp = false
  var upSince: Instant?
  var hasEngine = false
  var engineDeaths = 0
  var engineStarted: Instant?
  var path: Path?
  var pathIsKnown = false
  /// Families found without a way since the round was gone on with.
  var wayless: Set<AddressFamily> = []
  /// The server takes packets of the running session from any address: data of format v2 with a peer id floats.
  var canFloat = false
  /// When the server said that it restarts.
  var restartSaid: Instant?
  var attemptBegan: Instant?
  /// What the server's first answer took last time.
  var answerTime: Duration = .zero
  /// How often the last failure came in a row.
  var repetitions = 0
  var token: SecretBytes?
  var tokenUser: String?
  /// The running attempt logs in with a token.
  var usesToken = false
  /// The one-time password that was sent last. None is ever sent twice.
  var spentCode: SecretBytes?
  var nextLook: Instant?
  /// The attempt whose network was asked for. A session asks once; a broken engine may not keep the firewall busy.
  var networkAsked: Attempt?
  let random: @Sendable () -> UInt64

  package private(set) var status: StatusWord
  package private(set) var since: Instant
  /// Why it stays down; `nil` while it is wanted up.
  package internal(set) var rest: RestReason? = .owner
  package internal(set) var lastFailure: Failure?
  /// The server of the running attempt.
  package internal(set) var remote: (index: Int, endpoint: Endpoint)?
  package internal(set) var handshakes: UInt64 = 0
  package internal(set) var reconnects: UInt64 = 0
  /// How often a session went on by another way, and proved to live.
  package internal(set) var roams: UInt64 = 0
  /// A better remote than the one in use, to be tried in the background from time to time.
  package internal(set) var wantsPreferred: Int?

  /// The words of design.md section 5.
  package enum StatusWord: String, Hashable, Sendable {
    case invalid, disconnected, connecting, connected, reasserting, disconnecting
  }

  package init(random: @escaping @Sendable () -> UInt64, at now: Instant) {
    self.random = random
    status = .invalid
    since = now
  }

  package var currentAttempt: Attempt { attempt }
  /// The only remote that may be used.
  package var usedRemote: Int? { round?.pinned }

  package mutating func handle(_ event: TunnelEvent, at now: Instant) -> [TunnelEffect] {
    var effects: [TunnelEffect] = []
    switch event {
    case .configured(let profile, let fault): configured(profile, fault, at: now, &effects)
    case .up: up(at: now, &effects)
    case .down: rest(.owner, at: now, &effects)
    case .rest(.paused): paused(until: nil, at: now, &effects)
    case .rest(let reason): rest(reason, at: now, &effects)
    case .pause(let until): paused(until: until, at: now, &effects)
    case .resume: resume(at: now, &effects)
    case .use(let remote): use(remote, at: now, &effects)
    case .reconnect(let after): reconnect(after: after, at: now, &effects)
    case .engineDied(let words): engineDied(words, at: now, &effects)
    case .resolved(let attempt, let addresses, let fault):
      guard case .resolving(attempt, _) = phase else { break }
      resolved(addresses, fault, at: now, &effects)
    case .session(let attempt, let event):
      guard attempt == self.attempt else { break }
      session(event, at: now, &effects)
    case .networkFailed(let attempt, let fault):
      guard case .connecting(attempt, _, _) = phase else { break }
      note(fault, at: now, &effects)
      effects.append(.order(.refused(attempt, fault.code)))
    case .path(let path): pathChanged(path, at: now, &effects)
    case .ways(let families): waysChanged(families, at: now, &effects)
    case .shaken: shaken(at: now, &effects)
    case .clockSet(let time): clockSet(time, at: now, &effects)
    case .preferredFailed(let remote): round?.failed(remote, at: now)
    case .wake: wake(at: now, &effects)
    }
    wantsPreferred = isUp ? remote.flatMap { round?.better(than: $0.index, at: now) } : nil
    settle(at: now)
    return effects
  }

  private mutating func wake(at now: Instant, _ effects: inout [TunnelEffect]) {
    guard let due = nextWake, due <= now else { return }
    switch phase {
    case .idle: resume(at: now, &effects)
    case .up, .suspect: break
    case .resolving:
      effects.append(.killEngine)
      hasEngine = false
      failed(Fault(.nameUnresolved, "no answer"), at: now, &effects)
    case .connecting(_, _, isHasty: true): failed(Fault(.serverSilent), at: now, &effects)
    case .connecting:
      // The engine keeps shorter deadlines itself: one that misses them hangs.
      effects.append(.killEngine)
      hasEngine = false
      failed(Fault(.engineDied, "it did not answer"), at: now, &effects)
    case .proving: lost(Fault(.dataSilent), at: now, &effects)
    case .stranded: leaveFamily(at: now, &effects)
    case .ending(_, _, let after):
      effects.append(.killEngine)
      hasEngine = false
      finish(after, at: now, &effects)
    case .pausing(let until, let wait):
      if wait.looksAtSecrets, let look = nextLook, look <= now {
        effects.append(.lookAtSecrets)
        nextLook = now + Self.secretsLook
      }
      if until <= now { begin(at: now, &effects) }
    case .unreachable: begin(at: now, &effects)
    }
  }

  mutating func show(_ word: StatusWord, at now: Instant) {
    guard word != status else { return }
    status = word
    since = now
  }

  static func words(_ span: Duration) -> String {
    let seconds = span.components.seconds
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}
