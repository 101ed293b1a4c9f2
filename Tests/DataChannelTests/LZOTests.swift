import Base
import Crypto
import DataChannel
import Testing

/// Streams go through a lane with `comp-lzo`; what they unpack to begins like IPv4 on purpose.
@Suite("LZO1X (protocol.md section 9.1)")
struct LZOTests {
  private func unpacked(_ stream: [UInt8], largest: Int = 1500) -> [UInt8]? {
    var up = makeUp(Suite(.aes256GCM), .server)
    var down = makeDown(
      Suite(.aes256GCM), .client, format: DataFormat(peerID: 5, compression: .lzo, largestPayload: largest))
    let outcome = down.open(up.seal(message: [0x66] + stream) ?? [], spare: largest + Burst.headroom)
    let (broken, other) = (down.counters[.badCompression], down.counters.dropped)
    if outcome.verdict == .forward { return outcome.bytes }
    #expect(outcome.verdict == .dropped && other == 1)
    // An empty or odd result is a drop of another name, but no broken stream.
    return broken == 1 ? nil : []
  }

  static let hundred = "024141414141202b1000000141414141414141414141414141414141414141110000"
  static let requests =
    "0005474554202f20485454502f312e310d0a486f73743a20613220002ea8002e3c003ae8000c"
    + "4554202f20485454502f312e310d0a110000"
  static let requestsPlain = String(
    repeating: "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\nHost: a\r\nGET / HTTP/1.1\r\n", count: 2)

  @Test("both vectors of liblzo")
  func vectors() throws {
    #expect(try unpacked(#require(Hex.bytes(Self.hundred))) == Array(repeating: 0x41, count: 100))
    #expect(try unpacked(#require(Hex.bytes(Self.requests))) == Array(Self.requestsPlain.utf8))
  }

  @Test("the result may be exactly as long as allowed, not a byte longer")
  func exactLimit() throws {
    let stream = try #require(Hex.bytes(Self.hundred))
    #expect(unpacked(stream, largest: 100)?.count == 100)
    #expect(unpacked(stream, largest: 99) == nil)
  }

  @Test("a stream cut anywhere or followed by anything is broken", arguments: [hundred, requests])
  func everyCut(hex: String) throws {
    let stream = try #require(Hex.bytes(hex))
    for length in 1..<stream.count { #expect(unpacked(Array(stream.prefix(length))) == nil, "\(length)") }
    #expect(unpacked(stream + [0]) == nil)
  }

  @Test("instructions one by one: a first run, a long run, and every kind of match")
  func instructions() {
    let head = (0..<24).map { UInt8($0 == 0 ? 0x45 : $0) }
    let end: [UInt8] = [0x11, 0, 0]
    // First byte 17 + 24 literals.
    let start: [UInt8] = [41] + head
    #expect(unpacked(start + end) == head)
    // The same as a literal run in the loop: 3 + 15 at most in one byte, so 18 + 6.
    #expect(unpacked([0, 6] + head + end) == head)
    #expect(unpacked([0x0f] + head.prefix(18) + [0x40 | 0 << 2, 0] + end)?.count == 21)
    // Four literals at once, then a match of 3 by 0x40: distance (h << 3) + d + 1.
    #expect(unpacked(start + [0x40 | 3 << 2, 1] + end) == head + head[12..<15])
    #expect(unpacked(start + [0x60 | 3 << 2, 1] + end) == head + head[12..<16])
    #expect(unpacked(start + [0x80 | 3 << 2, 1] + end) == head + head[12..<17])
    #expect(unpacked(start + [0xe0 | 3 << 2, 1] + end) == head + head[12..<20])
    // 0x20: length 2 + low bits, or 33 + byte; distance (w >> 2) + 1; two literals behind.
    #expect(unpacked(start + [0x25, 11 << 2 | 2, 0, 7, 8] + end) == head + head[12..<19] + [7, 8])
    #expect(unpacked(start + [0x20, 1, 11 << 2, 0] + end)?.count == 24 + 34)
    #expect(unpacked(start + [0x20, 0, 1, 11 << 2, 0] + end)?.count == 24 + 34 + 255)
    // After one to three literals a short match of 2: distance (h << 2) + (c >> 2) + 1.
    let before = head + head[12..<15] + [9]
    let short = before[(before.count - 10)..<(before.count - 8)]
    #expect(unpacked(start + [0x21, 11 << 2 | 1, 0, 9, 0x04, 2] + end) == before + short)
    // Directly behind a long run the same range reaches at least 2049 back.
    #expect(unpacked(start + [0x00, 0] + end) == nil)
    // The far match of 0x10 starts at 16385.
    #expect(unpacked(start + [0x12, 4, 0] + end) == nil)
  }

  @Test("far matches: 2049 and 16385 bytes back")
  func farMatches() {
    let head: [UInt8] = [0x45] + (1..<20_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) }
    func run(_ bytes: [UInt8]) -> [UInt8] {
      let rest = bytes.count - 18
      let zeros = (rest - 1) / 255
      return [0] + Array(repeating: 0, count: zeros) + [UInt8(rest - zeros * 255)] + bytes
    }
    let end: [UInt8] = [0x11, 0, 0]
    #expect(unpacked(run(head) + end, largest: 30_000) == head)
    let third = unpacked(run(head) + [0x04, 3] + end, largest: 30_000)
    #expect(third == head + head[(20_000 - 2062)..<(20_000 - 2059)])
    let far = unpacked(run(head) + [0x12, 5 << 2, 0] + end, largest: 30_000)
    #expect(far == head + head[(20_000 - 16_389)..<(20_000 - 16_385)])
    let farther = unpacked(run(head) + [0x1a, 5 << 2, 0] + end, largest: 60_000)
    #expect(farther == nil)
  }

  @Test("bombs stop at the limit")
  func bombs() {
    let start: [UInt8] = [18, 0x45]
    let match: [UInt8] = [0x20] + Array(repeating: 0, count: 1000) + [1, 0, 0]
    #expect(unpacked(start + match + [0x11, 0, 0]) == nil)
    #expect(unpacked([0] + Array(repeating: 0, count: 1000) + [1]) == nil)
    #expect(unpacked(Array(repeating: 0, count: 1400)) == nil)
    #expect(unpacked([0x10] + Array(repeating: 0, count: 1000)) == nil)
  }

  @Test("random and mutated streams never trap and never exceed the limit")
  func fuzz() throws {
    var random = RandomSource.seeded(11)
    var up = makeUp(Suite(.aes128GCM), .server)
    var down = makeDown(
      Suite(.aes128GCM), .client, format: DataFormat(peerID: 5, compression: .lzo, largestPayload: 200))
    let seeds = try [#require(Hex.bytes(Self.hundred)), #require(Hex.bytes(Self.requests))]
    for round in 0..<6000 {
      var stream = random.bytes(Int(random.next() % 80))
      if round % 2 == 0 {
        stream = seeds[round / 2 % 2]
        for _ in 0..<1 + random.next() % 3 {
          stream[Int(random.next() % UInt64(stream.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      let outcome = down.open(up.seal(message: [0x66] + stream) ?? [], spare: 300)
      #expect(outcome.verdict == .dropped || outcome.verdict == .forward && outcome.bytes.count <= 200)
    }
  }
}
