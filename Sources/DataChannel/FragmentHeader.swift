/// What stands in front of every payload of a session with `fragment`, inside the encryption and outside the compression
/// framing: 32 bits, most significant byte first (protocol.md section 10.1).
package struct FragmentHeader: Hashable {
  package enum Kind: UInt32 {
    /// The payload is a packet.
    case whole = 0
    /// One of several pieces, and not the last.
    case part
    case last
  }

  package static let size = 4
  /// Five bits count them.
  static let mostPieces = 32
  /// All pieces but the last are this long, or a multiple of it: its last two bits do not travel.
  static let grain = 4

  package var kind: Kind
  /// Common to all pieces of one packet.
  package var sequence: UInt8 = 0
  package var index = 0
  /// Bytes of every piece but the last; said by the last alone, the others show it.
  package var pieceSize = 0

  package static let whole = FragmentHeader(kind: .whole)

  package init(kind: Kind, sequence: UInt8 = 0, index: Int = 0, pieceSize: Int = 0) {
    self.kind = kind
    self.sequence = sequence
    self.index = index
    self.pieceSize = pieceSize
  }

  /// - Returns: `nil` for what no sender writes: a kind that never came into use, or bits without a meaning.
  package init?(_ value: UInt32) {
    guard let kind = Kind(rawValue: value & 3) else { return nil }
    self.init(
      kind: kind, sequence: UInt8(truncatingIfNeeded: value >> 2), index: Int(value >> 10 & 31),
      pieceSize: Int(value >> 15 & 0x3fff) * Self.grain)
    guard self.value == value else { return nil }
  }

  package var value: UInt32 {
    switch kind {
    case .whole: 0
    case .part: kind.rawValue | UInt32(sequence) << 2 | UInt32(index) << 10
    case .last: kind.rawValue | UInt32(sequence) << 2 | UInt32(index) << 10 | UInt32(pieceSize / Self.grain) << 15
    }
  }

  package static func read(_ bytes: UnsafeRawPointer) -> FragmentHeader? {
    unsafe FragmentHeader(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
  }

  package func write(into out: UnsafeMutableRawPointer) {
    unsafe out.storeBytes(of: value.bigEndian, as: UInt32.self)
  }
}
