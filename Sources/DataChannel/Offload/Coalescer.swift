package import Base

/// Joins the TCP segments and the datagrams of a burst to super-packets, so that the kernel takes many in one walk through its
/// stack.
///
/// Only what its cutting would give back byte for byte is joined, and within a connection nothing overtakes. Nothing
/// outlives a call: no packet waits for another. Nothing allocates.
package struct Coalescer: ~Copyable {
  private static let mostRuns = 16

  /// Read through its span, by methods that are `mutating`: other readers are inlined with a copy of all sixteen, for each packet.
  private var runs: InlineArray<16, SegmentRun> = .init(repeating: SegmentRun())
  private var fingerprints: InlineArray<16, UInt64> = .init(repeating: 0)
  private var open = 0
  private var joinsDatagrams = true

  package init() {}

  /// Chains the `.forward` packets of a burst that belong together.
  ///
  /// The first of each chain becomes the header of the whole, with a `VnetHeader` in front; the others become `.joined`,
  /// narrowed to their payload, and `next` leads from each to the one behind. All others stay untouched. A burst that is
  /// flushed in its order keeps the order of every connection.
  /// - Parameter datagrams: the kernel takes them joined too.
  package mutating func join(_ burst: inout Burst, datagrams: Bool = true) {
    joinsDatagrams = datagrams
    var index = 0
    while index < burst.count {
      let packet = burst[index]
      if packet.verdict == .forward { take(packet, at: index, in: &burst) }
      index &+= 1
    }
    closeAll(&burst)
  }

  @inline(__always)
  private mutating func take(_ packet: Burst.Packet, at index: Int, in burst: inout Burst) {
    precondition(
      packet.offset >= 0 && packet.length >= 0 && Int(packet.offset) + Int(packet.length) <= burst.arena.capacity)
    let offset = Int(packet.offset)
    let length = Int(packet.length)
    switch unsafe TransportSegment.kind(burst.base + offset, length: length) {
    case .other: return
    case .unclear: return closeAll(&burst)
    case .segment: break
    }
    guard !packet.hasVnetHeader, offset >= VnetHeader.size else { return closeAll(&burst) }
    let segment = unsafe TransportSegment(burst.base + offset, length: length)
    guard joinsDatagrams || segment.isTCP else { return }
    let fingerprint = segment.fingerprint
    let slot = unsafe find(segment, fingerprint, burst.base)
    let isPlainData = segment.isPlainData
    if slot < open {
      let head = unsafe runs.span[slot].headSegment(burst.base)
      if isPlainData, runs[slot].fits(segment, behind: head), runs[slot].hasGoodHead(head) {
        guard segment.hasGoodChecksums else { return close(slot, &burst) }
        if runs[slot].append(index, segment, in: &burst) { close(slot, &burst) }
        return
      }
      close(slot, &burst)
    }
    // Behind a segment with PSH nothing can follow.
    guard isPlainData, !segment.hasPush else { return }
    if open == Self.mostRuns { close(oldest(), &burst) }
    runs[open] = SegmentRun(head: index, offset: offset, segment)
    fingerprints[open] = fingerprint
    open &+= 1
  }

  /// - Returns: the place of the connection's run, or `open`.
  @inline(__always)
  private mutating func find(_ segment: TransportSegment, _ fingerprint: UInt64, _ base: UnsafeMutableRawPointer) -> Int
  {
    let runs = runs.span
    var slot = 0
    while slot < open {
      if fingerprints[slot] == fingerprint, unsafe segment.isSameConnection(as: runs[slot].headSegment(base)) { break }
      slot &+= 1
    }
    return slot
  }

  private mutating func oldest() -> Int {
    let runs = runs.span
    var best = 0
    for slot in 1..<open where runs[slot].head < runs[best].head { best = slot }
    return best
  }

  private mutating func close(_ slot: Int, _ burst: inout Burst) {
    runs[slot].close(&burst)
    open &-= 1
    runs.swapAt(slot, open)
    fingerprints[slot] = fingerprints[open]
  }

  private mutating func closeAll(_ burst: inout Burst) {
    var slot = 0
    while slot < open {
      runs[slot].close(&burst)
      slot &+= 1
    }
    open = 0
  }
}
