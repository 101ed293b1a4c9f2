/// What a read of a burst found.
package enum Filled: Hashable, Sendable {
  /// Packets (bytes on a stream) that came.
  case some(Int)
  case nothing
  /// The stream's other side has ended.
  case ended
  /// The descriptor is of no use any more; an errno.
  case broken(Int32)
}

/// How far the write of a burst came.
package enum Flushed: Hashable, Sendable {
  case done
  /// The kernel takes no more now; go on from the cursor when writable.
  case full
  /// The descriptor is of no use any more; an errno.
  case broken(Int32)
}

/// Where a flush goes on: a packet of the burst, and how many of its bytes are gone already (streams only).
package struct FlushCursor: Hashable, Sendable {
  package var index = 0
  package var skip = 0

  package init() {}

  package var isInsidePacket: Bool { skip > 0 }
}
