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
      note(Fault(.nameUnresolved, "no remote has an address of its protocol's family"), at: now, &effects)
      phase = .pausing(until: now + Backoff.refusedCap)
    case .lookUp(_, let host, let family):
      self.round = round
      if !isToldEnough { effects.append(.note(Note(.resolving, host))) }
      // A fresh label in front defeats the caches on the way (remote-random-hostname, protocol.md section 13.3).
      let label =
        profile.remoteRandomHostname ? Hex.text((0..<6).map { _ in UInt8(truncatingIfNeeded: random()) }) + "." : ""
      effects.append(.resolve(attempt, host: label + host, family: family))
      remote = nil
      pathIsKnown = false
      phase = .resolving(attempt, until: now + Self.engineDeadline)
    case .connect(let index, let endpoint):
      let hasAlternatives = round.hasAlternatives
      self.round = round
      remote = (index, endpoint)
      pathIsKnown = false
      usesToken = token != nil
      if !isToldEnough {
        effects.append(.note(Note(.connecting, endpoint.description, profile.remotes[index].transport.rawValue)))
      }
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
    case .started, .serverAnswered, .renegotiated, .proof, .mtu: break
    case .tlsEstablished:
      if case .connecting(attempt, let until) = phase {
        phase = .connecting(attempt, until: max(until, now + Self.loginDeadline))
      }
    case .token(let bytes, let user):
      token = bytes
      tokenUser = user
    case .wantsNetwork(let items):
      guard case .connecting(attempt, _) = phase, networkAsked != attempt else { return }
      networkAsked = attempt
      effects.append(.applyNetwork(attempt, items: items))
    case .up(let summary):
      guard case .connecting(attempt, _) = phase else { return }
      lostWay = nil
      canFloat = summary.peerID != nil && summary.dataFormat != "v1"
      phase = .up(attempt)
      if handshakes > 0 { reconnects += 1 }
      handshakes += 1
      hasBeenUp = true
      upSince = now
      lastFailure = nil
      repetitions = 0
      backoff.forgiveLogin()
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
      finish(after, at: now, &effects)
    case .connecting, .up:
      let wasUp = isUp
      let lasted = upSince.map { now - $0 } ?? .zero
      if wasUp, lasted >= Self.stableAfter { backoff.reset() }
      let fault = report.fault ?? Fault(.serverExit)
      if fault.code == .serverRestart { restartSaid = now }
      note(fault, at: now, &effects)
      switch report.advance {
      case .stay: round?.stay()
      case .nextRemote: round?.advanceRemote()
      case .nextAddress, nil: break
      }
      if let wish = report.retryAfter {
        pause(min(max(wish, Backoff.floor), Backoff.longestWish), at: now, &effects)
      } else if isRefused, hadToken, usesToken || lasted >= Self.stableAfter {
        // The token was refused, not the password: once with the real login. Where that was the password a moment ago, a
        // server that hands out tokens only to refuse them is a refused login like any other.
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

  /// The next target of the round at once, or the pause that the round's end or the fault asks for.
  private mutating func goOn(after fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch fault.code.entry.blame {
    // Another setting of the server mends these too.
    case .configuration where [.cipherRefused, .cipherUnsupported, .compressionRefused].contains(fault.code): break
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
      // It will be back in a moment, and its gateways wait for that.
      let isRestarting = restartSaid.map { now - $0 < Failover.restartGrace } ?? false
      pause(isRestarting ? min(span, Self.restartPause) : span, at: now, &effects)
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
    // What is being waited for does not come sooner by it: the next attempt starts another.
    case .idle, .pausing, .unreachable: return
    case .ending(_, _, let after):
      finish(after, at: now, &effects)
    case .resolving, .connecting, .up:
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
    case .connecting(let attempt, _):
      if new == nil {
        effects.append(.order(.stop(attempt)))
        note(Fault(.noPath), at: now, &effects)
        round?.stay()
        phase = .unreachable(until: now + Self.unreachablePoll)
      } else if wasKnown, new != old {
        // Half a handshake does not move: its server answers the old address.
        round?.stay()
        begin(at: now, &effects)
      }
    case .unreachable, .pausing:
      guard new != nil, old == nil || new != old, wasKnown, !isLoginPause else { return }
      round?.stay()
      begin(at: now, &effects)
    case .resolving:
      // A question that left before there was a way out hangs until its time is over.
      guard wasKnown, old == nil, new != nil else { return }
      round?.askAgain()
      begin(at: now, &effects)
    case .up: follow(new, after: old, wasKnown: wasKnown, at: now, &effects)
    case .idle, .ending: break
    }
  }

  /// What another way means for a session that is up.
  private mutating func follow(
    _ new: Path?, after old: Path?, wasKnown: Bool, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    guard let new else {
      if lostWay == nil { lostWay = (now, old) }
      return
    }
    let lost = lostWay
    lostWay = nil
    let last = lost?.way ?? old
    let isOther = wasKnown && last != nil && new != last
    let wasLong = lost.map { now - $0.since >= Self.longOutage } ?? false
    guard isOther && !floats || wasLong else { return }
    // At once, and without a word to a server that may not hear it: the engine drops the old session for the new one.
    round?.stay()
    begin(at: now, &effects)
  }

  /// UDP floats by its peer id; a TCP connection, and an address that is bound to, cannot move.
  private var floats: Bool {
    guard canFloat, let index = remote?.index, let remote = profile?.remotes[index] else { return false }
    return remote.transport == .udp && remote.localAddress == nil
  }

  /// A refused login waits out its ladder whatever the line does, or the account is locked.
  private var isLoginPause: Bool {
    guard case .pausing = phase else { return false }
    return lastFailure?.fault.code.entry.blame == .authentication || lastFailure?.fault.code == .serverHalt
  }
}
