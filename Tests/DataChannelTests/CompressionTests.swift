import Base
import Crypto
import DataChannel
import Testing

@Suite("Compression framing (protocol.md section 9)")
struct CompressionTests {
  private let suite = Suite(.aes256GCM)

  /// What an opened payload becomes; the sealing side frames nothing.
  private func opened(
    _ payload: [UInt8], _ framing: CompressionFraming, largest: Int = 1500, spare: Int = 4096
  ) -> (Outcome, DataDrop?) {
    var up = makeUp(suite, .server)
    var down = makeDown(
      suite, .client, format: DataFormat(peerID: 5, compression: framing, largestPayload: largest))
    let outcome = down.open(up.seal(message: payload) ?? [], spare: spare)
    let counters = down.counters
    return (outcome, DataDrop.allCases.first { counters[$0] > 0 })
  }

  /// What a payload looks like inside the encryption; the opening side unframes nothing.
  private func framed(_ payload: [UInt8], _ framing: CompressionFraming, _ suite: Suite) -> [UInt8] {
    var up = makeUp(suite, .server, format: DataFormat(peerID: 5, compression: framing))
    var down = makeDown(suite, .client)
    return down.open(up.seal(message: payload) ?? []).bytes
  }

  @Test("pings carry the framing: comp-lzo in front, compress swapped", arguments: Suite.kinds)
  func pings(suite: Suite) {
    let plain = "2a187bf3641eb4cb07ed2d0a981fc748"
    for framing in [CompressionFraming.lzo, .lzoStub] {
      #expect(Hex.text(framed(DataMessage.ping, framing, suite)) == "fa" + plain)
    }
    for framing in [CompressionFraming.stub, .lz4] {
      #expect(Hex.text(framed(DataMessage.ping, framing, suite)) == "fb187bf3641eb4cb07ed2d0a981fc7482a")
    }
    for framing in [CompressionFraming.none, .stubV2, .lz4V2] {
      #expect(framed(DataMessage.ping, framing, suite) == DataMessage.ping)
    }
  }

  @Test("O-01, O-03: every framing comes back as it went", arguments: CompressionFraming.allCases, Suite.kinds)
  func roundTrip(framing: CompressionFraming, suite: Suite) {
    let format = DataFormat(peerID: 5, compression: framing)
    var up = makeUp(suite, .client, format: format)
    var down = makeDown(suite, .server, format: format)
    var plain = Burst(capacity: 1 << 16, maximumCount: 16)
    var sealed = Burst(capacity: 1 << 16, maximumCount: 16)
    let packets = (0..<16).map { ipv4(20 + $0 * 90, fill: UInt8($0)) }
    for packet in packets { _ = plain.append(copying: packet) }
    up.seal(&plain, into: &sealed)
    for index in 0..<16 {
      let outcome = down.open(sealed.copy(index))
      #expect(outcome.verdict == .forward && outcome.bytes == packets[index] && outcome.front >= 12)
    }
    let ping = up.seal(message: DataMessage.ping).map { down.open($0).verdict }
    #expect(ping == .consumed)
  }

  @Test(
    "a payload that begins with the escape of version 2 is escaped", arguments: [CompressionFraming.stubV2, .lz4V2])
  func escape(framing: CompressionFraming) {
    #expect(framed([0x50, 1, 2], framing, suite) == [0x50, 0, 0x50, 1, 2])
    for algorithm in [0, 0x0a] as [UInt8] {
      #expect(opened([0x50, algorithm] + ipv4(30), framing).0.bytes == ipv4(30))
    }
  }

