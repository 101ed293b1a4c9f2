package import Base
internal import COpenSSL

/// One direction of AES-CBC with PKCS#7 padding, keyed once.
///
/// Authenticating is the caller's part. Allocates only in `init`.
@safe package struct BlockCipherContext: ~Copyable {
  /// Of the IV, too.
  package static let blockSize = 16

  private let context: OpaquePointer

  /// - Returns: `nil` when the key has not the cipher's length, or OpenSSL refuses.
  package init?(cipher: DataCipher, key: SecretBytes, direction: CipherDirection) {
    guard !cipher.isAEAD, let context = unsafe key.withBytes({ unsafe makeContext(cipher, $0, direction) }) else {
      return nil
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// What `count` bytes become: padding always adds 1 to 16.
  package static func sealedCount(_ count: Int) -> Int { (count / blockSize + 1) * blockSize }

  /// Encrypts `count` bytes into `sealedCount(count)`, in place or elsewhere.
  ///
  /// - Returns: false when OpenSSL fails.
  package mutating func seal(
    iv: UnsafeRawPointer, from plain: UnsafeRawPointer, count: Int, into sealed: UnsafeMutableRawPointer
  ) -> Bool {
    let out = unsafe sealed.assumingMemoryBound(to: UInt8.self)
    var body: Int32 = 0
    var tail: Int32 = 0
    let done =
      unsafe EVP_EncryptInit_ex(context, nil, nil, nil, iv.assumingMemoryBound(to: UInt8.self)) == 1
      && EVP_EncryptUpdate(context, out, &body, plain.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
      && EVP_EncryptFinal_ex(context, out + Int(body), &tail) == 1
    if !done { forgetOpenSSLErrors() }
    return done && Int(body) + Int(tail) == Self.sealedCount(count)
  }

  /// Decrypts whole blocks, in place or elsewhere.
  ///
  /// - Returns: bytes of plain text, or -1 for broken padding or a broken length.
  package mutating func open(
    iv: UnsafeRawPointer, from sealed: UnsafeRawPointer, count: Int, into plain: UnsafeMutableRawPointer
  ) -> Int {
    guard count > 0, count % Self.blockSize == 0 else { return -1 }
    let out = unsafe plain.assumingMemoryBound(to: UInt8.self)
    var body: Int32 = 0
    var tail: Int32 = 0
    let done =
      unsafe EVP_DecryptInit_ex(context, nil, nil, nil, iv.assumingMemoryBound(to: UInt8.self)) == 1
      && EVP_DecryptUpdate(context, out, &body, sealed.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
      && EVP_DecryptFinal_ex(context, out + Int(body), &tail) == 1
    guard done else {
      forgetOpenSSLErrors()
      return -1
    }
    return Int(body) + Int(tail)
  }
}

extension DataCipher {
  /// OpenSSL's name for it; static, never to be freed.
  fileprivate var blockAlgorithm: OpaquePointer? {
    switch self {
    case .aes128CBC: unsafe EVP_aes_128_cbc()
    case .aes192CBC: unsafe EVP_aes_192_cbc()
    case .aes256CBC: unsafe EVP_aes_256_cbc()
    case .aes128GCM, .aes192GCM, .aes256GCM, .chacha20Poly1305: nil
    }
  }
}

/// A context with its key set and no IV yet.
private func makeContext(
  _ cipher: DataCipher, _ key: UnsafeRawBufferPointer, _ direction: CipherDirection
) -> OpaquePointer? {
  guard key.count == cipher.keyLength, let base = key.baseAddress, let context = unsafe EVP_CIPHER_CTX_new() else {
    return nil
  }
  let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
  let keyed = unsafe EVP_CipherInit_ex(
    context, cipher.blockAlgorithm, nil, bytes, nil, direction == .seal ? 1 : 0)
  guard keyed == 1 else {
    unsafe EVP_CIPHER_CTX_free(context)
    forgetOpenSSLErrors()
    return nil
  }
  return unsafe context
}
