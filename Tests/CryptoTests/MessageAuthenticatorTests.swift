import Base
import Crypto
import Testing

@Suite("HMAC and digests")
struct MessageAuthenticatorTests {
  @Test(
    "RFC 2202 and RFC 4231, test case 2",
    arguments: [
      (Digest.md5, "750c783e6ab0b503eaa86e310a5db738"),
      (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
      (.sha224, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
      (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
      (
        .sha384,
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
      ),
      (
        .sha512,
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
          + "caeab1a34d4a6b4b636e070a38bce737"
      ),
    ])
  func standardVectors(digest: Digest, hex: String) {
    let authenticator = MessageAuthenticator(digest, key: Array("Jefe".utf8))
    let message = Array("what do ya want for nothing?".utf8)
    for _ in 0..<3 {
      let whole = authenticator.tag(of: [message])
      let parts = authenticator.tag(of: [Array(message.prefix(5)), [], Array(message.dropFirst(5))])
      #expect(Hex.text(whole) == hex)
      #expect(parts == whole)
    }
  }

  @Test("a key longer than the block is digested first (RFC 4231, test case 6)")
  func longKey() {
    let authenticator = MessageAuthenticator(.sha256, key: Array(repeating: 0xaa, count: 131))
    let tag = authenticator.tag(of: [Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)])
    #expect(Hex.text(tag) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test("the raw form gives the same tag", arguments: Digest.allCases)
  func rawForm(digest: Digest) {
    let authenticator = MessageAuthenticator(digest, key: SecretBytes([1, 2, 3]))
    let message: [UInt8] = Array(0...200)
    var tag = [UInt8](repeating: 0, count: digest.size)
    authenticator.authenticate(message, count: message.count, into: &tag)
    let expected = authenticator.tag(of: [message])
    #expect(tag == expected)
  }

  @Test("digests have their published values of the empty message")
  func digests() {
    #expect(Hex.text(digestOf(.md5, [])) == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(Hex.text(digestOf(.sha1, [])) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(
      Hex.text(digestOf(.sha256, [])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    for digest in Digest.allCases { #expect(digestOf(digest, [7]).count == digest.size) }
  }

  @Test("constant time comparison")
  func comparison() {
    #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
    #expect(constantTimeEqual([], []))
  }
}
