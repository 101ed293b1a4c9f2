package import Base

/// How much one direction of a key has done (protocol.md section 8.6).
package struct KeyUsage: Hashable, Sendable {
  package var packets: UInt64 = 0
  package var bytes: UInt64 = 0
  /// Cipher blocks of 16 bytes.
  package var blocks: UInt64 = 0
  /// Packets that did not authenticate.
  package var failures: UInt64 = 0

  package init() {}

  /// AES-GCM keeps its promises for this many blocks and packets together.
  package static let gcmLimit: UInt64 = (1 << 36) - 1
  /// New keys are asked for well before.
  package static let gcmWarning = gcmLimit / 8 * 7
  /// Forgeries after which new keys are asked for, and after which the key opens nothing any more.
  package static let failureWarning: UInt64 = 1 << 35
  package static let failureLimit: UInt64 = 1 << 36
  /// Packet ids from here on ask for new keys; they end at 32 bits.
  package static let packetIDWarning: UInt32 = 0xff00_0000

  mutating func count(bytes: Int) {
    packets &+= 1
    self.bytes &+= UInt64(bytes)
    blocks &+= UInt64((bytes + 15) / 16)
  }

  /// True when AES-GCM keeps its promises no longer; ChaCha20-Poly1305 has no such limit.
  package func isUsedUp(_ cipher: DataCipher) -> Bool {
    [.aes128GCM, .aes192GCM, .aes256GCM].contains(cipher) && blocks &+ packets >= Self.gcmLimit
  }

  /// True when the key should be replaced soon.
  package func isWorn(_ cipher: DataCipher) -> Bool {
    switch cipher {
    case .aes128GCM, .aes192GCM, .aes256GCM:
      blocks &+ packets >= Self.gcmWarning || failures >= Self.failureWarning
    case .chacha20Poly1305: failures >= Self.failureWarning
    case .aes128CBC, .aes192CBC, .aes256CBC: false
    }
  }
}
