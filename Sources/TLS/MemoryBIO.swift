internal import COpenSSL

/// Reading from OpenSSL's growing memory buffers.
enum MemoryBIO {
  static func pending(_ bio: OpaquePointer) -> Int { unsafe Int(BIO_ctrl_pending(bio)) }

  static func readAll(_ bio: OpaquePointer) -> [UInt8] { unsafe read(bio, atMost: pending(bio)) }

  static func read(_ bio: OpaquePointer, atMost limit: Int) -> [UInt8] {
    let count = unsafe min(pending(bio), limit, Int(Int32.max))
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      written = unsafe max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(count))))
    }
  }
}
