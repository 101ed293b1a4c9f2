import Base
import DataChannel

/// Cutting super-packets while sealing, and joining segments to such.
struct OffloadWork: ~Copyable {
  private static let room = 2 * 64 * 1024

  private var packets = Burst(capacity: OffloadWork.room, maximumCount: InnerFlow.segments)
  private var sealed = Burst(capacity: OffloadWork.room, maximumCount: InnerFlow.segments)

  consuming func cut(_ count: Int) {
    var lanes = Lanes()
    let (header, bytes) = InnerFlow.superPacket()
    var left = count
    while left > 0 {
      left -= InnerFlow.segments
      // Cutting leaves nothing of it.
      packets.reset()
      precondition(packets.append(copying: bytes))
      header.write(into: packets.base + (Int(packets[0].offset) - VnetHeader.size))
      packets[0].hasVnetHeader = true
      sealed.reset()
      let isDone = lanes.up.seal(&packets, into: &sealed)
      precondition(isDone && sealed.count == InnerFlow.segments)
    }
  }

  consuming func join(_ count: Int) {
    var coalescer = Coalescer()
    var flow = InnerFlow()
    let segments = flow.next(InnerFlow.segments)
    var left = count
    while left > 0 {
      left -= InnerFlow.segments
      // Joining alters the head and narrows the others.
      packets.reset()
      var index = 0
      while index < InnerFlow.segments {
        precondition(packets.append(copying: segments[index]))
        packets[index].verdict = .forward
        index += 1
      }
      coalescer.join(&packets)
      precondition(packets[0].hasVnetHeader && packets[InnerFlow.segments - 1].verdict == .joined)
    }
  }
}
