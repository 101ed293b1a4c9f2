internal import Base
internal import Exchange
internal import Profile

extension TunnelSupervisor {
  /// An attempt came to nothing.
  mutating func failed(_ fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    note(fault, at: now, &effects)
    goOn(after: fault, at: now, &effects)
  }

  mutating func note(_ fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    remember(fault, at: now)
    if !isToldEnough { effects.append(.note(Note(.sessionFailed, fault.sentence))) }
  }

  /// Keeps since when the same thing fails, whatever its details.
  mutating func remember(_ fault: Fault, at now: Instant) {
    let isSame = lastFailure?.fault.code == fault.code
    repetitions = isSame ? repetitions + 1 : 0
    lastFailure = Failure(fault: fault, since: isSame ? lastFailure?.since ?? now : now)
  }

  var isToldEnough: Bool { repetitions >= Self.toldEnough }

  /// Another setting of the server mends these, though the profile has a say in them.
  private static let serverMends: Set<Fault.Code> = [.cipherRefused, .cipherUnsupported, .compressionRefused]

  /// The next target of the round at once, or the pause that the round's end or the fault asks for.
  mutating func goOn(after fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch fault.code.entry.blame {
    case .configuration where Self.serverMends.contains(fault.code): break
    case .configuration:
      // Only the owner can mend it. The file is read anew before each attempt.
      effects.append(.configure)
      pause(backoff.afterLoginFailure(), .owner, at: now, &effects)
      return
    case .authentication:
      loginRefused(at: now, &effects)
      return
    case .server where fault.code == .authTokenExpired && !usesToken:
      // No token was sent: it is the login that is refused, whatever the server calls it.
      loginRefused(at: now, &effects)
      return
    case .server where fault.code == .serverHalt:
      pause(Backoff.haltPause, .halt, at: now, &effects)
      return
    case .network, .handshake, .server: round?.failed(at: now)
    case .router: break
    }
    nextTarget(after: fault, at: now, &effects)
  }

  private mutating func loginRefused(at now: Instant, _ effects: inout [TunnelEffect]) {
    effects.append(.configure)
    pause(backoff.afterLoginFailure(), .login, at: now, &effects)
  }

  private mutating func nextTarget(after fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard var ahead = round, let profile else {
      pause(Backoff.refusedCap, .refusal, at: now, &effects)
      return
    }
    let blame = fault.code.entry.blame
    let spent = attemptBegan.map { now - $0 } ?? .zero
    if isRestarting(at: now), !ahead.hasOthers {
      ahead.stay(at: now)
      round = ahead
      pause(restartPause(spent), .silence, at: now, &effects)
    } else if ahead.next(at: now) == .roundOver {
      // What was tried is behind us; begin anew after a pause.
      round = ahead
      let span = backoff.afterRound(
        profile, blame: blame, spent: blame == .network ? spent : .zero, random: random())
      let isSoon = isRestarting(at: now)
      pause(
        isSoon ? min(span, restartPause(spent)) : span, blame == .network || isSoon ? .silence : .refusal, at: now,
        &effects)
    } else {
      pause(.zero, .pace, at: now, &effects)
    }
  }

  /// Between attempts while a server that said it restarts is away: some 250 ms from one to the next.
  private func restartPause(_ spent: Duration) -> Duration {
    max(.milliseconds(200 + Int64(random() % 100)) - spent, .milliseconds(20))
  }

  mutating func engineDied(_ words: String, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard hasEngine else { return }
    hasEngine = false
    let lived = engineStarted.map { now - $0 } ?? .zero
    engineDeaths = lived >= Self.stableAfter ? 1 : engineDeaths + 1
    switch phase {
    // What is being waited for does not come sooner by it: the next attempt starts another.
    case .idle, .pausing, .unreachable: return
    case .ending(_, _, let after):
      finish(after, at: now, &effects)
    case .resolving, .connecting, .up, .proving, .stranded, .suspect:
      note(Fault(.engineDied, words), at: now, &effects)
      standBy(at: now)
      // Nobody is left to be told to stop.
      phase = .pausing(until: now, .engine)
      // The first fresh engine is immediate; one that dies again and again waits longer each time.
      let span: Duration =
        engineDeaths <= 1 ? .zero : .seconds(1 << min(Int64(engineDeaths - 2), 6))
      pause(min(span, Backoff.refusedCap), .engine, at: now, &effects)
    }
  }
}
