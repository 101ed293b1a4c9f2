internal import Base

/// Puts the compression framing around an outgoing payload, which is never compressed (VORACLE).
struct FramingWriter {
  let framing: CompressionFraming
  /// Bytes that framing adds at most.
  static let most = 2

  /// Bytes that framing adds to a payload beginning with `first`.
  func added(first: UInt8) -> Int {
    switch framing {
    case .none: 0
    case .lzo, .lzoStub, .stub, .lz4: 1
    case .stubV2, .lz4V2: first == CompressionCode.escape ? 2 : 0
    }
  }

  /// Writes the framed payload elsewhere; `count` is at least 1.
  ///
  /// - Returns: bytes written.
  func write(_ payload: UnsafeRawPointer, count: Int, into out: UnsafeMutableRawPointer) -> Int {
    let first = unsafe payload.load(as: UInt8.self)
    switch framing {
    case .none:
      unsafe out.copyMemory(from: payload, byteCount: count)
      return count
    case .lzo, .lzoStub:
      unsafe out.storeBytes(of: CompressionCode.uncompressed, as: UInt8.self)
      unsafe (out + 1).copyMemory(from: payload, byteCount: count)
      return count + 1
    case .stub, .lz4:
      unsafe out.copyMemory(from: payload, byteCount: count)
      unsafe out.storeBytes(of: CompressionCode.uncompressedSwapped, as: UInt8.self)
      unsafe out.storeBytes(of: first, toByteOffset: count, as: UInt8.self)
      return count + 1
    case .stubV2, .lz4V2:
      let added = added(first: first)
      if added > 0 {
        unsafe out.storeBytes(of: CompressionCode.escape, as: UInt8.self)
        unsafe out.storeBytes(of: CompressionCode.algorithmNone, toByteOffset: 1, as: UInt8.self)
      }
      unsafe (out + added).copyMemory(from: payload, byteCount: count)
      return count + added
    }
  }
}