  @Test("codes that were not agreed on are drops")
  func strangeCodes() {
    for framing in [CompressionFraming.lzo, .lzoStub, .stub, .lz4] {
      for code in 0...255 as ClosedRange<UInt8> where ![0x66, 0x69, 0xfa, 0xfb].contains(code) {
        #expect(opened([code] + ipv4(40), framing).1 == .badCompression)
      }
      #expect(opened([0xfa], framing).1 == .badCompression)
      #expect(opened([0xfb], framing).1 == .badCompression)
    }
    for framing in [CompressionFraming.stub, .lz4] { #expect(opened([0x66] + ipv4(40), framing).1 == .badCompression) }
    for framing in [CompressionFraming.stub, .lzo] { #expect(opened([0x69] + ipv4(40), framing).1 == .badCompression) }
    for algorithm in [1, 2, 3, 4, 0xff] as [UInt8] {
      #expect(opened([0x50, algorithm] + ipv4(40), .stubV2).1 == .badCompression)
    }
    #expect(opened([0x50, 0], .stubV2).1 == .badCompression)
    #expect(opened([0x50], .lz4V2).1 == .badCompression)
  }

  @Test("the swapped byte goes back to the front")
  func swap() {
    let packet = ipv4(40, fill: 7)
    #expect(opened([0xfb] + packet.dropFirst() + [0x45], .stub).0.bytes == packet)
  }

  /// 0x45, then 0x41 ninety-nine times, as an LZ4 block: one literal run, one overlapping match, the last five bytes
  /// literal.
  static let lz4Block: [UInt8] = [0x2f, 0x45, 0x41, 0x01, 0x00, 74, 0x50, 0x41, 0x41, 0x41, 0x41, 0x41]
  static let lz4Plain: [UInt8] = [0x45] + Array(repeating: 0x41, count: 99)

  @Test("P-15: LZ4 blocks are unpacked, version 1 swapped, version 2 not")
  func lz4() {
    let block = Self.lz4Block
    let (first, _) = opened([0x69] + block.dropFirst() + [block[0]], .lz4)
    let (second, _) = opened([0x50, 1] + block, .lz4V2)
    for outcome in [first, second] {
      #expect(outcome.verdict == .forward && outcome.front >= 12)
      #expect(outcome.bytes == Self.lz4Plain)
    }
  }

  @Test("where nothing is decompressed, packed payloads are drops under every framing, and plain ones pass")
  func unpacksNothing() {
    let lzo = Hex.bytes("024141414141202b1000000141414141414141414141414141414141414141110000") ?? []
    let packed: [(CompressionFraming, [UInt8])] = [
      (.lzo, [0x66] + lzo), (.lzoStub, [0x66] + lzo), (.lz4V2, [0x50, 1] + Self.lz4Block),
      (.lz4, [0x69] + Self.lz4Block.dropFirst() + [Self.lz4Block[0]]),
    ]
    for (framing, payload) in packed {
      for unpacks in [true, false] {
        let format = DataFormat(peerID: 5, compression: framing, unpacks: unpacks)
        var up = makeUp(suite, .server)
        var down = makeDown(suite, .client, format: format)
        _ = down.open(up.seal(message: payload) ?? [])
        let drops = down.counters[.badCompression]
        #expect(drops == (unpacks ? 0 : 1), "\(framing)")
        var plain = makeUp(suite, .server, format: format, firstPacketID: 2)
        let verdict = plain.seal(message: ipv4(40)).map { down.open($0).verdict }
        #expect(verdict == .forward, "\(framing)")
      }
    }
  }

  @Test("an LZ4 block that is cut off or unpacks to too much is a drop")
  func lz4Hostile() {
    for length in 1..<Self.lz4Block.count {
      let (outcome, drop) = opened([0x50, 1] + Self.lz4Block.prefix(length), .lz4V2)
      #expect(outcome.verdict == .dropped || outcome.bytes != Self.lz4Plain)
      #expect(drop != nil || outcome.verdict == .forward)
    }
    #expect(opened([0x50, 1] + Self.lz4Block, .lz4V2, largest: 99).1 == .badCompression)
    #expect(opened([0x50, 1] + Self.lz4Block, .lz4V2, largest: 100).1 == nil)
    let bomb: [UInt8] = [0x1f, 0x45, 0x01, 0x00] + Array(repeating: 0xff, count: 200) + [0, 0x50, 1, 2, 3, 4, 5]
    #expect(opened([0x50, 1] + bomb, .lz4V2).1 == .badCompression)
  }

  @Test("a packed packet without room in the arena is a drop, not a trap")
  func noRoom() {
    #expect(opened([0x50, 1] + Self.lz4Block, .lz4V2, spare: 1000).1 == .noRoom)
  }
}
