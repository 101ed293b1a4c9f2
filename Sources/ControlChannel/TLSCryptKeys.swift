internal import Base
package import Crypto
package import Wire

/// tls-crypt for one direction (protocol.md section 3.3): the tag is over the plaintext and its first half is the IV.
package struct TLSCryptKeys: ~Copyable {
  package static let tagSize = 32
  static let keySize = 32
  private static let ivSize = 16
  /// Bytes that a packet grows by: the long packet id and the tag.
  static let overhead = LongPacketID.size + tagSize

  private let cipherKey: SecretBytes
  private let authenticator: MessageAuthenticator

  /// - Parameter index: which half of the key this direction uses.
  package init(_ key: StaticKey, index: Int) {
    cipherKey = key.slice(index, .cipher, count: Self.keySize)
    authenticator = MessageAuthenticator(.sha256, key: key.slice(index, .hmac, count: Self.keySize))
  }

  package func seal(head: [UInt8], id: LongPacketID, body: [UInt8]) -> [UInt8] {
    let front = head + id.bytes
    let tag = authenticator.tag(of: [front, body])
    return front + tag + CounterCipher.apply(key: cipherKey, iv: Array(tag.prefix(Self.ivSize)), to: body)
  }

  /// - Parameter headSize: bytes in front of the packet id.
  /// - Returns: `nil` when the packet is too short or its tag is wrong.
  package func open(_ bytes: some Collection<UInt8>, headSize: Int) -> (id: LongPacketID, body: [UInt8])? {
    let bytes = Array(bytes)
    let frontSize = headSize + LongPacketID.size
    guard bytes.count >= frontSize + Self.tagSize, let id = LongPacketID(bytes: bytes[headSize..<frontSize]) else {
      return nil
    }
    let front = Array(bytes[..<frontSize])
    let tag = Array(bytes[frontSize..<frontSize + Self.tagSize])
    let sealed = Array(bytes[(frontSize + Self.tagSize)...])
    let body = CounterCipher.apply(key: cipherKey, iv: Array(tag.prefix(Self.ivSize)), to: sealed)
    return constantTimeEqual(authenticator.tag(of: [front, body]), tag) ? (id, body) : nil
  }
}
