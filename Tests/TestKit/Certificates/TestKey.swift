import Base
import COpenSSL

/// A private key made on the spot and never changed.
package final class TestKey: @unchecked Sendable {
  package enum Kind: Hashable, Sendable { case ecP256, ecP384, rsa(Int), ed25519 }

  let raw: OpaquePointer

  package init(_ kind: Kind = .ecP256) {
    let name =
      switch kind {
      case .ecP256, .ecP384: "EC"
      case .rsa: "RSA"
      case .ed25519: "ED25519"
      }
    let context = EVP_PKEY_CTX_new_from_name(nil, name, nil)
    defer { EVP_PKEY_CTX_free(context) }
    precondition(EVP_PKEY_keygen_init(context) == 1)
    switch kind {
    case .ecP256: precondition(EVP_PKEY_CTX_set_group_name(context, "P-256") == 1)
    case .ecP384: precondition(EVP_PKEY_CTX_set_group_name(context, "P-384") == 1)
    case .rsa(let bits): precondition(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1)
    case .ed25519: break
    }
    var key: OpaquePointer? = nil
    guard EVP_PKEY_generate(context, &key) == 1, let key else { preconditionFailure("no key") }
    raw = key
  }

  deinit { EVP_PKEY_free(raw) }

  package var pem: SecretBytes {
    SecretBytes(writing { PEM_write_bio_PrivateKey($0, raw, nil, nil, 0, nil, nil) })
  }

  /// PKCS#8 under AES-256 with a password.
  package func pem(encryptedWith password: String) -> SecretBytes {
    SecretBytes(
      writing { bio in
        var secret = Array(password.utf8)
        return PEM_write_bio_PKCS8PrivateKey(
          bio, raw, EVP_aes_256_cbc(), secret.withUnsafeMutableBytes { $0.bindMemory(to: CChar.self).baseAddress },
          Int32(secret.count), nil, nil)
      })
  }

  /// The traditional form with `Proc-Type: 4,ENCRYPTED`, as old tools write it.
  package func traditionalPEM(encryptedWith password: String) -> SecretBytes {
    SecretBytes(
      writing { bio in
        Array(password.utf8).withUnsafeBufferPointer { secret in
          PEM_write_bio_PrivateKey_traditional(
            bio, raw, EVP_aes_128_cbc(), secret.baseAddress, Int32(secret.count), nil, nil)
        }
      })
  }
}

/// Collects what `write` prints into a memory BIO.
func writing(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
  guard let bio = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory") }
  defer { BIO_free(bio) }
  precondition(write(bio) == 1)
  var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
  let count = BIO_read(bio, &bytes, Int32(bytes.count))
  return Array(bytes.prefix(Int(max(count, 0))))
}
