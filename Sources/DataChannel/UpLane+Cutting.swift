internal import Base

// What the tun left undone: checksums, and the cutting of super-packets.

extension UpLane {
  /// How far a super-packet was cut when the sealed ones had no more room.
  struct Cut {
    let index: Int
    let offset: Int32
    let length: Int32
    var segmenter: Segmenter

    /// Whatever else lies there by now, its bytes are as many: the knife stays within them.
    func isOf(_ packet: Burst.Packet, index: Int) -> Bool {
      self.index == index && offset == packet.offset && length == packet.length
    }
  }

  /// Forgets a half-cut super-packet: its burst was reset.
  package mutating func abandonCut() { cut = nil }

  /// Seals a packet with a vnet header in front.
  ///
  /// - Returns: `nil` when there is no room for it, or for the rest of it.
  mutating func sealUnfinished(
    _ plain: UnsafeMutableRawPointer, packet: inout Burst.Packet, index: Int, into sealed: inout Burst
  ) -> Burst.Verdict? {
    if let cut, cut.isOf(packet, index: index) { return unsafe sealSegments(plain, of: cut, into: &sealed) }
    precondition(Int(packet.offset) >= VnetHeader.size)
    let count = Int(packet.length)
    guard let header = unsafe VnetHeader(reading: plain - VnetHeader.size) else { return badOffload() }
    if header.segmentation == .none {
      if header.needsChecksum {
        guard unsafe PartialChecksum.complete(plain, count: count, header: header) else { return badOffload() }
      }
      // A second completion would spoil it, should there be no room now.
      packet.hasVnetHeader = false
      return unsafe sealWhole(plain, count: count, into: &sealed)
    }
    guard let segmenter = unsafe Segmenter(plain, count: count, header: header) else { return badOffload() }
    let cut = Cut(index: index, offset: packet.offset, length: packet.length, segmenter: segmenter)
    return unsafe sealSegments(plain, of: cut, into: &sealed)
  }

  private mutating func sealSegments(
    _ plain: UnsafeMutableRawPointer, of beginning: Cut, into sealed: inout Burst
  ) -> Burst.Verdict? {
    // All begin alike and all but the last are of one length, so their size is asked for twice at most.
    var segmenter = beginning.segmenter
    var count = segmenter.count
    var size = unsafe sealedSize(plain, count: count)
    if let drop = refusal(count: count, size: size) {
      counters.count(drop)
      cut = nil
      return .dropped
    }
    while true {
      guard unsafe hasRoom(for: plain, count: count, size: size, in: sealed) else {
        cut = beginning
        cut?.segmenter = segmenter
        return nil
      }
      let segment = unsafe segmenter.next(in: plain)
      let verdict =
        fragmenter == nil
        ? unsafe put(segment, count: count, size: size, into: &sealed)
        : unsafe sealPieces(segment, count: count, into: &sealed)
      if verdict == .dropped || segmenter.isDone {
        cut = nil
        return verdict
      }
      if segmenter.count != count {
        count = segmenter.count
        size = unsafe sealedSize(plain, count: count)
      }
    }
  }

  @inline(__always)
  private mutating func hasRoom(
    for segment: UnsafeRawPointer, count: Int, size: Int, in sealed: borrowing Burst
  ) -> Bool {
    fragmenter == nil
      ? sealed.free >= size && !sealed.isFull
      : unsafe hasRoomForPieces(segment, count: count, in: sealed)
  }

  private mutating func badOffload() -> Burst.Verdict {
    counters.count(.badOffload)
    return .dropped
  }
}
