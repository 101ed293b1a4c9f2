import Base
import Crypto
import DataChannel
import Testing

@Suite("Outer and inner sizes")
struct PacketOverheadTests {
  private struct Row: CustomTestStringConvertible {
    var words: String
    var overhead: PacketOverhead
    /// Of TCP over IPv4 inside, for 1492 bytes outside.
    var segment: Int

    var testDescription: String { words }

    init(
      _ words: String, _ cipher: DataCipher = .aes256GCM, _ auth: Digest? = nil, peerID: UInt32? = 0,
      epochs: Bool = false, framing: CompressionFraming = .none, isStream: Bool = false,
      over family: AddressFamily = .ipv4, segment: Int
    ) {
      self.words = words
      let format = DataFormat(peerID: peerID, usesEpochs: epochs, compression: framing, isStream: isStream)
      overhead = PacketOverhead(format, cipher: cipher, auth: auth, outer: family)
      self.segment = segment
    }
  }

  /// The table of protocol.md section 10.2.
  private static let table = [
    Row("GCM UDP/IPv4, epochs", epochs: true, segment: 1396),
    Row("GCM UDP/IPv4", segment: 1400), Row("GCM UDP/IPv6", over: .ipv6, segment: 1380),
    Row("GCM TCP/IPv4", isStream: true, segment: 1386), Row("GCM UDP with DATA_V1", peerID: nil, segment: 1403),
    Row("GCM UDP and framing", framing: .stub, segment: 1399),
    Row("comp-lzo no", .chacha20Poly1305, framing: .lzoStub, segment: 1399),
    Row("stub-v2", .aes128GCM, framing: .stubV2, segment: 1400),
    Row("CBC SHA1", .aes256CBC, .sha1, segment: 1379), Row("CBC SHA256", .aes256CBC, .sha256, segment: 1363),
    Row("CBC SHA512", .aes256CBC, .sha512, segment: 1331),
  ]

  @Test("what 1492 bytes outside leave inside", arguments: table)
  private func known(row: Row) {
    #expect(row.overhead.inner(outer: 1492) == row.segment + 40)
  }

  @Test("inside and outside are each other's inverse", arguments: table)
  private func inverse(row: Row) {
    for outer in 100...2000 {
      let inner = row.overhead.inner(outer: outer)
      guard inner > 0 else { continue }
      #expect(row.overhead.outer(inner: inner) <= outer)
      #expect(row.overhead.outer(inner: inner + 1) > outer)
    }
    #expect(row.overhead.inner(outer: 0) == 0 && row.overhead.inner(outer: 40) == 0)
  }

  @Test("a lane seals to just that size", arguments: Suite.all, CompressionFraming.allCases)
  func lanes(suite: Suite, framing: CompressionFraming) {
    for (peerID, isStream) in [(nil, false), (9, false), (9, true)] as [(UInt32?, Bool)] {
      let format = DataFormat(peerID: peerID, compression: framing, isStream: isStream)
      var up = makeUp(suite, .client, format: format)
      let overhead = PacketOverhead(format, cipher: suite.cipher, auth: suite.auth, outer: .ipv4)
      for count in [20, 576, 1279, 1280, 1400, 1433, 1500] {
        let sealed = up.seal(message: ipv4(count))
        let headers = isStream ? 20 + 20 + 2 : 20 + 8
        #expect(overhead.outer(inner: count) == (sealed?.count ?? 0) + headers)
      }
    }
  }
}
