internal import Base
internal import Exchange
internal import Profile

// What the session of the running attempt says.

extension TunnelSupervisor {
  mutating func session(_ event: SessionEvent, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch event {
    case .started, .renegotiated, .mtu: break
    case .serverAnswered:
      guard case .connecting(attempt, let until, let isHasty) = phase else { return }
      if let attemptBegan { answerTime = now - attemptBegan }
      guard isHasty, let profile, let remote else { return }
      phase = .connecting(attempt, until: max(until, now + patience(profile, remote.index)), isHasty: false)
    case .tlsEstablished:
      guard case .connecting(attempt, let until, _) = phase else { return }
      phase = .connecting(attempt, until: max(until, now + Self.loginDeadline), isHasty: false)
      if !usesToken { spentCode = profile?.credentials?.oneTimePassword ?? spentCode }
    case .token(let bytes, let user):
      token = bytes
      tokenUser = user
    case .wantsNetwork(let items):
      guard case .connecting(attempt, _, _) = phase, networkAsked != attempt else { return }
      networkAsked = attempt
      effects.append(.applyNetwork(attempt, items: items))
    case .up(let summary):
      guard case .connecting(attempt, _, _) = phase else { return }
      canFloat = summary.peerID != nil && summary.dataFormat != "v1"
      phase = .up(attempt)
      if handshakes > 0 { reconnects += 1 }
      handshakes += 1
      hasBeenUp = true
      upSince = now
      restartSaid = nil
      gate = nil
      round?.succeeded()
      forget()
      backoff.forgiveLogin()
    case .proof(let proof): proved(proof, at: now, &effects)
    case .ended(let report): sessionEnded(report, at: now, &effects)
    }
  }

  private mutating func sessionEnded(_ report: EndReport, at now: Instant, _ effects: inout [TunnelEffect]) {
    let hadToken = token != nil
    let isRefused = report.fault?.code == .authFailed || report.fault?.code == .authTokenExpired
    if !report.keepsToken || isRefused {
      token = nil
      tokenUser = nil
    }
    switch phase {
    case .ending(_, _, let after):
      // Said while we were leaving, and true all the same.
      if report.fault?.code == .authFailed, !usesToken {
        gate = Gate(until: now + backoff.afterLoginFailure(), wait: .login)
      }
      finish(after, at: now, &effects)
    case .connecting, .up, .proving, .stranded, .suspect:
      let fault = report.fault ?? Fault(.serverExit)
      if fault.code == .serverRestart || fault.code == .serverExit { restartSaid = now }
      let wasUp = isUp
      let lasted = upSince.map { now - $0 } ?? .zero
      note(fault, at: now, &effects)
      switch report.advance {
      case .stay: round?.stay(at: now)
      case .nextRemote: round?.advanceRemote()
      case .nextAddress, nil: break
      }
      if let wish = report.retryAfter {
        pause(min(max(wish, Backoff.floor), Backoff.longestWish), .wish, at: now, &effects)
      } else if isRefused, hadToken, usesToken || wasUp && lasted >= Self.stableAfter {
        // The token was refused, not the password: once with the real login. Where that was the password a moment ago, a
        // server that hands out tokens only to refuse them is a refused login like any other.
        round?.stay(at: now)
        pause(Backoff.floor, .wish, at: now, &effects)
      } else if wasUp {
        sessionBroke(fault, report.advance, at: now, &effects)
      } else if report.advance == .stay, fault.code == .authTemporary, let profile {
        // The same server again, as it says; but not at once.
        pause(backoff.afterRound(profile, blame: .server, random: random()), .refusal, at: now, &effects)
      } else {
        goOn(after: fault, at: now, &effects)
      }
    case .idle, .resolving, .pausing, .unreachable: break
    }
  }

  /// A session that stood is over.
  mutating func sessionBroke(
    _ fault: Fault, _ advance: EndReport.Advance?, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    let lasted = upSince.map { now - $0 } ?? .zero
    let isStable = lasted >= Self.stableAfter
    if isStable { backoff.forgiveRounds() }
    let slows = fault.code.entry.blame == .authentication || fault.code == .serverHalt
    if fault.code == .inactive || fault.code == .sessionTimeout {
      // No failure: what the options ask for, and a new session is wanted at once.
      round?.stay(at: now)
      pause(max(.zero, Self.shortestLife - lasted), .wish, at: now, &effects)
    } else if !slows, let profile, isStable || backoff.rounds == 0 {
      // The first attempt after an event is immediate, and goes to the server that was good.
      if advance == nil { round?.stay(at: now) }
      if !isStable { _ = backoff.afterRound(profile, blame: .server, random: random()) }
      let wasSilent = fault.code == .keepaliveTimeout || fault.code == .dataSilent
      begin(haste: wasSilent ? lostHaste : nil, at: now, &effects)
    } else {
      goOn(after: fault, at: now, &effects)
    }
  }

  /// No failure is left to speak of.
  mutating func forget() {
    lastFailure = nil
    repetitions = 0
  }
}
