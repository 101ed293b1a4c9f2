/// Packets that travel together: an arena, and a list that says where in it each packet lies.
///
/// The data path is one shape: IO fills and flushes a burst, the data channel seals and opens inside it, the engine
/// pumps. A plain datagram is a burst of one. Nothing here allocates after `init`.
@safe package struct Burst: ~Copyable {
  package enum Verdict: UInt8, Sendable {
    /// Not looked at yet.
    case fresh
    /// A control packet: the session's, left untouched.
    case control
    /// Ready for the other side; offset and length tell the result.
    case forward
    /// Ours, used up (a ping, an exit message).
    case consumed
    /// Counted and forgotten.
    case dropped
    /// A piece of the super-packet of another, which leads to it by `next`.
    case joined

    // The derived one is generic code when it is called from another room; every packet asks.
    package static func == (left: Verdict, right: Verdict) -> Bool { left.rawValue == right.rawValue }
  }

  /// Where one packet lies.
  package struct Packet: Sendable {
    package var offset: Int32
    package var length: Int32
    /// The packet whose bytes follow in the same super-packet, or -1.
    package var next: Int32 = -1
    package var verdict: Verdict
    /// A `VnetHeader` stands in the bytes right in front. False says that nothing is left undone.
    package var hasVnetHeader: Bool

    package init(offset: Int32, length: Int32, verdict: Verdict = .fresh, hasVnetHeader: Bool = false) {
      self.offset = offset
      self.length = length
      self.verdict = verdict
      self.hasVnetHeader = hasVnetHeader
    }
  }

  package let arena: Arena
  private let packets: UnsafeMutablePointer<Packet>
  package let maximumCount: Int
  package private(set) var count = 0
  /// Bytes of the arena in use, from its start.
  package private(set) var used = 0

  /// Room kept free in front of every packet that IO reads, for a vnet header (12 bytes) or a frame length.
  package static let headroom = 64

  package init(capacity: Int, maximumCount: Int) {
    precondition(maximumCount > 0 && capacity < Int(Int32.max))
    arena = Arena(capacity: capacity)
    unsafe packets = .allocate(capacity: maximumCount)
    unsafe packets.initialize(repeating: Packet(offset: 0, length: 0), count: maximumCount)
    self.maximumCount = maximumCount
  }

  deinit { unsafe packets.deallocate() }

  package var isEmpty: Bool { count == 0 }
  package var isFull: Bool { count == maximumCount }
  /// Bytes not yet in use.
  package var free: Int { arena.capacity - used }

  package var base: UnsafeMutableRawPointer { unsafe arena.base }

  /// Forgets all packets; the bytes stay until overwritten.
  package mutating func reset() {
    count = 0
    used = 0
  }

  package subscript(index: Int) -> Packet {
    get {
      precondition(index >= 0 && index < count)
      return unsafe packets[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe packets[index] = newValue
    }
  }

  /// Claims `room` bytes behind what is in use and lists a packet there.
  ///
  /// - Returns: false, changing nothing, when list or arena has no room.
  package mutating func append(room: Int, packet: Packet) -> Bool {
    guard count < maximumCount, room >= 0, room <= free else { return false }
    unsafe packets[count] = packet
    count += 1
    used += room
    return true
  }

  /// Claims `room` bytes behind what is in use without listing a packet, for a result that does not fit where its
  /// packet lies.
  ///
  /// - Returns: their offset, or `nil`, changing nothing, when the arena has no room.
  package mutating func claim(room: Int) -> Int? {
    guard room >= 0, room <= free else { return nil }
    defer { used += room }
    return used
  }

  /// Copies bytes behind what is in use, with headroom, as a fresh packet. For the control lane and for tests.
  package mutating func append(copying bytes: some Collection<UInt8>) -> Bool {
    let offset = used + Burst.headroom
    guard append(room: Burst.headroom + bytes.count, packet: Packet(offset: Int32(offset), length: Int32(bytes.count)))
    else { return false }
    unsafe UnsafeMutableRawBufferPointer(start: base + offset, count: bytes.count).copyBytes(from: bytes)
    return true
  }

  /// Enough to tell control from data; `nil` for an empty packet.
  package func firstByte(_ index: Int) -> UInt8? {
    let packet = self[index]
    return packet.length > 0 ? unsafe base.load(fromByteOffset: Int(packet.offset), as: UInt8.self) : nil
  }

  /// One packet's bytes where they lie, for a look without a copy.
  @_lifetime(borrow self)
  package func bytes(_ index: Int) -> Span<UInt8> {
    let packet = self[index]
    precondition(
      packet.offset >= 0 && packet.length >= 0 && Int(packet.offset) + Int(packet.length) <= arena.capacity)
    let start = unsafe UnsafePointer((base + Int(packet.offset)).assumingMemoryBound(to: UInt8.self))
    return unsafe _overrideLifetime(Span(_unsafeStart: start, count: Int(packet.length)), borrowing: self)
  }

  /// A copy of one packet's bytes. Allocates: for the control lane and for tests.
  package func copy(_ index: Int) -> [UInt8] {
    let packet = self[index]
    return unsafe Array(UnsafeRawBufferPointer(start: base + Int(packet.offset), count: Int(packet.length)))
  }
}
