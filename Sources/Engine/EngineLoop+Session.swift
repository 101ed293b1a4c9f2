internal import Base
internal import Exchange
internal import IO
internal import Profile
internal import Session

extension EngineLoop {
  /// A supervisor that can make sockets answers a request within this.
  private static let socketPatience: Duration = .seconds(3)
  /// With another server to try, nobody waits two minutes for a TCP handshake.
  private static let shortPatience: Duration = .seconds(4)

  mutating func connect(_ order: ConnectOrder, at now: Instant) {
    abandon()
    attempt = order.attempt
    guard let remote = remote(of: order) else {
      return endWithoutSession(EndReport(fault: Fault(.configurationInvalid)))
    }
    requested = [:]
    begin(order, remote, at: now)
  }

  /// Sockets have come: goes on where they were missing.
  mutating func resume(at now: Instant) {
    guard !link.isOpen, let order = waiting?.order, let remote = remote(of: order) else { return }
    begin(order, remote, at: now)
  }

  /// Takes a socket and goes as far as it leads.
  private mutating func begin(_ order: ConnectOrder, _ remote: Remote, at now: Instant) {
    guard let socket = pool.take(remote.transport, order.endpoint.address.family) else {
      if waiting == nil { waiting = (order, now + Self.socketPatience) }
      return replenish()
    }
    waiting = nil
    replenish()
    rooms.fit(remote.tunMTUMaximum)
    target = (remote, order.endpoint)
    do throws(SystemFailure) {
      switch remote.transport {
      case .udp:
        link = try TransportLink(udp: socket, peer: order.endpoint, floats: profile?.float == true, mode: offloadMode)
      case .tcp: link = try TransportLink(tcp: socket, peer: order.endpoint, mode: offloadMode)
      }
    } catch {
      return endWithoutSession(EndReport(fault: Fault(.socketFailed, error.description)))
    }
    if let fault = link.fault { return endWithoutSession(EndReport(fault: fault)) }
    if link.isConnecting {
      let patience = order.hasAlternatives ? min(remote.connectTimeout, Self.shortPatience) : remote.connectTimeout
      waiting = (order, now + patience)
    } else {
      startSession(order, remote, at: now)
    }
  }

  private mutating func startSession(_ order: ConnectOrder, _ remote: Remote, at now: Instant) {
    guard let profile else { return }
    waiting = nil
    let setup = SessionSetup(
      profile: profile, remote: remote, outerFamily: order.endpoint.address.family, wallTime: order.wallTime,
      hasAlternatives: order.hasAlternatives, token: order.token, tokenUser: order.tokenUser)
    do throws(Fault) {
      session = try Session(setup, random: random)
    } catch {
      return endWithoutSession(EndReport(fault: error))
    }
    announcesStart = true
    isTouched = true
    session?.adopt(health, at: now)
    session?.start(at: now, into: &outbox)
  }

  /// TCP is writable for the first time, or has failed.
  mutating func finishConnecting(at now: Instant) {
    link.finishConnecting()
    guard let order = waiting?.order, let remote = remote(of: order) else { return }
    if let fault = link.fault { return endWithoutSession(EndReport(fault: fault)) }
    startSession(order, remote, at: now)
  }

  mutating func runTimers(at now: Instant) {
    if let waiting, waiting.until <= now {
      let fault = !link.isOpen ? Fault(.socketFailed, "no spare socket") : Fault(.tcpTimeout)
      endWithoutSession(EndReport(fault: fault))
    }
    if let due = nextWake, due <= now {
      session?.wake(at: now, into: &outbox)
      isTouched = true
    }
  }

  /// Does what the session wants done, until it wants no more.
  mutating func settle(at now: Instant) {
    while true {
      // While nobody has answered, an error of the network is the best that is known.
      if let fault = link.takeError(), !isAnswered { link.fail(fault) }
      if let fault = link.fault, session?.isOver == false {
        session?.transportFailed(fault, at: now, into: &outbox)
        isTouched = true
      }
      if let mtu = link.takeReportedMTU() {
        session?.pathReported(mtu: mtu, at: now, into: &outbox)
        isTouched = true
      }
      if outbox.isEmpty { break }
      deliver()
    }
    guard isTouched else { return }
    isTouched = false
    if session?.isOver == true { finishSession() }
    nextWake = session?.nextWake
  }

  private mutating func deliver() {
    var packets = 0
    for packet in outbox.packets where !link.isBroken {
      link.send(packet, sealed: rooms.sealed, from: &rooms.cursor)
      totals.transportSentBytes &+= UInt64(packet.count)
      packets += 1
    }
    for packet in outbox.wholePackets where !link.isBroken {
      guard link.sendWhole(packet) else { continue }
      totals.transportSentBytes &+= UInt64(packet.count)
      packets += 1
    }
    totals.transportSentPackets &+= UInt64(packets)
    guard let attempt else { return outbox.removeAll() }
    // Only now has the kernel chosen a port.
    if announcesStart, packets > 0 {
      announcesStart = false
      report(.event(attempt, .started(local: link.localEndpoint)))
    }
    for note in outbox.notes { report(.note(note)) }
    for event in outbox.events {
      switch event {
      case .serverAnswered: isAnswered = true
      case .up:
        isUp = true
        ProgramMemory.forgetHandshake()
      case .renegotiated: ProgramMemory.forgetHandshake()
      default: break
      }
      report(.event(attempt, event))
    }
    outbox.removeAll()
  }

  private mutating func finishSession() {
    if let counters = session?.counters() { totals.add(counters) }
    session = nil
    attempt = nil
    abandon()
  }

  /// Forgets the attempt under way without a word: another one takes its place.
  mutating func abandon() {
    if let counters = session?.counters() { totals.add(counters) }
    session = nil
    nextWake = nil
    waiting = nil
    isUp = false
    isAnswered = false
    announcesStart = false
    movedAt = nil
    awaitsSocket = false
    outbox.removeAll()
    closeLink()
  }

  mutating func endWithoutSession(_ ended: EndReport) {
    guard let attempt else { return }
    report(.event(attempt, .ended(ended)))
    abandon()
    self.attempt = nil
  }

  private func remote(of order: ConnectOrder) -> Remote? {
    guard let remotes = profile?.remotes, remotes.indices.contains(Int(order.remote)) else { return nil }
    return remotes[Int(order.remote)]
  }
}
