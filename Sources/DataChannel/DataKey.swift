package import Base
internal import Crypto

/// Which end of the tunnel we are; it decides which half of the key block seals and which opens.
package enum DataRole: Hashable, Sendable { case client, server }

/// What one key id of the data channel needs.
package struct DataKey: Hashable, Sendable {
  /// 0...7.
  package var keyID: UInt8
  package var cipher: DataCipher
  /// For CBC ciphers only; AEAD needs none.
  package var auth: Digest?
  /// 256 bytes: `KeyBlock`.
  package var block: SecretBytes
  package var role: DataRole

  package init(keyID: UInt8, cipher: DataCipher, auth: Digest? = nil, block: SecretBytes, role: DataRole = .client) {
    self.keyID = keyID
    self.cipher = cipher
    self.auth = auth
    self.block = block
    self.role = role
  }

  /// The client seals with K[0] and opens with K[1]: the other way round than tls-crypt (protocol.md section 4).
  private var sealIndex: Int { role == .client ? 0 : 1 }

  func index(for direction: CipherDirection) -> Int { direction == .seal ? sealIndex : 1 - sealIndex }

  func cipherKey(_ direction: CipherDirection) -> SecretBytes { slice(direction, .cipher, cipher.keyLength) }

  func hmacKey(_ direction: CipherDirection, count: Int) -> SecretBytes { slice(direction, .hmac, count) }

  /// The first epoch's, where the cipher key would stand.
  func epochSecret(_ direction: CipherDirection) -> SecretBytes { slice(direction, .cipher, EpochSecret.size) }

  /// False for a block that cannot be one: of another length, or with a cipher key of zeros (section 7).
  var isUsable: Bool {
    guard keyID < 8, block.count == KeyBlock.size else { return false }
    for direction in [CipherDirection.seal, .open] {
      let key = cipherKey(direction)
      if key == SecretBytes(repeatElement(0, count: key.count)) { return false }
    }
    return true
  }

  private func slice(_ direction: CipherDirection, _ part: KeyBlock.Part, _ count: Int) -> SecretBytes {
    let offset = KeyBlock.offset(index(for: direction), part)
    return block.slice(offset..<offset + count)
  }
}
