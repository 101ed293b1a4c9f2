package import Base

/// Puts the pieces of `fragment` together, in whatever order they come.
///
/// Its memory is fixed, and whatever a peer sends ends in an outcome: pieces that never become a packet make room after
/// 25 newer ones, or after a while.
@safe package struct Reassembler: ~Copyable {
  package enum Outcome {
    /// Nothing was cut: the payload lies right behind the header.
    case whole
    /// Kept until the others come.
    case kept
    /// The last that was missing: the packet lies at `base` + `offset` until the next call.
    case complete(offset: Int, count: Int)
    case drop(DataDrop)
  }

  private struct Slot {
    /// Bytes of all pieces but the last; 0 = nothing is kept here.
    var size = 0
    /// One bit for each piece that is here.
    var pieces: UInt32 = 0
    /// Index of the last piece, once it is here.
    var last: Int?
    var count = 0
    var isOld = false

    var isComplete: Bool { last.map { pieces == UInt32.max >> UInt32(31 - $0) } ?? false }

    /// False for a piece that cannot be of the packet whose pieces are here.
    func admits(_ header: FragmentHeader, size: Int) -> Bool {
      guard self.size == size else { return false }
      if header.kind == .last { return last.map { $0 == header.index } ?? (pieces >> UInt32(header.index) == 0) }
      return header.index < last ?? .max
    }
  }

  /// Packets in pieces at a time, the newest and those just before it.
  private static let window = 25
  /// More than the window, and a part of the sequence's 256: no two in the window share a slot.
  private static let slotCount = 32
  /// A packet whose pieces do not come within this, or twice this, is given up.
  static let lifetime: Duration = .seconds(10)

  package let base: UnsafeMutableRawPointer
  /// Bytes of the longest packet.
  private let capacity: Int
  private var slots: InlineArray<32, Slot> = .init(repeating: Slot())
  private var newest: UInt8?
  private var agedAt: Instant?

  package init(capacity: Int) {
    self.capacity = capacity
    unsafe base = .allocate(byteCount: Self.slotCount * capacity, alignment: 16)
  }

  deinit { unsafe base.deallocate() }

  /// - Parameters:
  ///   - payload: `count` bytes, the fragment header first.
  ///   - counters: count packets that are given up on the way.
  package mutating func take(_ payload: UnsafeRawPointer, count: Int, counters: inout LaneCounters) -> Outcome {
    let length = count - FragmentHeader.size
    guard length > 0, let header = unsafe FragmentHeader.read(payload) else { return .drop(.badFragment) }
    if header.kind == .whole { return .whole }
    let size = header.kind == .part ? length : header.pieceSize
    guard size > 0, size % FragmentHeader.grain == 0, length <= size, header.index * size + length <= capacity,
      header.kind == .last || header.index < FragmentHeader.mostPieces - 1
    else { return .drop(.badFragment) }

    move(to: header.sequence, counters: &counters)
    let place = Int(header.sequence) % Self.slotCount
    if slots[place].size > 0, !slots[place].admits(header, size: size) { giveUp(place, counters: &counters) }
    slots[place].size = size
    slots[place].pieces |= 1 << UInt32(header.index)
    if header.kind == .last {
      slots[place].last = header.index
      slots[place].count = header.index * size + length
    }
    let start = place * capacity
    unsafe (base + start + header.index * size).copyMemory(from: payload + FragmentHeader.size, byteCount: length)
    guard slots[place].isComplete else { return .kept }
    defer { slots[place] = Slot() }
    return .complete(offset: start, count: slots[place].count)
  }

  /// Gives up what has waited long enough. Counts whole lifetimes between calls, so that a caller who comes by rarely
  /// takes nothing away that has just begun.
  package mutating func age(at now: Instant, counters: inout LaneCounters) {
    guard let before = agedAt else {
      agedAt = now
      return
    }
    guard now - before >= Self.lifetime else { return }
    agedAt = now
    for place in 0..<Self.slotCount where slots[place].size > 0 {
      if slots[place].isOld { giveUp(place, counters: &counters) } else { slots[place].isOld = true }
    }
  }

  /// Makes room for a packet newer than all others. A sequence far from the newest begins anew.
  private mutating func move(to sequence: UInt8, counters: inout LaneCounters) {
    guard let newest else { return self.newest = sequence }
    if newest &- sequence < UInt8(Self.window) { return }
    let ahead = Int(sequence &- newest)
    self.newest = sequence
    if ahead >= Self.window {
      for place in 0..<Self.slotCount { giveUp(place, counters: &counters) }
    } else {
      for step in 1...ahead {
        giveUp(Int(newest &+ UInt8(step) &- UInt8(Self.window)) % Self.slotCount, counters: &counters)
      }
    }
  }

  private mutating func giveUp(_ place: Int, counters: inout LaneCounters) {
    guard slots[place].size > 0 else { return }
    counters.count(.fragmentLost)
    slots[place] = Slot()
  }
}
