package import Base
internal import COpenSSL

/// Which way a cipher context works.
package enum CipherDirection: Sendable { case seal, open }

extension DataCipher {
  /// OpenSSL's name for it; static, never to be freed.
  var algorithm: OpaquePointer? {
    switch self {
    case .aes128GCM: unsafe EVP_aes_128_gcm()
    case .aes192GCM: unsafe EVP_aes_192_gcm()
    case .aes256GCM: unsafe EVP_aes_256_gcm()
    case .chacha20Poly1305: unsafe EVP_chacha20_poly1305()
    case .aes128CBC: unsafe EVP_aes_128_cbc()
    case .aes192CBC: unsafe EVP_aes_192_cbc()
    case .aes256CBC: unsafe EVP_aes_256_cbc()
    }
  }
}

/// One direction of an AEAD cipher, keyed once; only the nonce changes from packet to packet.
///
/// Allocates only in `init`.
@safe package struct AEADContext: ~Copyable {
  package static let nonceSize = 12
  package static let tagSize = 16

  private let context: OpaquePointer

  /// - Returns: `nil` when the key has not the cipher's length, or OpenSSL refuses.
  package init?(cipher: DataCipher, key: SecretBytes, direction: CipherDirection) {
    guard cipher.isAEAD, let context = unsafe key.withBytes({ unsafe makeContext(cipher, $0, direction) }) else {
      return nil
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Takes another key of the same cipher and direction.
  ///
  /// - Returns: false when the key has not the cipher's length, or OpenSSL refuses; then nothing can be done with it.
  package mutating func rekey(_ key: SecretBytes) -> Bool {
    let isDone = unsafe key.withBytes { key in
      guard unsafe key.count == Int(EVP_CIPHER_CTX_get_key_length(context)), let base = key.baseAddress else {
        return false
      }
      return unsafe EVP_CipherInit_ex(context, nil, nil, base.assumingMemoryBound(to: UInt8.self), nil, -1) == 1
    }
    if !isDone { forgetOpenSSLErrors() }
    return isDone
  }

  /// Encrypts `count` bytes into as many, and writes the tag.
  ///
  /// In place is allowed.
  ///
  /// - Parameter nonce: 12 bytes, never twice under one key.
  package mutating func seal(
    nonce: UnsafeRawPointer, aad: UnsafeRawPointer, aadCount: Int, from plain: UnsafeRawPointer, count: Int,
    into sealed: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer
  ) -> Bool {
    var written: Int32 = 0
    let out = unsafe sealed.assumingMemoryBound(to: UInt8.self)
    let done =
      unsafe EVP_EncryptInit_ex(context, nil, nil, nil, nonce.assumingMemoryBound(to: UInt8.self)) == 1
      && EVP_EncryptUpdate(context, nil, &written, aad.assumingMemoryBound(to: UInt8.self), Int32(aadCount)) == 1
      && EVP_EncryptUpdate(context, out, &written, plain.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
      && EVP_EncryptFinal_ex(context, out + count, &written) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), tag) == 1
    if !done { forgetOpenSSLErrors() }
    return done
  }

  /// Decrypts `count` bytes into as many.
  ///
  /// In place is allowed.
  ///
  /// - Returns: false when the tag does not fit; what was written is then worthless and must not be looked at.
  package mutating func open(
    nonce: UnsafeRawPointer, aad: UnsafeRawPointer, aadCount: Int, from sealed: UnsafeRawPointer, count: Int,
    into plain: UnsafeMutableRawPointer, tag: UnsafeRawPointer
  ) -> Bool {
    var written: Int32 = 0
    let out = unsafe plain.assumingMemoryBound(to: UInt8.self)
    let done =
      unsafe EVP_DecryptInit_ex(context, nil, nil, nil, nonce.assumingMemoryBound(to: UInt8.self)) == 1
      && EVP_DecryptUpdate(context, nil, &written, aad.assumingMemoryBound(to: UInt8.self), Int32(aadCount)) == 1
      && EVP_DecryptUpdate(context, out, &written, sealed.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
      && EVP_CIPHER_CTX_ctrl(
        context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), UnsafeMutableRawPointer(mutating: tag)) == 1
      && EVP_DecryptFinal_ex(context, out + count, &written) == 1
    if !done { forgetOpenSSLErrors() }
    return done
  }
}

/// A context with its key set and no nonce yet.
func makeContext(
  _ cipher: DataCipher, _ key: UnsafeRawBufferPointer, _ direction: CipherDirection
) -> OpaquePointer? {
  guard key.count == cipher.keyLength, let base = key.baseAddress, let context = unsafe EVP_CIPHER_CTX_new() else {
    return nil
  }
  let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
  let keyed = unsafe EVP_CipherInit_ex(
    context, cipher.algorithm, nil, bytes, nil, direction == .seal ? 1 : 0)
  guard keyed == 1 else {
    unsafe EVP_CIPHER_CTX_free(context)
    forgetOpenSSLErrors()
    return nil
  }
  return unsafe context
}
