internal import Base

/// Segments of one connection that become one super-packet, while it is open.
struct SegmentRun {
  /// Places in the burst.
  private(set) var head: Int32 = 0
  private var last: Int32 = 0
  /// Where the head lies in the arena.
  private var offset = 0
  private var headLength = 0
  private var count = 0
  /// Bytes of the whole super-packet.
  private var total = 0
  private var segmentSize = 0
  private var nextSequence: UInt32 = 0
  private var nextIdentification: UInt16 = 0
  private var isHeadGood = false
  private var hasPush = false

  /// Of one writev, with the vnet header in front; and of UDP_SEGMENT, which brought them.
  static let mostSegments = 64
  /// What an IP header can say.
  static let largestPacket = 65_535

  init() {}

  /// The head's checksums are looked at when another comes to join it: most packets of a quiet line stay alone.
  @inline(__always)
  init(head index: Int, offset: Int, _ segment: TransportSegment) {
    head = Int32(truncatingIfNeeded: index)
    last = head
    self.offset = offset
    headLength = segment.length
    count = 1
    total = segment.length
    segmentSize = segment.payload
    nextSequence = segment.isTCP ? segment.sequence &+ UInt32(truncatingIfNeeded: segment.payload) : 0
    nextIdentification = segment.identification &+ 1
  }

  @inline(__always)
  func headSegment(_ base: UnsafeMutableRawPointer) -> TransportSegment {
    unsafe TransportSegment(base + offset, length: headLength)
  }

  /// True when cutting would give this segment back as it is, its checksums aside.
  @inline(__always)
  func fits(_ segment: TransportSegment, behind head: TransportSegment) -> Bool {
    segment.sequence == nextSequence && segment.payload <= segmentSize && count < Self.mostSegments
      && total &+ segment.payload <= Self.largestPacket
      && (!segment.isIPv4 || segment.identification == nextIdentification) && segment.hasSameHeader(as: head)
  }

  @inline(__always)
  mutating func hasGoodHead(_ head: TransportSegment) -> Bool {
    if !isHeadGood { isHeadGood = head.hasGoodChecksums }
    return isHeadGood
  }

  /// Appends a segment that fits.
  ///
  /// - Returns: true when nothing can follow it.
  @inline(__always)
  mutating func append(_ index: Int, _ segment: TransportSegment, in burst: inout Burst) -> Bool {
    let piece = Int32(truncatingIfNeeded: index)
    burst[Int(last)].next = piece
    var packet = burst[index]
    packet.offset &+= Int32(truncatingIfNeeded: segment.headerSize)
    packet.length &-= Int32(truncatingIfNeeded: segment.headerSize)
    packet.verdict = .joined
    burst[index] = packet
    last = piece
    count &+= 1
    total &+= segment.payload
    if segment.isTCP { nextSequence &+= UInt32(truncatingIfNeeded: segment.payload) }
    nextIdentification &+= 1
    hasPush = segment.hasPush
    return hasPush || segment.payload < segmentSize
  }

  /// Makes the head the header of the whole, if there is more than the head.
  func close(_ burst: inout Burst) {
    guard count > 1 else { return }
    let segment = unsafe headSegment(burst.base)
    segment.writeLength(total)
    segment.writePush(hasPush)
    segment.writePartialChecksum(total)
    let header = segment.vnetHeader(segmentSize: segmentSize)
    unsafe header.write(into: burst.base + (offset - VnetHeader.size))
    burst[Int(head)].hasVnetHeader = true
  }
}
