internal import Base
internal import Exchange
internal import Profile

extension TunnelSupervisor {
  /// Goes to the next target of the round.
  mutating func begin(at now: Instant, _ effects: inout [TunnelEffect]) {
    guard wantsUp, let profile, var round, !round.isEmpty else {
      phase = .idle
      return
    }
    if !hasEngine {
      hasEngine = true
      engineStarted = now
      effects.append(.startEngine)
    }
    var target = round.next()
    if target == .roundOver { target = round.next() }
    attempt = attempt.next
    switch target {
    case .roundOver:
      // No remote has an address of its family.
      self.round = round
      phase = .pausing(until: now + Backoff.refusedCap)
    case .lookUp(let index, let host, let family):
      self.round = round
      effects.append(.note(Note(.resolving, host)))
      effects.append(.resolve(attempt, host: host, family: family))
      remote = nil
      phase = .resolving(attempt, until: now + min(Self.engineDeadline, profile.remotes[index].connectTimeout))
    case .connect(let index, let endpoint):
      let hasAlternatives = round.hasAlternatives
      self.round = round
      remote = (index, endpoint)
      pathIsKnown = false
      effects.append(.note(Note(.connecting, endpoint.description, profile.remotes[index].transport.rawValue)))
      let patience = profile.remotes[index].connectTimeout + profile.timers.handWindow + profile.timers.handWindow
      phase = .connecting(attempt, until: now + patience + Self.attemptSlack)
      effects.append(
        .connect(
          attempt, remote: index, endpoint, hasAlternatives: hasAlternatives, token: token, tokenUser: tokenUser))
    }
  }

  mutating func resolved(_ addresses: [IPAddress], _ fault: Fault?, at now: Instant, _ effects: inout [TunnelEffect]) {
    round?.found(addresses)
    if addresses.isEmpty {
      failed(fault ?? Fault(.nameUnresolved), at: now, &effects)
    } else {
      begin(at: now, &effects)
    }
  }

  mutating func session(_ event: SessionEvent, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch event {
    case .started, .tlsEstablished, .serverAnswered, .renegotiated: break
    case .token(let bytes, let user):
      token = bytes
      tokenUser = user
    case .wantsNetwork(let items):
      guard case .connecting(attempt, _) = phase else { return }
      effects.append(.applyNetwork(attempt, items: items))
    case .up:
      guard case .connecting(attempt, _) = phase else { return }
      phase = .up(attempt)
      if handshakes > 0 { reconnects += 1 }
      handshakes += 1
      hasBeenUp = true
      upSince = now
      lastFailure = nil
    case .ended(let report): sessionEnded(report, at: now, &effects)
    }
  }

  private mutating func sessionEnded(_ report: EndReport, at now: Instant, _ effects: inout [TunnelEffect]) {
    let hadToken = token != nil
    if !report.keepsToken {
      token = nil
      tokenUser = nil
    }
    switch phase {
    case .ending(_, _, let after):
      finish(after, at: now, &effects)
    case .connecting, .up:
      let wasUp = isUp
      let lasted = upSince.map { now - $0 } ?? .zero
      if wasUp, lasted >= Self.stableAfter { backoff.reset() }
      let fault = report.fault ?? Fault(.serverExit)
      note(fault, at: now, &effects)
      switch report.advance {
      case .stay: round?.stay()
      case .nextRemote: round?.advanceRemote()
      case .nextAddress, nil: break
      }
      if let wish = report.retryAfter {
        pause(max(wish, Backoff.floor), at: now, &effects)
      } else if fault.code == .authFailed || fault.code == .authTokenExpired, hadToken, !report.keepsToken {
        // The token was refused, not the password: once with the real login.
        round?.stay()
        pause(Backoff.floor, at: now, &effects)
      } else if wasUp, lasted >= Self.stableAfter || backoff.rounds == 0, fault.code.entry.blame != .authentication,
        fault.code != .serverHalt
      {
        // The first attempt after an event is immediate, and goes to the server that was good.
        if report.advance == nil { round?.stay() }
        if lasted < Self.stableAfter { _ = backoff.afterRound(base: .seconds(1), blame: .server, random: random()) }
        pause(.zero, at: now, &effects)
      } else {
        goOn(after: fault, at: now, &effects)
      }
    case .idle, .resolving, .pausing, .unreachable: break
    }
  }

