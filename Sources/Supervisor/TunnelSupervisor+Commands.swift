internal import Base
internal import Exchange
internal import Profile

// What the owner, the configuration and on-demand rules say.

extension TunnelSupervisor {
  mutating func configured(_ profile: Profile?, _ fault: Fault?, at now: Instant, _ effects: inout [TunnelEffect]) {
    let former = self.profile
    self.profile = profile
    if let fault { remember(fault, at: now) }
    guard let profile else {
      round = nil
      end(.rest, at: now, &effects)
      return
    }
    if profile == former { return }
    let pin = round?.pinned
    var fresh = RemoteRound(profile, random: random)
    fresh.ways = round?.ways
    if let pin, let former, former.remotes.indices.contains(pin), profile.remotes.indices.contains(pin),
      former.remotes[pin].host == profile.remotes[pin].host
    {
      _ = fresh.pin(pin, at: now)
    }
    round = fresh
    token = nil
    tokenUser = nil
    // A login that was refused may be right by now where it, or the server, is another.
    let isOtherLogin = profile.credentials != former?.credentials || profile.remotes != former?.remotes
    if isOtherLogin {
      backoff.reset()
      gate = nil
    } else {
      backoff.forgiveRounds()
    }
    lastFailure = nil
    repetitions = 0
    if hasEngine { effects.append(.configure) }
    if phase != .idle || wantsUp { end(.again(after: .zero), at: now, &effects) }
  }

  mutating func up(at now: Instant, _ effects: inout [TunnelEffect]) {
    wantsUp = true
    rest = nil
    pausedUntil = nil
    backoff.forgiveRounds()
    if gate?.wait == .halt { gate = nil }
    switch phase {
    case .idle, .pausing: begin(at: now, &effects)
    case .ending(let attempt, let until, .rest): phase = .ending(attempt, until: until, .again(after: .zero))
    default: break
    }
  }

  mutating func rest(_ reason: RestReason, at now: Instant, _ effects: inout [TunnelEffect]) {
    wantsUp = false
    rest = reason
    pausedUntil = nil
    end(.rest, at: now, &effects)
  }

  mutating func paused(until: Instant?, at now: Instant, _ effects: inout [TunnelEffect]) {
    // What is down anyway needs no pause, and must not come up by the end of one.
    guard wantsUp || rest == .paused else { return }
    rest(.paused, at: now, &effects)
    pausedUntil = until
  }

  mutating func resume(at now: Instant, _ effects: inout [TunnelEffect]) {
    _ = round?.pin(nil, at: now)
    if rest == .paused { up(at: now, &effects) }
  }

  mutating func use(_ index: Int?, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard round?.pin(index, at: now) == true, let index, wantsUp, remote?.index != index else { return }
    end(.again(after: .zero), at: now, &effects)
  }

  mutating func reconnect(after: Duration?, at now: Instant, _ effects: inout [TunnelEffect]) {
    guard wantsUp else { return }
    backoff.reset()
    gate = nil
    effects.append(.configure)
    end(.again(after: after ?? .zero), at: now, &effects)
  }

  /// Leaves whatever goes on, politely where a session is there.
  mutating func end(_ after: After, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch phase {
    case .idle:
      if case .again(let pause) = after, wantsUp { self.pause(pause, .wish, at: now, &effects) }
    case .up(let attempt), .proving(let attempt, _, _), .stranded(let attempt, _, _, _), .suspect(let attempt),
      .connecting(let attempt, _, _):
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
      // The next time begins with the preferred one.
      let pinned = round?.pinned
      _ = round?.pin(pinned, at: now)
      // It ends by itself, and nobody waits for it: the next attempt starts another.
      if hasEngine { effects.append(.order(.quit)) }
      hasEngine = false
      effects.append(.withdrawNetwork)
    case .again(let span):
      standBy(at: now)
      pause(span, .wish, at: now, &effects)
    }
  }

  /// The next attempt takes up what goes on now: the question for a name, or the server in use. A pause has chosen already.
  mutating func standBy(at now: Instant) {
    switch phase {
    case .resolving: round?.askAgain()
    case .idle, .pausing, .unreachable: break
    case .connecting, .up, .proving, .stranded, .suspect, .ending: round?.stay(at: now)
    }
  }

  /// Waits, or goes on at once where there is nothing to wait for.
  mutating func pause(_ span: Duration, _ wait: Wait, at now: Instant, _ effects: inout [TunnelEffect]) {
    if wait == .login || wait == .halt { gate = Gate(until: now + span, wait: wait) }
    guard wantsUp, profile != nil else {
      finish(.rest, at: now, &effects)
      return
    }
    if span <= .zero {
      begin(at: now, &effects)
    } else {
      if span >= .seconds(1), !isToldEnough { effects.append(.note(Note(.retryIn, Self.words(span)))) }
      hold(until: now + span, wait, at: now)
    }
  }

  mutating func hold(until: Instant, _ wait: Wait, at now: Instant) {
    phase = .pausing(until: until, wait)
    nextLook = wait.looksAtSecrets ? now + Self.secretsLook : nil
  }
}
