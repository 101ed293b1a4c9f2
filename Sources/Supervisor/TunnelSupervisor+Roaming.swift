internal import Base
internal import Exchange
internal import Profile

// The way to the server, and whether a session lives on by it. A session over UDP floats: it goes on by another way and
// proves that it lives. What cannot float begins anew at once, from a fresh port; the engine drops the old session for the
// new one, for it holds one at a time, and one that has proved nothing is worth no waiting.

extension TunnelSupervisor {
  mutating func pathChanged(_ new: Path?, at now: Instant, _ effects: inout [TunnelEffect]) {
    let old = path
    let wasKnown = pathIsKnown
    path = new
    pathIsKnown = true
    let isOther = wasKnown && old != nil && new != nil && new != old
    switch phase {
    case .idle, .ending: break
    case .resolving:
      // A question that left before there was a way out hangs until its time is over.
      if wasKnown, old == nil, new != nil { beginAnew(at: now, &effects) }
    case .connecting:
      if new == nil {
        noWay(sent: wasKnown, at: now, &effects)
      } else if isOther {
        // Half a handshake does not move: its server answers the old address.
        beginAnew(at: now, &effects)
      }
    case .pausing(_, let wait):
      guard new != nil, wasKnown, new != old, wait.endsByPath else { return }
      beginAnew(at: now, &effects)
    case .unreachable: if new != nil { beginAnew(at: now, &effects) }
    case .up(let attempt), .suspect(let attempt):
      if new == nil {
        strand(attempt, from: old, at: now, &effects)
      } else if isOther {
        move(attempt, from: old, at: now, &effects)
      }
    case .proving(let attempt, _, let from):
      if new == nil {
        strand(attempt, from: from, at: now, &effects)
      } else if isOther {
        move(attempt, from: from, at: now, &effects)
      }
    case .stranded(let attempt, let since, let from, _):
      guard let new else { return }
      let survives = isUDP || now - since < Self.streamBlink
      if new == from && survives || floats {
        prove(attempt, from: from, at: now, &effects)
      } else {
        beginAnew(at: now, &effects)
      }
    }
  }

  /// At once, from a fresh port, and with the server in use.
  private mutating func beginAnew(at now: Instant, _ effects: inout [TunnelEffect]) {
    backoff.forgiveSilence()
    standBy(at: now)
    begin(at: now, &effects)
  }

  /// - Parameter sent: false when the attempt has not even begun.
  private mutating func noWay(sent: Bool, at now: Instant, _ effects: inout [TunnelEffect]) {
    if !sent, !isCodeSpent, let family = remote?.endpoint.address.family, wayless.insert(family).inserted,
      wayless.count == 1,
      let target = round?.skip(family, at: now), target != .roundOver
    {
      aim(at: target, now, &effects)
      return
    }
    leaveAttempt(&effects)
    note(Fault(.noPath), at: now, &effects)
    round?.stay(at: now)
    phase = .unreachable(until: now + Self.unreachablePoll)
  }

  private mutating func strand(
    _ attempt: Attempt, from: Path?, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    effects.append(.order(.path(attempt, isUsable: false)))
    note(Fault(.noPath), at: now, &effects)
    phase = .stranded(attempt, since: now, from: from, until: otherFamily.map { _ in now + Self.familyPatience })
  }

  /// The session goes on by another way, if it can.
  private mutating func move(
    _ attempt: Attempt, from: Path?, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    if floats { prove(attempt, from: from, at: now, &effects) } else { beginAnew(at: now, &effects) }
  }

  private mutating func prove(
    _ attempt: Attempt, from: Path?, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    effects.append(.order(.path(attempt, isUsable: true)))
    phase = .proving(attempt, until: now + Self.proofDeadline, from: from)
  }

  mutating func proved(_ proof: Proof, at now: Instant, _ effects: inout [TunnelEffect]) {
    switch (phase, proof) {
    case (.proving(let attempt, _, let from), .alive):
      if from != path {
        roams += 1
        if let path { effects.append(.note(Note(.roamed, path.device.text))) }
      }
      phase = .up(attempt)
      forget()
    case (.suspect(let attempt), .alive):
      phase = .up(attempt)
      forget()
    case (.up(let attempt), .silent):
      // For whoever asks; the answer may still come, and a lost packet is no news for the log.
      phase = .suspect(attempt)
      remember(Fault(.dataSilent), at: now)
    case (.up, .failed), (.suspect, .failed), (.proving, .failed): lost(Fault(.dataSilent), at: now, &effects)
    default: break
    }
  }

