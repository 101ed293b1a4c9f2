package import Base
internal import COpenSSL

/// HMAC (RFC 2104) under one key, reusable for any number of messages.
///
/// Written over EVP's digests because OpenSSL 3.0 copies contexts (that is, allocates) for every message of its own
/// HMAC, and the data lane may not.
@safe package struct MessageAuthenticator: ~Copyable {
  private static let largestBlock = 128

  package let digest: Digest
  private let context: OpaquePointer
  /// The key padded to a block and masked: inner at 0, outer at `largestBlock`, then room for the inner digest.
  private let pads: UnsafeMutableRawPointer
  private static let padsCount = 3 * largestBlock

  package init(_ digest: Digest, key: some Collection<UInt8>) {
    self.digest = digest
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, digest.algorithm, nil) == 1 else {
      preconditionFailure("OpenSSL lacks a digest")
    }
    unsafe self.context = context
    unsafe pads = .allocate(byteCount: Self.padsCount, alignment: 16)
    var block = key.count > digest.blockSize ? digestOf(digest, Array(key)) : Array(key)
    block += Array(repeating: 0, count: digest.blockSize - block.count)
    for (index, byte) in block.enumerated() {
      unsafe pads.storeBytes(of: byte ^ 0x36, toByteOffset: index, as: UInt8.self)
      unsafe pads.storeBytes(of: byte ^ 0x5c, toByteOffset: index + Self.largestBlock, as: UInt8.self)
    }
    block.wipe()
  }

  package init(_ digest: Digest, key: SecretBytes) {
    var exposed = key.exposed
    self.init(digest, key: exposed)
    exposed.wipe()
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
    unsafe OPENSSL_cleanse(pads, Self.padsCount)
    unsafe pads.deallocate()
  }

  /// Bytes of a tag.
  package var size: Int { digest.size }

  /// The tag of the parts as if they were one message.
  package func tag(of parts: [[UInt8]]) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: size)
    begin()
    for part in parts { unsafe update(part, count: part.count) }
    unsafe finish(into: &tag)
    return tag
  }

  /// The tag of one stretch of memory, `size` bytes at `tag`.
  ///
  /// Allocates nothing.
  package func authenticate(_ bytes: UnsafeRawPointer, count: Int, into tag: UnsafeMutableRawPointer) {
    begin()
    unsafe update(bytes, count: count)
    unsafe finish(into: tag)
  }

  private func begin() {
    restart()
    unsafe update(pads, count: digest.blockSize)
  }

  private func finish(into tag: UnsafeMutableRawPointer) {
    let inner = unsafe (pads + 2 * Self.largestBlock).assumingMemoryBound(to: UInt8.self)
    unsafe EVP_DigestFinal_ex(context, inner, nil)
    restart()
    unsafe update(pads + Self.largestBlock, count: digest.blockSize)
    unsafe update(inner, count: size)
    unsafe EVP_DigestFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self), nil)
  }

  private func restart() { unsafe EVP_DigestInit_ex(context, nil, nil) }

  private func update(_ bytes: UnsafeRawPointer, count: Int) { unsafe EVP_DigestUpdate(context, bytes, count) }
}
