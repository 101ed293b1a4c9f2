import Base
import Crypto
import Testing

@Suite("HKDF (RFC 5869)")
struct HKDFTests {
  @Test(
    "expands as in the published vectors A.1 and A.3",
    arguments: [
      (
        "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5", "f0f1f2f3f4f5f6f7f8f9",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      ),
      (
        "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04", "",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
      ),
    ])
  func expand(secret: String, info: String, expected: String) throws {
    let secret = SecretBytes(try #require(Hex.bytes(secret)))
    let bytes = HKDF.expand(.sha256, secret: secret, info: try #require(Hex.bytes(info)), count: expected.count / 2)
    #expect(Hex.text(bytes.exposed) == expected)
    let short = HKDF.expand(.sha256, secret: secret, info: try #require(Hex.bytes(info)), count: 7)
    #expect(Hex.text(short.exposed) == expected.prefix(14))
  }
}
