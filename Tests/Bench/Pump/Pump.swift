import Base
import DataChannel
import IO
import Wire

/// The packet path between a tun and a transport, of the same rooms as the engine's and in the same order of calls.
///
/// The bench peer runs it beside a session, the counting of instructions without one.
package struct Pump: ~Copyable {
  private static let batch = 64
  private static let batchesAtOnce = 4
  private static let slot = 2048

  private var packets = Burst(capacity: 256 * 1024 + TunDevice.superSlot, maximumCount: Pump.batch)
  private var sealed = Burst(capacity: 320 * 1024, maximumCount: 512)
  private var received = Burst(
    capacity: UDPSocket.fillRoom + 512 * 1024,
    maximumCount: UDPSocket.mergedSlots * UDPSocket.mostMerged)
  private var stream = StreamBuffer(capacity: 192 * 1024, maximumCount: 512)
  private var coalescer = Coalescer()
  private var cursor = FlushCursor()
  /// Something of `packets` is not sealed yet.
  private var hasPlain = false

  /// The transport takes no more now: watch for writable, and leave the tun alone.
  package private(set) var isFull = false
  /// Tun or transport are of no more use.
  package private(set) var isBroken = false
  /// Control packets that came, for the session.
  package var control: [[UInt8]] = []
  /// Datagrams or records that left and that came.
  package private(set) var sent: UInt64 = 0
  package private(set) var came: UInt64 = 0
  /// A turn stopped before all was moved.
  package private(set) var hasMore = false

  /// Segments enter the tun joined.
  private let joins: Bool

  package init(joins: Bool) { self.joins = joins }

  // MARK: tun → network

  package mutating func sendWhatWaits(
    _ tun: inout TunDevice, over link: inout PumpLink, sealing lane: inout UpLane
  ) {
    var left = Self.batchesAtOnce
    while !isFull, !isBroken {
      guard left > 0 else { return hasMore = true }
      left -= 1
      packets.reset()
      switch tun.fill(&packets, slot: TunDevice.superSlot, most: Self.batch) {
      case .some:
        hasPlain = true
        push(over: &link, sealing: &lane)
        if tun.isDrained { return }
      case .nothing: return
      case .ended, .broken: isBroken = true
      }
    }
  }

  /// Seals and sends what was read, as far as the transport takes it.
  package mutating func push(over link: inout PumpLink, sealing lane: inout UpLane) {
    while true {
      switch link.flush(sealed, from: &cursor) {
      case .done: isFull = false
      case .full:
        isFull = true
        return
      case .broken:
        isBroken = true
        return
      }
      guard hasPlain else { return }
      sealed.reset()
      cursor = FlushCursor()
      hasPlain = !lane.seal(&packets, into: &sealed)
      sent &+= UInt64(sealed.count)
    }
  }

  // MARK: network → tun

  package mutating func receiveWhatWaits(
    _ link: inout PumpLink, into tun: inout TunDevice, opening lane: inout DownLane
  ) {
    hasMore = false
    var left = Self.batchesAtOnce
    while !isBroken, link.isStream ? receiveStream(&link, &tun, &lane) : receiveBurst(&link, &tun, &lane) {
      guard left > 0 else { return hasMore = true }
      left -= 1
    }
  }

  /// The first packets of a session, when there are no keys to open anything with.
  package mutating func receiveControl(_ link: inout PumpLink) {
    if link.isStream {
      guard fill(&link) else { return }
      while listRecords() {
        Self.takeControl(&stream.burst, into: &control)
        stream.compact()
      }
    } else {
      received.reset()
      guard case .some = link.fill(&received, slot: Self.slot) else { return }
      Self.takeControl(&received, into: &control)
    }
  }

  private mutating func receiveBurst(_ link: inout PumpLink, _ tun: inout TunDevice, _ lane: inout DownLane) -> Bool {
    received.reset()
    switch link.fill(&received, slot: Self.slot) {
    case .some(let count):
      came &+= UInt64(count)
      Self.takeControl(&received, into: &control)
      lane.open(&received)
      if joins { coalescer.join(&received) }
      if !Self.write(&received, to: &tun) { isBroken = true }
      return !link.isDrained
    case .broken:
      isBroken = true
      return false
    case .nothing, .ended: return false
    }
  }

  private mutating func receiveStream(_ link: inout PumpLink, _ tun: inout TunDevice, _ lane: inout DownLane) -> Bool {
    guard fill(&link) else { return false }
    while listRecords() {
      came &+= UInt64(stream.burst.count)
      Self.takeControl(&stream.burst, into: &control)
      lane.open(&stream.burst)
      if joins { coalescer.join(&stream.burst) }
      if !Self.write(&stream.burst, to: &tun) { isBroken = true }
      stream.compact()
    }
    return true
  }

  private mutating func fill(_ link: inout PumpLink) -> Bool {
    switch link.fill(&stream) {
    case .some: return true
    case .nothing: return false
    case .ended, .broken:
      isBroken = true
      return false
    }
  }

  /// - Returns: false when there is no whole record.
  private mutating func listRecords() -> Bool {
    records: while !stream.burst.isFull {
      switch RecordFramer.next(in: stream.unread, at: 0, largest: 16 * 1024) {
      case .complete(let offset, let length): _ = stream.take(at: offset, length: length)
      case .partial: break records
      case .broken:
        isBroken = true
        break records
      }
    }
    stream.coverUnread()
    if stream.burst.isEmpty { stream.compact() }
    return !stream.burst.isEmpty
  }

  /// - Returns: false when the tun is gone.
  private static func write(_ burst: inout Burst, to tun: inout TunDevice) -> Bool {
    var index = 0
    while true {
      switch tun.flush(burst, from: &index) {
      case .done: return true
      case .broken: return false
      case .refused: Coalescer.part(&burst, head: index)
      }
    }
  }

  private static func takeControl(_ burst: inout Burst, into control: inout [[UInt8]]) {
    var index = 0
    while index < burst.count {
      if burst[index].verdict == .fresh, let first = burst.firstByte(index), let head = PacketHead(byte: first),
        !head.isData
      {
        burst[index].verdict = .consumed
        control.append(burst.copy(index))
      }
      index += 1
    }
  }
}
