import Base
import DataChannel

/// Sealing, and opening what was sealed.
struct LaneWork: ~Copyable {
  private static let batch = 64

  private var packets = Burst(capacity: 256 * 1024, maximumCount: LaneWork.batch)
  private var sealed = Burst(capacity: 256 * 1024, maximumCount: LaneWork.batch)
  private var received = Burst(capacity: 256 * 1024, maximumCount: LaneWork.batch)

  consuming func run(_ count: Int, opens: Bool) {
    var lanes = Lanes()
    var flow = InnerFlow()
    for packet in flow.next(Self.batch) { precondition(packets.append(copying: packet)) }
    var left = count
    while left > 0 {
      left -= Self.batch
      var index = 0
      while index < Self.batch {
        packets[index].verdict = .fresh
        index += 1
      }
      sealed.reset()
      let isDone = lanes.up.seal(&packets, into: &sealed)
      precondition(isDone && sealed.count == Self.batch)
      if opens {
        carry()
        lanes.down.open(&received)
        precondition(received[Self.batch - 1].verdict == .forward)
      }
    }
  }

  /// As the network would.
  private mutating func carry() {
    received.reset()
    var index = 0
    while index < sealed.count {
      let packet = sealed[index]
      let offset = received.used + Burst.headroom
      let isListed = received.append(
        room: Burst.headroom + (Int(packet.length) + 63) & ~63,
        packet: Burst.Packet(offset: Int32(offset), length: packet.length))
      precondition(isListed)
      (received.base + offset).copyMemory(from: sealed.base + Int(packet.offset), byteCount: Int(packet.length))
      index += 1
    }
  }
}
