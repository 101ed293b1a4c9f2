internal import Base
internal import CLZ4

/// Takes the compression framing off an opened payload, in place where nothing was really compressed.
struct FramingReader {
  enum Packing { case lzo, lz4 }

  /// What framing says about a payload.
  enum Reading {
    /// The plain payload lies so many bytes further, this long.
    case plain(offset: Int, count: Int)
    /// The packed payload lies so many bytes further, this long.
    case packed(Packing, offset: Int, count: Int)
    case broken
  }

  let framing: CompressionFraming
  /// False: what is packed counts as broken.
  let unpacks: Bool

  /// Reads the framing and undoes a swapped first byte.
  func read(_ payload: UnsafeMutableRawPointer, count: Int) -> Reading {
    if case .none = framing { return .plain(offset: 0, count: count) }
    guard count > 0 else { return .broken }
    let code = unsafe payload.load(as: UInt8.self)
    if framing == .stubV2 || framing == .lz4V2 {
      return unsafe readVersion2(payload, count: count, code: code)
    }
    // An agreed framing with at least one byte of payload behind its code.
    guard count > 1 else { return .broken }
    switch code {
    case CompressionCode.uncompressed: return .plain(offset: 1, count: count - 1)
    case CompressionCode.uncompressedSwapped:
      unsafe unswap(payload, count: count)
      return .plain(offset: 0, count: count - 1)
    // `comp-lzo no` promises plain packets, which old servers do not keep (protocol.md section 9).
    case CompressionCode.lzo where unpacks && (framing == .lzo || framing == .lzoStub):
      return .packed(.lzo, offset: 1, count: count - 1)
    case CompressionCode.lz4Swapped where unpacks && framing == .lz4:
      unsafe unswap(payload, count: count)
      return .packed(.lz4, offset: 0, count: count - 1)
    default: return .broken
    }
  }

  /// Unpacks into memory of its own.
  ///
  /// - Returns: bytes written, or less than 0 for a broken stream or one that unpacks to more than `capacity`.
  static func unpack(
    _ packing: Packing, _ packed: UnsafeRawPointer, count: Int, into out: UnsafeMutableRawPointer, capacity: Int
  ) -> Int {
    switch packing {
    case .lzo: unsafe LZO1X.decode(packed, count: count, into: out, capacity: capacity)
    case .lz4:
      unsafe Int(
        LZ4_decompress_safe(
          packed.assumingMemoryBound(to: CChar.self), out.assumingMemoryBound(to: CChar.self), Int32(count),
          Int32(capacity)))
    }
  }

  private func readVersion2(_ payload: UnsafeMutableRawPointer, count: Int, code: UInt8) -> Reading {
    guard code == CompressionCode.escape else { return .plain(offset: 0, count: count) }
    guard count > 2 else { return .broken }
    switch unsafe payload.load(fromByteOffset: 1, as: UInt8.self) {
    case CompressionCode.algorithmNone, CompressionCode.algorithmNoneMistaken:
      return .plain(offset: 2, count: count - 2)
    case CompressionCode.algorithmLZ4 where unpacks && framing == .lz4V2:
      return .packed(.lz4, offset: 2, count: count - 2)
    default: return .broken
    }
  }

  /// The last byte goes back to the front, where the code stood.
  private func unswap(_ payload: UnsafeMutableRawPointer, count: Int) {
    unsafe payload.storeBytes(of: payload.load(fromByteOffset: count - 1, as: UInt8.self), as: UInt8.self)
  }
}
