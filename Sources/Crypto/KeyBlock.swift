package import Base

/// The 256 bytes of key material that one key id uses: four quarters of 64 bytes (protocol.md sections 4 and 7).
package enum KeyBlock {
  package static let size = 256
  package static let quarter = 64

  package enum Part: Int, Sendable { case cipher = 0, hmac = 1 }

  /// Where quarter `part` of K[`index`] begins.
  package static func offset(_ index: Int, _ part: Part) -> Int { (index * 2 + part.rawValue) * quarter }

  /// Derives the block from the key sources of both ends, when no exporter of TLS is agreed on.
  ///
  /// The session ids are those of the control channel, big-endian; they enter the expansion only.
  package static func expand(
    preMaster: SecretBytes, clientRandom1: SecretBytes, clientRandom2: SecretBytes, serverRandom1: SecretBytes,
    serverRandom2: SecretBytes, clientSession: [UInt8], serverSession: [UInt8]
  ) -> SecretBytes {
    var first = Array("OpenVPN master secret".utf8) + clientRandom1.exposed + serverRandom1.exposed
    defer { first.wipe() }
    let master = PRF.tls1(secret: preMaster, seed: first, count: 48)
    var second =
      Array("OpenVPN key expansion".utf8) + clientRandom2.exposed + serverRandom2.exposed + clientSession
      + serverSession
    defer { second.wipe() }
    return PRF.tls1(secret: master, seed: second, count: size)
  }
}
