package import Base
package import Crypto

/// The wrapped client key of tls-crypt-v2, opaque to the client (protocol.md section 3.4).
package enum WrappedClientKey {
  /// Of the whole, its own length field included.
  package static let largestSize = 1024
  static let lengthSize = 2
  /// A tag, a client key, the length.
  static let smallestSize = TLSCryptKeys.tagSize + KeyBlock.size + lengthSize

  /// True when the length at the end is the true one.
  static func isWellFormed(_ wrapped: [UInt8]) -> Bool {
    guard (smallestSize...largestSize).contains(wrapped.count) else { return false }
    return statedSize(at: wrapped) == wrapped.count
  }

  /// The wrapped key that a packet ends with; server view.
  package static func trailing(_ packet: [UInt8]) -> [UInt8]? {
    guard let size = statedSize(at: packet), (smallestSize...largestSize).contains(size), size <= packet.count else {
      return nil
    }
    return Array(packet.suffix(size))
  }

  private static func statedSize(at bytes: [UInt8]) -> Int? {
    guard bytes.count >= lengthSize else { return nil }
    return Int(bytes[bytes.count - 2]) << 8 | Int(bytes[bytes.count - 1])
  }
}

/// The server's half of tls-crypt-v2, for the mirror and for making client keys.
package struct TLSCryptV2ServerKey: Hashable, Sendable {
  /// Cipher and HMAC quarter of one direction.
  static let size = 2 * KeyBlock.quarter

  private let key: StaticKey

  /// - Parameter bytes: 128.
  package init?(bytes: SecretBytes) {
    guard bytes.count == Self.size, let key = StaticKey(bytes: bytes) else { return nil }
    self.key = key
  }

  package init(text: SecretBytes) throws(Fault) {
    var bytes: [UInt8]
    do throws(ArmoredText.Failure) {
      bytes = try ArmoredText.read(text, label: ArmoredText.serverKeyLabel)
    } catch {
      throw Fault(.wrapKeyInvalid, "tls-crypt-v2 server key: \(error.rawValue)")
    }
    defer { bytes.wipe() }
    guard let key = Self(bytes: SecretBytes(bytes)) else {
      throw Fault(.wrapKeyInvalid, "tls-crypt-v2 server key: not 128 bytes")
    }
    self = key
  }

  /// The text of a server key file.
  package var text: SecretBytes { ArmoredText.write(key.bytes.exposed, label: ArmoredText.serverKeyLabel) }

  /// Wraps a client's key with metadata: a type byte and its content.
  ///
  /// - Returns: `nil` when the metadata is too long.
  package func wrap(_ clientKey: StaticKey, metadata: [UInt8]) -> [UInt8]? {
    guard !clientKey.isHalf else { return nil }
    var plain = clientKey.bytes.exposed + metadata
    defer { plain.wipe() }
    let size = TLSCryptKeys.tagSize + plain.count + WrappedClientKey.lengthSize
    guard size <= WrappedClientKey.largestSize else { return nil }
    var length: [UInt8] = []
    length.append(bigEndian: UInt16(size))
    let tag = authenticator.tag(of: [length, plain])
    return tag + CounterCipher.apply(key: cipherKey, iv: Array(tag.prefix(16)), to: plain) + length
  }

  /// Opens what `wrap` made; `nil` when it is not under this key.
  package func unwrap(_ wrapped: [UInt8]) -> (clientKey: StaticKey, metadata: [UInt8])? {
    guard WrappedClientKey.isWellFormed(wrapped) else { return nil }
    let tag = Array(wrapped.prefix(TLSCryptKeys.tagSize))
    let sealed = Array(wrapped[TLSCryptKeys.tagSize..<wrapped.count - WrappedClientKey.lengthSize])
    var plain = CounterCipher.apply(key: cipherKey, iv: Array(tag.prefix(16)), to: sealed)
    defer { plain.wipe() }
    let length = Array(wrapped.suffix(WrappedClientKey.lengthSize))
    guard constantTimeEqual(authenticator.tag(of: [length, plain]), tag),
      let clientKey = StaticKey(bytes: SecretBytes(plain.prefix(KeyBlock.size)))
    else { return nil }
    return (clientKey, Array(plain.dropFirst(KeyBlock.size)))
  }

  /// The text of a client key file.
  package static func clientKeyText(_ clientKey: StaticKey, wrapped: [UInt8]) -> SecretBytes {
    ArmoredText.write(clientKey.bytes.exposed + wrapped, label: ArmoredText.clientKeyLabel)
  }

  private var cipherKey: SecretBytes { key.slice(0, .cipher, count: TLSCryptKeys.keySize) }
  private var authenticator: MessageAuthenticator {
    MessageAuthenticator(.sha256, key: key.slice(0, .hmac, count: TLSCryptKeys.keySize))
  }
}
