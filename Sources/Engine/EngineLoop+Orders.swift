internal import Base
internal import Exchange
internal import IO
internal import Profile
internal import Session

extension EngineLoop {
  /// Orders taken in one go: packets wait no longer than this.
  private static let ordersAtOnce = 16

  mutating func serveSupervisor(_ readiness: Poller.Readiness, at now: Instant) {
    if readiness.contains(.writable) { line.flush() }
    guard !readiness.isDisjoint(with: [.readable, .broken]) else { return }
    var left = Self.ordersAtOnce
    while left > 0, ending == nil {
      left -= 1
      do throws(SupervisorLine.Failure) {
        guard let received = try line.receive() else { return }
        follow(received, at: now)
      } catch {
        switch error {
        case .ended: ending = .supervisorEnded
        case .broken(let reason): ending = .broken(reason)
        }
      }
    }
  }

  private mutating func follow(_ received: consuming SupervisorLine.Received, at now: Instant) {
    switch received.order {
    case .configure(_, let text, let mode):
      follow(mode)
      var bytes = text.exposed
      defer { bytes.wipe() }
      let lines = Lexer.lines(of: bytes, file: "profile").lines
      // The supervisor has reported unknown options already.
      profile = Profile.parse(lines, ignoringUnknown: true, files: .mayBeUnread).profile
    case .sockets(let kinds):
      while let socket = received.message.takeDescriptor() { _ = pool.put(socket) }
      for kind in kinds { requested[kind] = max(requested[kind, default: 0] - 1, 0) }
      resume(at: now)
      exchangeSocket(at: now)
    case .resolve(let order):
      resolving = order
      resolver.ask(order.host, family: order.family, servers: order.resolvers, at: now)
    case .connect(let order): connect(order, at: now)
    case .applied(let attempt, let mtu):
      if let descriptor = received.message.takeDescriptor() { attach(descriptor) }
      guard attempt == self.attempt else { return }
      rooms.grow(Int(mtu))
      session?.networkApplied(mtu: Int(mtu), at: now, into: &outbox)
    case .refused(let attempt, let code):
      if attempt == self.attempt { session?.networkRefused(code, at: now, into: &outbox) }
    case .stop(let attempt): if attempt == self.attempt { stop(at: now) }
    case .renegotiate(let attempt):
      if attempt == self.attempt { session?.renegotiate(at: now, into: &outbox) }
    case .path(let attempt, let isUsable): if attempt == self.attempt { pathChanged(isUsable, at: now) }
    case .health(let order):
      health = order
      session?.adopt(order, at: now)
    case .clock(let attempt, let time):
      if attempt == self.attempt { session?.reverify(by: time, at: now, into: &outbox) }
    case .measure(let attempt, let ceiling, let start):
      if attempt == self.attempt {
        session?.measure(ceiling: Int(ceiling), start: start.map { Int($0) }, at: now, into: &outbox)
      }
    case .watch(let order): names.watch(order)
    case .namesApplied(let sequence): namesApplied(sequence)
    case .reportCounters: report(.counters(counters()))
    case .quit: ending = .quit
    }
    isTouched = true
  }

  private mutating func stop(at now: Instant) {
    guard session == nil else {
      session?.stop(at: now, into: &outbox)
      return
    }
    guard waiting != nil else { return }
    endWithoutSession(EndReport(fault: nil))
  }

  mutating func advanceResolver(at now: Instant) {
    guard let order = resolving, let outcome = resolver.advance(at: now) else { return }
    resolving = nil
    replenish()
    switch outcome {
    case .addresses(let addresses):
      report(.resolved(order.attempt, host: order.host, addresses: addresses, fault: nil))
    case .failed(let failure):
      let isSilence = [.noAnswer, .refused].contains(failure)
      let fault = Fault(isSilence ? .resolverSilent : .nameUnresolved, failure.rawValue)
      report(.resolved(order.attempt, host: order.host, addresses: [], fault: fault))
    }
  }

  private mutating func counters() -> Counters {
    var sum = totals
    if let counters = session?.counters() { sum.add(counters) }
    if let counters = link.socketCounters { sum.add(counters) }
    if let counters = tun?.counters {
      sum.tunReceiveErrors &+= counters.writeErrors
      sum.tunSendErrors &+= counters.readErrors
    }
    sum.add("answers_not_held", names.unheld)
    return sum
  }

  /// Spare sockets to hold: c-ares takes one for each server that it asks, and one more is for the connection.
  private static let spareUDP = 3
  private static let spareTCP = 2

  /// Asks for what was taken, ahead of the next need.
  mutating func replenish() {
    let transports = Set((profile?.remotes ?? []).map(\.transport))
    var missing: [SocketKind] = []
    for family in AddressFamily.allCases {
      for (transport, wanted) in [
        (Transport.udp, Self.spareUDP), (.tcp, transports.contains(.tcp) ? Self.spareTCP : 0),
      ] {
        let kind = SocketKind(transport, family)
        let lacking = wanted - pool.count(transport, family) - requested[kind, default: 0]
        guard lacking > 0 else { continue }
        missing += Array(repeating: kind, count: lacking)
        requested[kind, default: 0] += lacking
      }
    }
    if !missing.isEmpty { report(.wantsSockets(missing)) }
  }
}
