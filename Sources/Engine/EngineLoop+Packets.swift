internal import Base
internal import DataChannel
internal import Exchange
internal import IO
internal import Session
internal import Wire

// The data path. Nothing here allocates, throws, locks or touches a class for a data packet; control packets are copied
// out and go to the session.

extension EngineLoop {
  /// Batches that one side may move before the other has its turn.
  private static let batchesAtOnce = 4

  // MARK: network → tun

  mutating func serveLink(_ readiness: Poller.Readiness, at now: Instant) {
    if link?.isConnecting == true { return finishConnecting(at: now) }
    if readiness.contains(.writable) { link?.flush(rooms.sealed, from: &rooms.cursor) }
    if readiness.contains(.broken) { link?.drainErrors() }
    guard !readiness.isDisjoint(with: [.readable, .broken]), let isStream = link?.isStream else { return }
    var left = Self.batchesAtOnce
    while left > 0, link?.fault == nil, session != nil {
      left -= 1
      if isStream ? !receiveStream(at: now) : !receiveDatagrams(at: now) { break }
    }
  }

  /// - Returns: true when more may wait.
  private mutating func receiveDatagrams(at now: Instant) -> Bool {
    rooms.received.reset()
    let filled = link?.fill(&rooms.received, slot: rooms.slot) ?? .nothing
    switch filled {
    case .some(let count):
      Self.note(rooms.received, in: &totals, at: now)
      receiveControl(at: now)
      session?.down?.open(&rooms.received)
      if session?.isListening == true { listen(at: now) }
      if names.isOn { names.holdAnswers(in: &rooms.received, at: now) }
      if let flushed = tun?.flush(rooms.received) { noteTun(flushed) }
      noticeExit(at: now)
      return count == PacketRooms.batch
    case .broken(let number):
      link?.fail(number)
      return false
    case .nothing, .ended: return false
    }
  }

  private mutating func receiveStream(at now: Instant) -> Bool {
    let filled = link?.fill(&rooms.stream) ?? .nothing
    var more = false
    switch filled {
    case .some: more = true
    case .nothing: return false
    case .ended: link?.fail(Fault(.tcpClosed))
    case .broken(let number): link?.fail(number)
    }
    while more {
      more = false
      records: while !rooms.stream.burst.isFull {
        switch unsafe RecordFramer.next(in: rooms.stream.unread, at: 0, largest: rooms.largestRecord) {
        case .complete(let offset, let length): _ = rooms.stream.take(at: offset, length: length)
        case .partial: break records
        case .broken:
          link?.fail(Fault(.tcpFramingBroken))
          break records
        }
      }
      more = rooms.stream.burst.isFull
      rooms.stream.coverUnread()
      Self.note(rooms.stream.burst, in: &totals, at: now)
      receiveStreamControl(at: now)
      session?.down?.open(&rooms.stream.burst)
      if session?.isListening == true { listenToStream(at: now) }
      if names.isOn { names.holdAnswers(in: &rooms.stream.burst, at: now) }
      if let flushed = tun?.flush(rooms.stream.burst) { noteTun(flushed) }
      rooms.stream.compact()
      noticeExit(at: now)
    }
    return link?.fault == nil
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
        rooms.received[index].verdict = .consumed
        receive(rooms.received.copy(index), at: now)
      }
      index += 1
    }
  }

  private mutating func receiveStreamControl(at now: Instant) {
    var index = 0
    while index < rooms.stream.burst.count {
      if Self.isControl(rooms.stream.burst, index) {
        rooms.stream.burst[index].verdict = .consumed
        receive(rooms.stream.burst.copy(index), at: now)
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

  private mutating func receive(_ packet: [UInt8], at now: Instant) {
    session?.receive(packet, at: now, into: &outbox)
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
    guard session?.down?.sawExit == true else { return }
    session?.wake(at: now, into: &outbox)
    isTouched = true
  }

  mutating func noteTun(_ flushed: Flushed) {
    if case .broken = flushed { loseTun() }
  }

  // MARK: tun → network

  /// Somebody deleted the device under us. Only a fresh engine gets another.
  private mutating func loseTun() { ending = .broken("the tun device is gone") }

  mutating func serveTun(_ readiness: Poller.Readiness, at now: Instant) {
    // Reported also while nothing is read, again and again.
    if readiness.contains(.broken), !isUp || link?.isFull != false { return loseTun() }
    var left = Self.batchesAtOnce
    while left > 0, isUp, link?.isFull == false, link?.fault == nil {
      left -= 1
      rooms.packets.reset()
      let filled = tun?.fill(&rooms.packets, slot: rooms.slot, most: PacketRooms.batch) ?? .nothing
      switch filled {
      case .some(let count):
        sendPackets(at: now)
        if count < PacketRooms.batch { return }
      case .nothing:
        // Broken without a packet to read: the device is gone.
        if readiness.contains(.broken) { loseTun() }
        return
      case .ended, .broken: return loseTun()
      }
    }
  }

  /// The first packet after a rest: the session watches for an answer from now on.
  private mutating func noteOutgoing(at now: Instant) {
    session?.noteOutgoing(at: now)
    isTouched = true
  }

  private mutating func sendPackets(at now: Instant) {
    rooms.sealed.reset()
    rooms.cursor = FlushCursor()
    if names.isOn { names.noticeQuestions(in: rooms.packets) }
    session?.up?.seal(&rooms.packets, into: &rooms.sealed)
    if session?.isResting == true { noteOutgoing(at: now) }
    var index = 0
    var bytes: UInt64 = 0
    while index < rooms.sealed.count {
      bytes &+= UInt64(rooms.sealed[index].length)
      index += 1
    }
    totals.transportSentBytes &+= bytes
    totals.transportSentPackets &+= UInt64(rooms.sealed.count)
    link?.flush(rooms.sealed, from: &rooms.cursor)
  }
}
