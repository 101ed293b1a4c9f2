package import Base
internal import COpenSSL

/// Which way a cipher context works.
package enum CipherDirection: Sendable { case seal, open }

/// One direction of an AEAD cipher, keyed once; only the nonce changes from packet to packet.
///
/// Allocates only in `init`.
@safe package struct AEADContext: ~Copyable {
  package static let nonceSize = 12
  package static let tagSize = 16

  private let context: OpaquePointer

  /// - Returns: `nil` when the key has not the cipher's length, or OpenSSL refuses.
  package init?(cipher: DataCipher, key: SecretBytes, direction: CipherDirection) {
    guard cipher.isAEAD else { return nil }
    let made = unsafe key.withBytes { key in
      unsafe adit_aead_new(
        cipher.rawValue, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, direction == .seal)
    }
    guard let context = unsafe made else {
      forgetOpenSSLErrors()
      return nil
    }
    unsafe self.context = context
  }

  deinit { unsafe adit_aead_free(context) }

  /// Takes another key of the same cipher and direction.
  ///
  /// - Returns: false when the key has not the cipher's length, or OpenSSL refuses; then nothing can be done with it.
  package mutating func rekey(_ key: SecretBytes) -> Bool {
    let isDone = unsafe key.withBytes { key in
      unsafe adit_aead_rekey(context, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
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
    let isDone = unsafe adit_aead_seal(
      context, nonce.assumingMemoryBound(to: UInt8.self), aad.assumingMemoryBound(to: UInt8.self), aadCount,
      plain.assumingMemoryBound(to: UInt8.self), count, sealed.assumingMemoryBound(to: UInt8.self),
      tag.assumingMemoryBound(to: UInt8.self))
    if !isDone { forgetOpenSSLErrors() }
    return isDone
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
    let isDone = unsafe adit_aead_open(
      context, nonce.assumingMemoryBound(to: UInt8.self), aad.assumingMemoryBound(to: UInt8.self), aadCount,
      sealed.assumingMemoryBound(to: UInt8.self), count, plain.assumingMemoryBound(to: UInt8.self),
      tag.assumingMemoryBound(to: UInt8.self))
    if !isDone { forgetOpenSSLErrors() }
    return isDone
  }
}
