/// The bytes of compression framing (protocol.md section 9).
enum CompressionCode {
  static let lzo: UInt8 = 0x66
  /// LZ4, first byte of the block moved to its end.
  static let lz4Swapped: UInt8 = 0x69
  static let uncompressed: UInt8 = 0xfa
  /// Uncompressed, first byte moved to the end.
  static let uncompressedSwapped: UInt8 = 0xfb
  /// Version 2: an algorithm follows. No IP packet begins with it.
  static let escape: UInt8 = 0x50
  static let algorithmNone: UInt8 = 0
  static let algorithmLZ4: UInt8 = 1
  /// What OpenVPN 2.x writes by mistake where `algorithmNone` is meant.
  static let algorithmNoneMistaken: UInt8 = 0x0a
}
