/// Running totals of one lane.
package struct LaneCounters: Sendable {
  /// Inner packets that went through, and their bytes.
  package var packets: UInt64 = 0
  package var bytes: UInt64 = 0
  /// Packets on the transport's side that sealed or opened, and their bytes, pings and their like included; a stream's
  /// lengths are not.
  package var sealedPackets: UInt64 = 0
  package var sealedBytes: UInt64 = 0

  // An InlineArray because the lane counts while others keep copies: an Array would then be copied on every count.
  private var drops: InlineArray<18, UInt64> = .init(repeating: 0)

  package init() {}

  package subscript(drop: DataDrop) -> UInt64 { drops[drop.index] }

  package mutating func count(_ drop: DataDrop) { drops[drop.index] &+= 1 }

  package var dropped: UInt64 { DataDrop.allCases.reduce(0) { $0 &+ self[$1] } }
}
