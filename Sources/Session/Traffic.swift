internal import Base

/// What passed both lanes.
struct LaneTotal: Hashable {
  var packets: UInt64 = 0
  var bytes: UInt64 = 0

  static func - (left: LaneTotal, right: LaneTotal) -> LaneTotal {
    LaneTotal(packets: left.packets &- right.packets, bytes: left.bytes &- right.bytes)
  }
}

/// Marks in the lanes' totals: since the newest key, and since the tunnel was last in use.
struct Traffic {
  private var keyMark = LaneTotal()
  private var useMark = LaneTotal()
  private(set) var lastUse: Instant?

  mutating func begin(total: LaneTotal) { keyMark = total }

  func sinceKey(_ total: LaneTotal) -> LaneTotal { total - keyMark }

  /// `inactive n bytes`: fewer than `bytes` in that time is idleness.
  mutating func observe(_ total: LaneTotal, least bytes: UInt64, at now: Instant) {
    let passed = total - useMark
    if lastUse == nil || (passed.bytes > 0 && passed.bytes >= bytes) {
      useMark = total
      lastUse = now
    }
  }
}
