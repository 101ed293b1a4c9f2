package import Base

extension Coalescer {
  /// Takes a chain of `join` apart again, when the kernel refused the super-packet: head and pieces become `.forward`
  /// packets as they came, in their places.
  package static func part(_ burst: inout Burst, head index: Int) {
    var packet = burst[index]
    guard packet.verdict == .forward, packet.hasVnetHeader, packet.next >= 0 else { return }
    precondition(
      packet.offset >= 0 && packet.length >= 0 && Int(packet.offset) + Int(packet.length) <= burst.arena.capacity)
    let segment = unsafe TransportSegment(burst.base + Int(packet.offset), length: Int(packet.length))
    segment.writeLength(segment.length)
    // A run goes on only behind a segment without PSH.
    segment.writePush(false)
    segment.writeChecksum()
    var next = packet.next
    packet.next = -1
    packet.hasVnetHeader = false
    burst[index] = packet
    while next >= 0 {
      var piece = burst[Int(next)]
      precondition(piece.verdict == .joined)
      piece.offset -= Int32(segment.headerSize)
      piece.length += Int32(segment.headerSize)
      piece.verdict = .forward
      let place = Int(next)
      next = piece.next
      piece.next = -1
      burst[place] = piece
    }
  }
}
