import Base
import Crypto
import Testing

@Suite("Static keys")
struct StaticKeyTests {
  static let lines = (0..<16).map { line in Hex.text((0..<16).map { UInt8(line * 16 + $0) }) }
  static let begin = "-----BEGIN OpenVPN Static key V1-----"
  static let end = "-----END OpenVPN Static key V1-----"

  private func parse(_ lines: [String], separator: String = "\n") throws(StaticKey.Failure) -> StaticKey {
    try StaticKey(text: Array(lines.joined(separator: separator).utf8))
  }

  @Test("16 lines of 16 bytes between comments", arguments: ["\n", "\r\n", "\r"])
  func usual(separator: String) throws {
    let key = try parse(
      ["#", "# 2048 bit OpenVPN static key", Self.begin] + Self.lines + [Self.end, ""], separator: separator)
    #expect(key.bytes.exposed == Array(0...255))
    #expect(!key.isHalf)
  }

  @Test("the quarters of protocol.md section 4")
  func quarters() throws {
    let key = try parse([Self.begin] + Self.lines + [Self.end])
    #expect(key.slice(0, .cipher, count: 32).exposed == Array(0..<32))
    #expect(key.slice(0, .hmac, count: 20).exposed == Array(64..<84))
    #expect(key.slice(1, .cipher, count: 64).exposed == Array(128..<192))
    #expect(key.slice(1, .hmac, count: 64).exposed == Array(192...255))
  }

  @Test("a half key serves both directions with K[0]")
  func half() throws {
    let key = try parse([Self.begin] + Self.lines.prefix(8) + [Self.end])
    #expect(key.isHalf)
    #expect(key.slice(1, .hmac, count: 20) == key.slice(0, .hmac, count: 20))
  }

  @Test("capital digits and odd line lengths are the same key")
  func spelling() throws {
    let text = Self.begin + Self.lines.joined().uppercased().map { "\($0) " }.joined() + Self.end
    #expect(try StaticKey(text: Array(text.utf8)) == parse([Self.begin] + Self.lines + [Self.end]))
  }

  @Test("U-07: a broken END line is named, not a later timeout")
  func brokenEnd() {
    #expect(throws: StaticKey.Failure.noEnd) {
      try parse([Self.begin] + Self.lines + ["-----END OpenVPN Statickey V1-----"])
    }
    #expect(throws: StaticKey.Failure.noEnd) { try parse([Self.begin] + Self.lines) }
    #expect(throws: StaticKey.Failure.noEnd) { try parse([Self.end, Self.begin] + Self.lines) }
  }

  @Test("every other fault has its name")
  func faults() {
    #expect(throws: StaticKey.Failure.noBegin) { try parse([]) }
    #expect(throws: StaticKey.Failure.noBegin) { try parse(Self.lines + [Self.end]) }
    #expect(throws: StaticKey.Failure.notHexadecimal) { try parse([Self.begin, "0g"] + Self.lines + [Self.end]) }
    #expect(throws: StaticKey.Failure.notHexadecimal) { try parse([Self.begin, "# x"] + Self.lines + [Self.end]) }
    for wrong in [[], ["00"], Self.lines.dropLast() + ["0"], Self.lines + ["0"], Self.lines + ["00"]] {
      #expect(throws: StaticKey.Failure.wrongLength) { try parse([Self.begin] + wrong + [Self.end]) }
    }
  }

  @Test("random bytes never trap")
  func randomBytes() {
    let random = RandomSource.seeded(1)
    for length in 0...100 {
      #expect(throws: StaticKey.Failure.self) { try StaticKey(text: random.bytes(length)) }
    }
  }

  @Test("raw bytes of other lengths are refused")
  func raw() {
    #expect(StaticKey(bytes: SecretBytes(Array(repeating: 0, count: 255))) == nil)
    #expect(StaticKey(bytes: SecretBytes(Array(repeating: 0, count: 256)))?.isHalf == false)
  }
}