  /// An attempt came to nothing.
  mutating func failed(_ fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    note(fault, at: now, &effects)
    goOn(after: fault, at: now, &effects)
  }

  private mutating func note(_ fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    if lastFailure?.fault != fault { lastFailure = Failure(fault: fault, since: now) }
    effects.append(.note(Note(.sessionFailed, fault.sentence)))
  }

  /// The next target of the round at once, or the pause that the round's end or the fault asks for.
  private mutating func goOn(after fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch fault.code.entry.blame {
    case .authentication, .configuration:
      // Only the owner can mend it. The file is read anew before each attempt.
      effects.append(.configure)
      pause(backoff.afterLoginFailure(), at: now, &effects)
      return
    case .server where fault.code == .serverHalt:
      pause(Backoff.haltPause, at: now, &effects)
      return
    case .network, .handshake, .server, .router: break
    }
    guard var ahead = round, let profile else {
      pause(Backoff.refusedCap, at: now, &effects)
      return
    }
    if ahead.next() == .roundOver {
      // What was tried is behind us; begin anew after a pause.
      round = ahead
      let span = backoff.afterRound(base: profile.connectRetry, blame: fault.code.entry.blame, random: random())
      pause(span, at: now, &effects)
    } else {
      pause(.zero, at: now, &effects)
    }
  }

  mutating func engineDied(_ words: String, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard hasEngine else { return }
    hasEngine = false
    let lived = engineStarted.map { now - $0 } ?? .zero
    engineDeaths = lived >= Self.stableAfter ? 1 : engineDeaths + 1
    switch phase {
    case .idle: return
    case .ending(_, _, let after):
      finish(after, at: now, &effects)
    case .resolving, .connecting, .up, .pausing, .unreachable:
      note(Fault(.engineDied, words), at: now, &effects)
      round?.stay()
      // The first fresh engine is immediate; one that dies again and again waits longer each time.
      let span: Duration =
        engineDeaths <= 1 ? .zero : .seconds(1 << min(Int64(engineDeaths - 2), 6))
      pause(min(span, Backoff.refusedCap), at: now, &effects)
    }
  }

  mutating func pathChanged(_ new: Path?, at now: Instant, _ effects: inout [TunnelEffect]) {
    let old = path
    let wasKnown = pathIsKnown
    path = new
    pathIsKnown = true
    switch phase {
    case .connecting(let attempt, _) where new == nil:
      effects.append(.order(.stop(attempt)))
      note(Fault(.noPath), at: now, &effects)
      round?.stay()
      phase = .unreachable(until: now + Self.unreachablePoll)
    case .unreachable, .pausing:
      guard new != nil, old == nil || new != old, wasKnown, !isLoginPause else { return }
      round?.stay()
      begin(at: now, &effects)
    case .up(let attempt):
      guard wasKnown, let new, let old, new != old, let index = remote?.index,
        profile?.remotes[index].transport == .tcp
      else { return }
      // A TCP connection cannot move; UDP floats by its peer id.
      effects.append(.order(.stop(attempt)))
      phase = .ending(attempt, until: now + Self.goodbyeDeadline, .again(after: .zero))
    case .idle, .resolving, .connecting, .ending: break
    }
  }

  /// A refused login waits out its ladder whatever the line does, or the account is locked.
  private var isLoginPause: Bool {
    guard case .pausing = phase else { return false }
    return lastFailure?.fault.code.entry.blame == .authentication || lastFailure?.fault.code == .serverHalt
  }
}
