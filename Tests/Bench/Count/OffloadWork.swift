import Base
import DataChannel

/// Cutting super-packets while sealing, and joining segments to such.
struct OffloadWork: ~Copyable {
  private static let room = 2 * 64 * 1024

  /// What every round begins with; both kinds of work leave nothing of it.
  private var template = Burst(capacity: OffloadWork.room, maximumCount: InnerFlow.segments)
  private var packets = Burst(capacity: OffloadWork.room, maximumCount: InnerFlow.segments)
  private var sealed = Burst(capacity: OffloadWork.room, maximumCount: InnerFlow.segments)

  consuming func cut(_ count: Int) {
    var lanes = Lanes()
    let (header, bytes) = InnerFlow.superPacket()
    precondition(template.append(copying: bytes))
    header.write(into: template.base + (Int(template[0].offset) - VnetHeader.size))
    template[0].hasVnetHeader = true
    var left = count
    while left > 0 {
      left -= InnerFlow.segments
      renew()
      sealed.reset()
      let isDone = lanes.up.seal(&packets, into: &sealed)
      precondition(isDone && sealed.count == InnerFlow.segments)
    }
  }

  consuming func join(_ count: Int) {
    var coalescer = Coalescer()
    var flow = InnerFlow()
    for (index, segment) in flow.next(InnerFlow.segments).enumerated() {
      precondition(template.append(copying: segment))
      template[index].verdict = .forward
    }
    var left = count
    while left > 0 {
      left -= InnerFlow.segments
      renew()
      coalescer.join(&packets)
      precondition(packets[0].hasVnetHeader && packets[InnerFlow.segments - 1].verdict == .joined)
    }
  }

  private mutating func renew() {
    packets.reset()
    packets.base.copyMemory(from: template.base, byteCount: template.used)
    var index = 0
    while index < template.count {
      precondition(packets.append(room: template.used / template.count, packet: template[index]))
      index += 1
    }
  }
}
