package import Base
internal import ControlChannel
internal import Exchange
internal import Profile
internal import Wire

extension Session {
  /// With another server to try, nobody waits two minutes for this one.
  private static let shortPatience: Duration = .seconds(4)
  /// SoftEther, which knows no wrap, sends its reset once; when it is lost only a new source port helps (protocol.md section 15).
  private static let resetPatience: Duration = .seconds(10)

  /// What may come due. One list for `nextWake` and for acting, so that they cannot disagree.
  private enum Alarm {
    case firstAnswer, lostReset, handshake, pushAnswer, restart, inactive, sessionTimeout
    case renegotiate, switchKey, lameDuck, poll, pushRequest, ping, liveness, sizes, goodbye
  }

  /// When to call `wake` at the latest; `nil` when nothing is due ever.
  package var nextWake: Instant? {
    guard stage != .idle, stage != .over else { return nil }
    var times = alarms.map(\.at)
    if let deadline = primary?.reliable.nextDeadline { times.append(deadline) }
    if let deadline = lameDuck?.reliable.nextDeadline { times.append(deadline) }
    if isUDP, let echo = primary?.echoes.first { times.append(echo) }
    return times.min()
  }

  mutating func runTimers(at now: Instant, into outbox: inout Outbox) {
    observeLanes(at: now, into: &outbox)
    if echo.isWaiting { echo.forget(at: now) }
    if wantsVerification { verifyAnew(at: now, into: &outbox) }
    for alarm in alarms where alarm.at <= now && stage != .over { act(alarm.what, at: now, into: &outbox) }
    if stage == .leaving, goodbyeIsHeard { finish(EndReport(fault: nil), into: &outbox) }
  }

  /// In the order in which they are acted on when several are due.
  private var alarms: [(what: Alarm, at: Instant)] {
    var list: [(Alarm, Instant)] = []
    func add(_ alarm: Alarm, _ at: Instant?) {
      if let at { list.append((alarm, at)) }
    }
    if stage == .leaving {
      add(.goodbye, goodbye?.next)
      return list
    }
    if serverID == nil { add(.firstAnswer, startedAt + patience) }
    if !wrapKey.authenticates { add(.lostReset, acknowledgedWithoutReset.map { $0 + Self.resetPatience }) }
    if primary?.phase != .active { add(.handshake, handshakeDue) }
    add(.pushAnswer, push.isComplete ? nil : authPendingUntil ?? push.deadline)
    add(.pushRequest, push.nextRequest)
    if !liveness.isHeld { add(.restart, keepalive.restartDue) }
    addStanding(add)
    return list
  }

  /// Those of a session that has keys.
  private func addStanding(_ add: (Alarm, Instant?) -> Void) {
    guard stage == .applying || stage == .up else { return }
    add(.poll, nextPoll)
    add(.ping, keepalive.pingDue)
    add(.liveness, liveness.due)
    add(.sizes, sizes?.search.nextWake)
    add(.switchKey, isSwitchPending ? switchTime : nil)
    add(.lameDuck, lameDuck?.diesAt)
    if primary?.phase == .active, primary?.hasDataKey == true, timers.renegotiateAfter > .zero {
      add(.renegotiate, (primary?.activeSince).map { $0 + timers.renegotiateAfter })
    }
    if let limit = inactiveLimit { add(.inactive, traffic.lastUse.map { $0 + limit }) }
    if let limit = pushed?.sessionTimeout ?? timers.sessionTimeout, limit > .zero {
      add(.sessionTimeout, upSince.map { $0 + limit })
    }
  }

  /// A renegotiation cannot go on while there is no way to the server, and has its whole time again once there is one.
  private var handshakeDue: Instant? {
    guard let primary, !liveness.isHeld else { return nil }
    return max(primary.begun, wayBack ?? primary.begun) + timers.handWindow
  }

  private var patience: Duration {
    let timeout = min(setup.remote.connectTimeout, timers.handWindow)
    return setup.hasAlternatives ? min(timeout, Self.shortPatience) : timeout
  }

  private var inactiveLimit: Duration? {
    guard let limit = pushed?.inactive ?? timers.inactive, limit > .zero else { return nil }
    return limit
  }

  private mutating func act(_ alarm: Alarm, at now: Instant, into outbox: inout Outbox) {
    func stop(_ code: Fault.Code, _ detail: String? = nil) -> EndReport { EndReport(fault: Fault(code, detail)) }
    switch alarm {
    case .firstAnswer:
      let sawForeign = drops[.badTag, default: 0] > 0 && authenticated == 0
      end(stop(sawForeign ? .wrapRejected : unheard(.serverSilent)), at: now, into: &outbox)
    case .lostReset: end(stop(.handshakeTimeout, "the server's first packet was lost"), at: now, into: &outbox)
    case .handshake:
      end(stop(primary?.keyID == 0 ? unheard(.handshakeTimeout) : .renegotiationFailed), at: now, into: &outbox)
    case .pushAnswer: end(stop(authPendingUntil == nil ? .pushTimeout : .authPendingTimeout), at: now, into: &outbox)
    case .restart: end(stop(silence), at: now, into: &outbox)
    case .inactive: end(stop(.inactive), at: now, into: &outbox)
    case .sessionTimeout: end(stop(.sessionTimeout), at: now, into: &outbox)
    case .renegotiate: beginRenegotiation(by: "the keys are old", at: now, into: &outbox)
    case .switchKey: chooseSendingKey(at: now)
    case .lameDuck: retireLameDuck(at: now, into: &outbox)
    case .poll: poll(at: now, into: &outbox)
    case .pushRequest: requestPush(at: now)
    case .ping: sendPing(at: now, into: &outbox)
    case .liveness: askForLife(at: now, into: &outbox)
    case .sizes: searchSizes(at: now, into: &outbox)
    case .goodbye: repeatGoodbye(at: now, into: &outbox)
    }
  }

  private mutating func requestPush(at now: Instant) {
    // A full window keeps the request for the next round.
    _ = primary?.write(text: "PUSH_REQUEST")
    push.nextRequest = now + PushExchange.repetition
  }

  package mutating func renegotiate(at now: Instant, into outbox: inout Outbox) {
    guard acceptsSoftReset else { return }
    beginRenegotiation(by: "asked for", at: now, into: &outbox)
    flush(at: now, into: &outbox)
  }
}
