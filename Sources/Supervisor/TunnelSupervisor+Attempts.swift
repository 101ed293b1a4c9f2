internal import Base
internal import Exchange
internal import Profile

extension TunnelSupervisor {
  /// Goes to the next target of the round.
  ///
  /// - Parameter haste: how long to wait for a first answer, where that is to be short.
  mutating func begin(haste: Duration? = nil, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard wantsUp, profile != nil, var round, !round.isEmpty else {
      phase = .idle
      return
    }
    guard mayBegin(at: now, &effects) else { return }
    if !hasEngine {
      hasEngine = true
      engineStarted = now
      effects.append(.startEngine)
    }
    wayless = []
    var target = round.next(at: now)
    if target == .roundOver { target = round.next(at: now) }
    self.round = round
    aim(at: target, haste: haste, now, &effects)
  }

  /// False while a gate is closed, a login has nothing new to say, or attempts come too fast; then the phase is a pause.
  private mutating func mayBegin(at now: Instant, _ effects: inout [TunnelEffect]) -> Bool {
    if let gate, now < gate.until {
      leaveAttempt(&effects)
      hold(until: gate.until, gate.wait, at: now)
      return false
    }
    gate = nil
    if isCodeSpent {
      leaveAttempt(&effects)
      note(Fault(.codeSpent), at: now, &effects)
      hold(until: now + (Backoff.loginLadder.last ?? .zero), .code, at: now)
      return false
    }
    if let wait = pace.take(at: now) {
      leaveAttempt(&effects)
      hold(until: now + wait, .pace, at: now)
      return false
    }
    return true
  }

  /// Only a token, or another code, can log in.
  var isCodeSpent: Bool {
    guard token == nil, let code = profile?.credentials?.oneTimePassword else { return false }
    return code == spentCode
  }

  /// What runs is dropped by the attempt that follows; where none does, it has to be told.
  mutating func leaveAttempt(_ effects: inout [TunnelEffect]) {
    if case .connecting(let running, _, _) = phase { effects.append(.order(.stop(running))) }
    if let running = sessionAttempt { effects.append(.order(.stop(running))) }
  }

  /// One attempt at that target.
  mutating func aim(
    at target: RemoteRound.Target, haste: Duration? = nil, _ now: Instant, _ effects: inout [TunnelEffect]
  ) {
    guard let profile else { return }
    attempt = attempt.next
    attemptBegan = now
    switch target {
    case .roundOver:
      // No remote has an address of its family.
      note(Fault(.nameUnresolved, "no remote has an address of its protocol's family"), at: now, &effects)
      hold(until: now + Backoff.refusedCap, .owner, at: now)
    case .lookUp(_, let host, let family):
      if !isToldEnough { effects.append(.note(Note(.resolving, host))) }
      // A fresh label in front defeats the caches on the way (remote-random-hostname, protocol.md section 13.3).
      let label =
        profile.remoteRandomHostname ? Hex.text((0..<6).map { _ in UInt8(truncatingIfNeeded: random()) }) + "." : ""
      effects.append(.resolve(attempt, host: label + host, family: family))
      remote = nil
      pathIsKnown = false
      phase = .resolving(attempt, until: now + Self.engineDeadline)
    case .connect(let index, let endpoint):
      remote = (index, endpoint)
      pathIsKnown = false
      usesToken = token != nil
      if !isToldEnough {
        effects.append(.note(Note(.connecting, endpoint.description, profile.remotes[index].transport.rawValue)))
      }
      let isUDP = profile.remotes[index].transport == .udp
      let hurry = isUDP ? haste ?? (isRestarting(at: now) ? shortHaste : nil) : nil
      phase = .connecting(attempt, until: now + (hurry ?? patience(profile, index)), isHasty: hurry != nil)
      effects.append(
        .connect(
          attempt, remote: index, endpoint, hasAlternatives: round?.hasAlternatives ?? false, token: token,
          tokenUser: tokenUser))
    }
  }

  func patience(_ profile: Profile, _ index: Int) -> Duration {
    profile.remotes[index].connectTimeout + profile.timers.handWindow + profile.timers.handWindow + Self.attemptSlack
  }

  /// A server that is about to be back is asked often, but never more often than its answers take.
  private var shortHaste: Duration { max(Self.shortHaste, answerTime * 3) }
  /// For a server that was good until it fell silent, where there is another.
  var lostHaste: Duration? { round?.hasOthers == true ? max(Self.haste, answerTime * 3) : nil }

  /// It will be back in a moment, and its gateways wait for that.
  func isRestarting(at now: Instant) -> Bool { restartSaid.map { now - $0 < Failover.restartGrace } ?? false }

  mutating func resolved(_ addresses: [IPAddress], _ fault: Fault?, at now: Instant, _ effects: inout [TunnelEffect]) {
    round?.found(addresses, at: now)
    if addresses.isEmpty {
      failed(fault ?? Fault(.nameUnresolved), at: now, &effects)
    } else {
      begin(at: now, &effects)
    }
  }
}
