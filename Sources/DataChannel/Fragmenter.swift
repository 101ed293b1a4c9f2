internal import Crypto

/// Says how a payload is cut into pieces, and holds it meanwhile: its framing is put around the whole, not around pieces.
@safe package struct Fragmenter: ~Copyable {
  /// The pieces of one payload, of equal length but for the last.
  package struct Cut: Hashable {
    package var pieces: Int
    /// Bytes of every piece but the last.
    package var size: Int
    package var count: Int

    package init(pieces: Int, size: Int, count: Int) {
      self.pieces = pieces
      self.size = size
      self.count = count
    }

    package func length(of index: Int) -> Int { index == pieces - 1 ? count - index * size : size }
  }

  private static let capacity = 65_535 + FramingWriter.most

  /// The framed payload.
  let payload: UnsafeMutableRawPointer
  /// Of the next payload in pieces. Begins anywhere, so that a new session's pieces do not look like an old one's.
  private var sequence: UInt8

  init(random: RandomSource) {
    unsafe payload = .allocate(byteCount: Self.capacity, alignment: 16)
    sequence = UInt8(truncatingIfNeeded: random.uint64())
  }

  deinit { unsafe payload.deallocate() }

  /// - Parameters:
  ///   - count: of the framed payload.
  ///   - largest: bytes of a payload that one packet carries behind the fragment header.
  /// - Returns: `nil` when it cannot travel.
  package static func cut(_ count: Int, largest: Int) -> Cut? {
    guard count > 0, count <= capacity else { return nil }
    if count <= largest { return Cut(pieces: 1, size: count, count: count) }
    let grain = FragmentHeader.grain
    let most = largest / grain * grain
    guard most > 0 else { return nil }
    let pieces = (count + most - 1) / most
    guard pieces <= FragmentHeader.mostPieces else { return nil }
    // All about as long, so that no path meets a longer packet than it must.
    let even = (count + pieces - 1) / pieces
    return Cut(pieces: pieces, size: (even + grain - 1) / grain * grain, count: count)
  }

  mutating func takeSequence() -> UInt8 {
    defer { sequence &+= 1 }
    return sequence
  }

  package static func header(_ cut: Cut, index: Int, sequence: UInt8) -> FragmentHeader {
    if cut.pieces == 1 { return .whole }
    let isLast = index == cut.pieces - 1
    return FragmentHeader(
      kind: isLast ? .last : .part, sequence: sequence, index: index, pieceSize: isLast ? cut.size : 0)
  }
}
