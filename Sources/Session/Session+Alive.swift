package import Base
internal import DataChannel
package import Exchange
internal import Profile

// Whether the server is still there, and whether it is there on another way.

extension Session {
  /// Packets of the tun have left. The first after a rest matters: from then on an answer is waited for.
  ///
  /// - Returns: true when it was the first.
  @discardableResult
  package mutating func noteOutgoing(at now: Instant) -> Bool {
    guard liveness.isResting else { return false }
    readLanes()
    liveness.noteOutgoing(flow, at: now)
    return true
  }

  /// What passed both lanes, as of the last look; control packets live too.
  var flow: Liveness.Flow {
    Liveness.Flow(sent: sent.packets, received: authenticated &+ authenticatedData)
  }

  package mutating func adopt(_ health: HealthOrder, at now: Instant) {
    self.health = health
    liveness.adopt(health, at: now)
  }

  /// The kernel's answer for the server changed: there is no way, or another, or one again.
  package mutating func pathChanged(isUsable: Bool, at now: Instant, into outbox: inout Outbox) {
    guard stage == .up else { return }
    observeLanes(at: now, into: &outbox)
    guard isUsable else { return liveness.hold(at: now) }
    // Nobody could be heard meanwhile.
    if liveness.isHeld { keepalive.noteReceived(at: now) }
    wayBack = now
    liveness.resume(canMove: canMove, at: now)
    wake(at: now, into: &outbox)
  }

  /// The server knows us by our peer id, whatever address we come from. A stream goes on or it does not.
  private var canMove: Bool { !isUDP || (pushed?.peerID ?? Self.noPeerID) != Self.noPeerID }
  private static let noPeerID: UInt32 = 0xffffff

  mutating func beginLiveness(at now: Instant, into outbox: inout Outbox) {
    liveness.begin(received: flow.received, at: now)
    // The first round trip through the tunnel, and whether the gateway answers at all.
    _ = ask(.life, at: now, into: &outbox)
  }

  mutating func askForLife(at now: Instant, into outbox: inout Outbox) {
    let step = liveness.advance(flow, at: now)
    // Data of any kind moves the session on the server.
    if step.echo, !ask(.life, at: now, into: &outbox) { send(message: DataMessage.ping, into: &outbox) }
    if step.control {
      primary?.provoke(at: now)
      if primary?.phase != .active { lameDuck?.provoke(at: now) }
    }
    if let proof = step.proof { tell(proof, at: now, into: &outbox) }
  }

  mutating func tell(_ proof: Proof, at now: Instant, into outbox: inout Outbox) {
    outbox.events.append(.proof(proof))
    guard case .alive = proof else { return }
    // A renegotiation under way has waited long enough.
    primary?.resendAll(at: now)
    lameDuck?.resendAll(at: now)
    flush(at: now, into: &outbox)
  }

  // MARK: The clock

  /// Certificates are judged by this time from now on: the peer's first.
  package mutating func reverify(by time: WallTime, at now: Instant, into outbox: inout Outbox) {
    clock = (time, now)
    wantsVerification = true
    wake(at: now, into: &outbox)
  }

  /// As soon as no other renegotiation is under way.
  mutating func verifyAnew(at now: Instant, into outbox: inout Outbox) {
    guard stage == .applying || stage == .up, acceptsSoftReset else { return }
    wantsVerification = false
    beginRenegotiation(by: "the clock was set", at: now, into: &outbox)
  }
}
