internal import Base
internal import Crypto

/// The 12 bytes of an AEAD nonce: the packet's id, then 8 bytes of the direction's hmac quarter (section 8.2).
@safe struct NonceBuffer: ~Copyable {
  let bytes: UnsafeMutableRawPointer

  init(tail: SecretBytes) {
    precondition(tail.count == AEADContext.nonceSize - PacketID.size)
    unsafe bytes = .allocate(byteCount: AEADContext.nonceSize, alignment: 8)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: AEADContext.nonceSize)
    unsafe tail.withBytes { tail in
      unsafe UnsafeMutableRawBufferPointer(start: bytes + PacketID.size, count: tail.count).copyMemory(from: tail)
    }
  }

  deinit {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: AEADContext.nonceSize)
    unsafe bytes.deallocate()
  }

  /// - Parameter id: as it stands in the packet.
  func set(id: UnsafeRawPointer) { unsafe bytes.copyMemory(from: id, byteCount: PacketID.size) }
}
