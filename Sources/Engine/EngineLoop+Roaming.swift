internal import Base
internal import Exchange
internal import IO
internal import Profile
internal import Session

// Another way to the server. An unconnected socket that is bound to nothing follows the kernel's choice by itself; one
// that is bound to a device or an address would go on by what may be gone, so it is exchanged.

extension EngineLoop {
  mutating func pathChanged(_ isUsable: Bool, at now: Instant) {
    if isUsable { giveUpBoundSockets() }
    session?.pathChanged(isUsable: isUsable, at: now, into: &outbox)
  }

  /// The spare ones are bound to the same: only fresh ones are of use.
  private mutating func giveUpBoundSockets() {
    guard let target, target.remote.transport == .udp, session != nil,
      profile?.bindDevice != nil || target.remote.localAddress != nil
    else { return }
    let family = target.endpoint.address.family
    while pool.take(.udp, family) != nil {}
    requested[SocketKind(.udp, family)] = 0
    awaitsSocket = true
    replenish()
  }

  /// Sockets have come: the session goes on over one of them.
  mutating func exchangeSocket(at now: Instant) {
    guard awaitsSocket, let target, session != nil,
      let socket = pool.take(.udp, target.endpoint.address.family)
    else { return }
    awaitsSocket = false
    isTouched = true
    closeLink()
    do throws(SystemFailure) {
      link = try TransportLink(udp: socket, peer: target.endpoint, floats: profile?.float == true, mode: offloadMode)
    } catch {
      session?.transportFailed(Fault(.socketFailed, error.description), at: now, into: &outbox)
      return
    }
    replenish()
    announcesStart = true
    session?.pathChanged(isUsable: true, at: now, into: &outbox)
  }

  // MARK: With `float` the server may move

  /// Data that its keys have sealed came from another address: ours go there from now on, as in OpenVPN.
  mutating func followSealedPackets(at now: Instant) {
    for index in link.strangersPackets {
      let verdict = rooms.received[index].verdict
      if verdict == .forward || verdict == .consumed { return followStranger(at: now) }
    }
  }

  mutating func followStranger(at now: Instant) {
    guard let endpoint = link.followStranger() else { return }
    target?.endpoint = endpoint
    // A server that speaks from two addresses in turn would fill the log.
    if let movedAt, now - movedAt < Self.movesToldEvery { return }
    movedAt = now
    report(.note(Note(.serverMoved, "\(endpoint)")))
  }

  private static let movesToldEvery = Duration.seconds(60)
}
