internal import Base

/// A packet whose checksum field holds the sum of the pseudo header, and nothing of what the sum covers.
enum PartialChecksum {
  private static let size = 2

  /// Completes the checksum in place.
  ///
  /// - Returns: false, having written nothing, when the header points behind the packet of `count` bytes.
  static func complete(_ packet: UnsafeMutableRawPointer, count: Int, header: VnetHeader) -> Bool {
    let start = Int(header.checksumStart)
    let field = start + Int(header.checksumOffset)
    guard field + size <= count else { return false }
    let sum = unsafe Checksum.sum(packet + start, count: count - start)
    unsafe packet.storeBytes(of: self.field(sum), toByteOffset: field, as: UInt16.self)
    return true
  }

  /// What goes into the field. Zero would say that a UDP packet has no checksum; all ones says the same number, and the
  /// kernel writes it for whatever protocol.
  @inline(__always)
  static func field(_ sum: UInt64) -> UInt16 {
    let checksum = ~Checksum.fold(sum)
    return checksum == 0 ? UInt16.max : checksum
  }
}
