package import Base
internal import COpenSSL

/// AES-256-CTR with a 16-byte big-endian counter block, as tls-crypt uses it (protocol.md section 3.3).
package enum CounterCipher {
  /// Encrypts and decrypts: it is the same operation.
  package static func apply(key: [UInt8], iv: [UInt8], to bytes: [UInt8]) -> [UInt8] {
    precondition(key.count == 32 && iv.count == 16)
    guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("no memory for a cipher") }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: bytes.count)
    var written: Int32 = 0
    let done =
      unsafe EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, iv) == 1
      && EVP_EncryptUpdate(context, &result, &written, bytes, Int32(bytes.count)) == 1
    precondition(done && Int(written) == bytes.count, "OpenSSL lacks AES-256-CTR")
    return result
  }

  package static func apply(key: SecretBytes, iv: [UInt8], to bytes: [UInt8]) -> [UInt8] {
    var exposed = key.exposed
    defer { exposed.wipe() }
    return apply(key: exposed, iv: iv, to: bytes)
  }
}
