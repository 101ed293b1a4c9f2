internal import Base
internal import DataChannel
internal import Exchange
internal import IO
internal import Session
internal import Wire

// The data path, network → tun. Nothing here allocates, throws, locks or touches a class for a data packet; control packets
// are copied out and go to the session.

extension EngineLoop {
  mutating func serveLink(_ readiness: Poller.Readiness, at now: Instant) {
    if link.isConnecting { return finishConnecting(at: now) }
    if readiness.contains(.writable) {
      link.flush(rooms.sealed, from: &rooms.cursor)
      resumeSealing(at: now)
    }
    if readiness.contains(.broken) { link.drainErrors() }
    guard !readiness.isDisjoint(with: .readableOrBroken), link.isOpen else { return }
    var left = Self.batchesAtOnce
    while !link.isBroken, session != nil {
      guard left > 0 else { return hasMore = true }
      left -= 1
      if link.isStream ? !receiveStream(at: now) : !receiveDatagrams(at: now) { return }
    }
  }

  /// - Returns: true when more may wait.
  private mutating func receiveDatagrams(at now: Instant) -> Bool {
    rooms.received.reset()
    let filled = link.fill(&rooms.received, slot: rooms.slot)
    switch filled {
    case .some:
      Self.note(rooms.received, in: &totals, at: now)
      receiveControl(at: now)
      session?.down?.open(&rooms.received)
      followSealedPackets(at: now)
      listen(at: now)
      if names.isOn { names.holdAnswers(in: &rooms.received, at: now) }
      writeReceived()
      noticeExit(at: now)
      return !link.isDrained
    case .broken(let number):
      link.fail(number)
      return false
    case .nothing, .ended: return false
    }
  }

  private mutating func receiveStream(at now: Instant) -> Bool {
    let filled = link.fill(&rooms.stream)
    var more = false
    switch filled {
    case .some: more = true
    case .nothing: return false
    case .ended: link.fail(Fault(.tcpClosed))
    case .broken(let number): link.fail(number)
    }
    while more {
      more = false
      records: while !rooms.stream.burst.isFull {
        switch unsafe RecordFramer.next(in: rooms.stream.unread, at: 0, largest: rooms.largestRecord) {
        case .complete(let offset, let length): _ = rooms.stream.take(at: offset, length: length)
        case .partial: break records
        case .broken:
          link.fail(Fault(.tcpFramingBroken))
          break records
        }
      }
      more = rooms.stream.burst.isFull
      rooms.stream.coverUnread()
      Self.note(rooms.stream.burst, in: &totals, at: now)
      receiveStreamControl(at: now)
      session?.down?.open(&rooms.stream.burst)
      listenToStream(at: now)
      if names.isOn { names.holdAnswers(in: &rooms.stream.burst, at: now) }
      if !Self.write(&rooms.stream.burst, to: &tun, joinedBy: &coalescer) { loseTun() }
      rooms.stream.compact()
      noticeExit(at: now)
    }
    return !link.isBroken && !link.isDrained
  }

  private static func note(_ burst: borrowing Burst, in totals: inout Counters, at now: Instant) {
    var index = 0
    var bytes: UInt64 = 0
    var packets: UInt64 = 0
    while index < burst.count {
      let packet = burst[index]
      if packet.verdict == .fresh {
        bytes &+= UInt64(packet.length)
        packets &+= 1
      }
      index += 1
    }
    guard packets > 0 else { return }
    totals.transportReceivedBytes &+= bytes
    totals.transportReceivedPackets &+= packets
    totals.lastPacketReceived = now
  }

  /// Control packets before data packets of the same burst: they may bring the keys that open those.
  private mutating func receiveControl(at now: Instant) {
    var index = 0
    while index < rooms.received.count {
      if Self.isControl(rooms.received, index) {
        rooms.received[index].verdict = .control
        session?.receive(rooms.received.copy(index), at: now, into: &outbox)
        // The first answer says where the server wants to be asked, if it is another address: what follows goes there already.
        if link.strangersPackets.contains(index), outbox.events.contains(.serverAnswered) { followStranger(at: now) }
        answerControl(at: now)
      }
      index += 1
    }
  }

  private mutating func receiveStreamControl(at now: Instant) {
    var index = 0
    while index < rooms.stream.burst.count {
      if Self.isControl(rooms.stream.burst, index) {
        rooms.stream.burst[index].verdict = .control
        session?.receive(rooms.stream.burst.copy(index), at: now, into: &outbox)
        answerControl(at: now)
      }
      index += 1
    }
  }

  private static func isControl(_ burst: borrowing Burst, _ index: Int) -> Bool {
    guard burst[index].verdict == .fresh, let first = burst.firstByte(index), let head = PacketHead(byte: first) else {
      return false
    }
    return !head.isData
  }

  private mutating func answerControl(at now: Instant) {
    isTouched = true
    // Answers leave at once, and the lanes' keys are there for the data behind.
    if !outbox.packets.isEmpty { settle(at: now) }
  }

  /// While the session asks something through the tunnel, it looks at what comes.
  private mutating func listen(at now: Instant) {
    if session?.listen(&rooms.received, at: now, into: &outbox) == true { isTouched = true }
  }

  private mutating func listenToStream(at now: Instant) {
    if session?.listen(&rooms.stream.burst, at: now, into: &outbox) == true { isTouched = true }
  }

  /// The peer's goodbye inside the data channel ends the session now, not at its next timer.
  private mutating func noticeExit(at now: Instant) {
    guard session?.down?.takeExit() == true else { return }
    session?.wake(at: now, into: &outbox)
    isTouched = true
  }

  /// Packets of the room for what the socket received, to the tun.
  mutating func writeReceived() {
    if !Self.write(&rooms.received, to: &tun, joinedBy: &coalescer) { loseTun() }
  }

  /// - Returns: false when the tun is gone.
  private static func write(
    _ burst: inout Burst, to tun: inout TunDevice?, joinedBy coalescer: inout Coalescer
  ) -> Bool {
    let offloads = tun?.offloads ?? Offloads()
    if offloads.contains(.coalesce) { coalescer.join(&burst, datagrams: offloads.contains(.uso)) }
    var index = 0
    while true {
      switch tun?.flush(burst, from: &index) {
      case .done, nil: return true
      case .broken: return false
      case .refused: Coalescer.part(&burst, head: index)
      }
    }
  }
}
