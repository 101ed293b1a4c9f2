internal import Base
internal import DataChannel
internal import Exchange
internal import IO
internal import Session

// The data path, tun → network. Nothing here allocates, throws, locks or touches a class for a packet.

extension EngineLoop {
  /// Batches that one side may move before the other has its turn.
  static let batchesAtOnce = 4

  /// Somebody deleted the device under us. Only a fresh engine gets another.
  mutating func loseTun() { ending = .broken("the tun device is gone") }

  mutating func serveTun(_ readiness: Poller.Readiness, at now: Instant) {
    // Reported also while nothing is read, again and again.
    if readiness.contains(.broken), !isUp || link.isFull { return loseTun() }
    resumeSealing(at: now)
    var left = Self.batchesAtOnce
    while isUp, !link.isFull, !link.isBroken {
      guard left > 0 else { return hasMore = true }
      left -= 1
      rooms.packets.reset()
      let filled = tun?.fill(&rooms.packets, slot: rooms.slot, most: PacketRooms.batch) ?? .nothing
      switch filled {
      case .some:
        if names.isOn { names.noticeQuestions(in: rooms.packets) }
        sendPackets()
        if session?.noteOutgoing(at: now) == true { isTouched = true }
        if tun?.isDrained == true { return }
      case .nothing:
        // Broken without a packet to read: the device is gone.
        if readiness.contains(.broken) { loseTun() }
        return
      case .ended, .broken: return loseTun()
      }
    }
  }

  /// Goes on with packets that had to wait for the transport.
  mutating func resumeSealing(at now: Instant) {
    if rooms.isSealing, !link.isFull, !link.isBroken { sendPackets() }
  }

  /// Seals and sends what the tun gave, until all has left or the transport takes no more.
  private mutating func sendPackets() {
    repeat {
      rooms.sealed.reset()
      rooms.cursor = FlushCursor()
      rooms.isSealing = session?.up?.seal(&rooms.packets, into: &rooms.sealed) == false
      var index = 0
      var bytes: UInt64 = 0
      while index < rooms.sealed.count {
        bytes &+= UInt64(rooms.sealed[index].length)
        index += 1
      }
      totals.transportSentBytes &+= bytes
      totals.transportSentPackets &+= UInt64(rooms.sealed.count)
      link.flush(rooms.sealed, from: &rooms.cursor)
    } while rooms.isSealing && !link.isFull && !link.isBroken
  }
}
