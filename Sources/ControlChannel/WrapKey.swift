package import Base
package import Crypto

/// What the control channel is wrapped with (protocol.md section 3).
package enum WrapKey: Hashable, Sendable {
  case none
  /// - direction: 0, 1, or `nil` for one key both ways.
  case tlsAuth(StaticKey, Digest, direction: Int?)
  case tlsCrypt(StaticKey)
  /// The client's own key, and the same key wrapped for the server, which only the server can open.
  case tlsCryptV2(StaticKey, wrapped: [UInt8])

  /// Reads the text of a `tls-auth` key.
  ///
  /// - Parameter digest: of the option `auth`; `nil` is `auth none`, which leaves nothing to authenticate with.
  package static func readTLSAuth(
    _ text: SecretBytes, digest: Digest?, direction: Int?
  ) throws(Fault) -> WrapKey {
    guard let digest else { throw Fault(.wrapKeyInvalid, "tls-auth cannot work with auth none") }
    let key = try staticKey(text, of: "tls-auth")
    if key.isHalf, direction != nil {
      throw Fault(.wrapKeyInvalid, "tls-auth key: 128 bytes serve no key-direction")
    }
    return .tlsAuth(key, digest, direction: direction)
  }

  /// Reads the text of a `tls-crypt` key.
  package static func readTLSCrypt(_ text: SecretBytes) throws(Fault) -> WrapKey {
    let key = try staticKey(text, of: "tls-crypt")
    if key.isHalf { throw Fault(.wrapKeyInvalid, "tls-crypt key: 128 bytes, wanted are 256") }
    return .tlsCrypt(key)
  }

  /// Reads the text of a `tls-crypt-v2` client key: our key, then the wrapped one (protocol.md section 3.4).
  package static func readTLSCryptV2(_ text: SecretBytes) throws(Fault) -> WrapKey {
    var bytes: [UInt8]
    do throws(ArmoredText.Failure) {
      bytes = try ArmoredText.read(text, label: ArmoredText.clientKeyLabel)
    } catch {
      throw Fault(.wrapKeyInvalid, "tls-crypt-v2 key: \(error.rawValue)")
    }
    defer { bytes.wipe() }
    let wrapped = Array(bytes.dropFirst(KeyBlock.size))
    guard let key = StaticKey(bytes: SecretBytes(bytes.prefix(KeyBlock.size))), !key.isHalf,
      WrappedClientKey.isWellFormed(wrapped)
    else { throw Fault(.wrapKeyInvalid, "tls-crypt-v2 key: its length does not add up") }
    return .tlsCryptV2(key, wrapped: wrapped)
  }

  /// Bytes that the packets carrying the wrapped client key are longer by.
  package var wrappedKeySize: Int {
    if case .tlsCryptV2(_, let wrapped) = self { return wrapped.count }
    return 0
  }

  /// The reset that opens a session under this key.
  package var usesThirdReset: Bool { wrappedKeySize > 0 }

  private static func staticKey(_ text: SecretBytes, of option: String) throws(Fault) -> StaticKey {
    var bytes = text.exposed
    defer { bytes.wipe() }
    do throws(StaticKey.Failure) {
      return try StaticKey(text: bytes)
    } catch {
      throw Fault(.wrapKeyInvalid, "\(option) key: \(error.rawValue)")
    }
  }
}