  /// The session does not live any more, though there is a way.
  mutating func lost(_ fault: Fault, at now: Instant, _ effects: inout [TunnelEffect]) {
    let running = sessionAttempt
    note(fault, at: now, &effects)
    sessionBroke(fault, nil, at: now, &effects)
    // A new attempt takes its place in the engine; a pause does not.
    if case .pausing(_, let wait) = phase, wait != .pace, let running { effects.append(.order(.stop(running))) }
  }

  /// The host slept, or the clock of the boot jumped: sockets and NAT are old, whatever the routes say.
  mutating func shaken(at now: Instant, _ effects: inout [TunnelEffect]) {
    switch phase {
    case .idle, .ending, .stranded: break
    case .resolving, .connecting, .unreachable: beginAnew(at: now, &effects)
    case .pausing(_, let wait): if wait.endsByPath { beginAnew(at: now, &effects) }
    case .up(let attempt), .suspect(let attempt): renew(attempt, from: path, at: now, &effects)
    case .proving(let attempt, _, let from): renew(attempt, from: from, at: now, &effects)
    }
  }

  private mutating func renew(
    _ attempt: Attempt, from: Path?, at now: Instant, _ effects: inout [TunnelEffect]
  ) {
    if isUDP { prove(attempt, from: from, at: now, &effects) } else { beginAnew(at: now, &effects) }
  }

  // MARK: Address families

  /// Where to go when the family in use has no way, and another has.
  private var otherFamily: RemoteRound.Place? {
    guard let round, let family = remote?.endpoint.address.family, let place = round.known(besides: family),
      round.ways?.contains(place.address.family) == true
    else { return nil }
    return place
  }

  mutating func waysChanged(_ families: Set<AddressFamily>, at now: Instant, _ effects: inout [TunnelEffect]) {
    let former = round?.ways
    round?.ways = families
    switch phase {
    case .stranded(let attempt, let since, let from, let until):
      let deadline = otherFamily.map { _ in until ?? now + Self.familyPatience }
      phase = .stranded(attempt, since: since, from: from, until: deadline)
    case .unreachable:
      guard former != families else { return }
      if let family = remote?.endpoint.address.family, families.contains(family) {
        begin(at: now, &effects)
      } else {
        leaveFamily(at: now, &effects)
      }
    default: break
    }
  }

  /// The way has not come back in time, and the other family has one.
  mutating func leaveFamily(at now: Instant, _ effects: inout [TunnelEffect]) {
    guard let place = otherFamily else {
      if case .stranded(let attempt, let since, let from, _) = phase {
        phase = .stranded(attempt, since: since, from: from, until: nil)
      }
      return
    }
    round?.go(to: place, at: now)
    begin(at: now, &effects)
  }

  // MARK: Clock

  private static let ofTime: Set<Fault.Code> = [.tlsCertificateNotYetValid, .tlsCertificateExpired]

  mutating func clockSet(_ time: WallTime, at now: Instant, _ effects: inout [TunnelEffect]) {
    if let sessionAttempt { effects.append(.order(.clock(sessionAttempt, time))) }
    switch phase {
    case .connecting: beginAnew(at: now, &effects)
    case .pausing(_, .refusal):
      guard let code = lastFailure?.fault.code, Self.ofTime.contains(code) else { return }
      backoff.forgiveRounds()
      begin(at: now, &effects)
    default: break
    }
  }

  // MARK: What a session can bear

  private var isUDP: Bool { remote.flatMap { profile?.remotes[$0.index].transport } == .udp }

  /// UDP floats by its peer id; a TCP connection, and an address that is bound to, cannot move.
  private var floats: Bool {
    guard canFloat, isUDP, let index = remote?.index else { return false }
    return profile?.remotes[index].localAddress == nil
  }
}
