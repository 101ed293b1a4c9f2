package import Base

/// Bytes of a stream on their way to becoming packets: they are read behind each other, listed in place as a burst, and
/// what is not yet a whole record moves to the front for the next read.
@safe package struct StreamBuffer: ~Copyable {
  /// Lists packets within the same bytes; offsets count from the arena's start.
  package var burst: Burst
  /// The first byte not yet taken.
  private var start = Burst.headroom
  /// Behind the last byte read.
  private var limit = Burst.headroom

  /// - Parameter capacity: more than twice the largest record, or a partial one could fill it for ever.
  package init(capacity: Int = 128 * 1024, maximumCount: Int = 256) {
    precondition(capacity > Burst.headroom)
    burst = Burst(capacity: capacity, maximumCount: maximumCount)
  }

  /// Bytes that `TCPSocket.fill` may read now.
  package var room: Int { burst.arena.capacity - limit }
  var end: UnsafeMutableRawPointer { unsafe burst.base + limit }
  mutating func grew(by bytes: Int) { limit += bytes }

  /// What was read and not yet taken.
  package var unread: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: burst.base + start, count: limit - start)
  }

  /// Lists one packet that lies `offset` bytes behind the start of `unread`, and takes all up to its end.
  /// - Returns: false when the list is full: use the burst first.
  package mutating func take(at offset: Int, length: Int) -> Bool {
    precondition(offset >= 0 && length >= 0 && start + offset + length <= limit)
    let place = start + offset
    let packet = Burst.Packet(offset: Int32(place), length: Int32(length))
    // All that was read counts as used, the unread rest too, or a packet that unpacks would be laid over it.
    guard burst.append(room: limit - burst.used, packet: packet) else { return false }
    start = place + length
    return true
  }

  /// Call once everything is listed and before the burst is worked on: what is unread then counts as in use, so that room
  /// claimed for unpacking lies behind it.
  package mutating func coverUnread() { _ = burst.claim(room: limit - burst.used) }

  /// Forgets everything, for another connection.
  package mutating func clear() {
    start = Burst.headroom
    limit = Burst.headroom
    burst.reset()
  }

  /// Forgets the listed packets and moves the unread rest to the front.
  package mutating func compact() {
    let rest = limit - start
    if rest > 0, start > Burst.headroom {
      unsafe (burst.base + Burst.headroom).copyMemory(from: burst.base + start, byteCount: rest)
    }
    start = Burst.headroom
    limit = Burst.headroom + rest
    burst.reset()
  }
}
