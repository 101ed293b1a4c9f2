import Base
import Crypto
import DataChannel
import Testing

@Suite("Segmentation")
struct SegmentationTests {
  @Test("vectors come out to the byte", arguments: OffloadVector.all)
  func vectors(vector: OffloadVector) throws {
    let pair = LanePair()
    var packets = Burst(capacity: 4096, maximumCount: 1)
    let appended = packets.append(
      try #require(Hex.bytes(vector.packet)), vnet: try #require(Hex.bytes(vector.vnet)))
    let passed = pair.pass(&packets, sealedRoom: 4096, sealedCount: 16)
    #expect(appended && passed)
    #expect(pair.opened.map { Hex.text($0) } == vector.segments)
    let verdict = packets[0].verdict
    #expect(verdict == .consumed)
  }

  @Test("the reference agrees with the vectors")
  func reference() throws {
    var packet = SuperPacket()
    let bytes = try #require(Hex.bytes(OffloadVector.all[0].packet))
    packet.network = Array(bytes[..<20])
    packet.transport = Array(bytes[20..<52])
    put16(&packet.network, 2, 0)
    put16(&packet.network, 10, 0)
    put16(&packet.transport, 16, 0)
    packet.destination = Array(bytes[16..<20])
    packet.payload = Array(bytes[52...])
    packet.segmentSize = 8
    #expect(packet.bytes == bytes)
    #expect(packet.header.bytes == Hex.bytes(OffloadVector.all[0].vnet))
    #expect(packet.segments.map { Hex.text($0) } == OffloadVector.all[0].segments)
  }

  @Test("thousands of segments go on where the room ended, between other packets")
  func resumption() {
    var packet = SuperPacket.tcp(payload: 40_000)
    packet.segmentSize = 7
    let pair = LanePair()
    var packets = Burst(capacity: 1 << 17, maximumCount: 3)
    let appended = [
      packets.append(copying: ipv4(100, fill: 1)), packets.append(packet.bytes, header: packet.header),
      packets.append(copying: ipv4(100, fill: 2)),
    ]
    let passed = pair.pass(&packets, sealedRoom: 10_000, sealedCount: 64)
    #expect(appended == [true, true, true] && passed)
    let expected = [ipv4(100, fill: 1)] + packet.segments + [ipv4(100, fill: 2)]
    let areEqual = pair.opened == expected
    #expect(areEqual && expected.count == 5717)
    let (counted, refusals) = (pair.up.counters.packets, pair.refusals)
    #expect(counted == 5717 && refusals == 89)
  }

  @Test("a checksum is completed once, however often there is no room")
  func onceOnly() throws {
    let vector = OffloadVector.all[4]
    var up = makeUp(Suite(.aes256GCM), .client)
    var packets = Burst(capacity: 4096, maximumCount: 1)
    var none = Burst(capacity: 16, maximumCount: 1)
    var room = Burst(capacity: 4096, maximumCount: 1)
    let appended = packets.append(
      try #require(Hex.bytes(vector.packet)), vnet: try #require(Hex.bytes(vector.vnet)))
    let refused = [up.seal(&packets, into: &none), up.seal(&packets, into: &none)]
    let taken = up.seal(&packets, into: &room)
    let completed = Hex.text(packets.copy(0))
    #expect(appended && refused == [false, false] && taken && completed == vector.segments[0])
  }

  @Test("a half-cut packet is forgotten when its burst was reset")
  func abandon() {
    let packet = SuperPacket.tcp(payload: 5000)
    let other = SuperPacket.tcp(payload: 5000, fill: 9)
    let pair = LanePair()
    var packets = Burst(capacity: 1 << 16, maximumCount: 1)
    var few = Burst(capacity: 1 << 16, maximumCount: 2)
    let first = packets.append(packet.bytes, header: packet.header)
    let refused = pair.up.seal(&packets, into: &few)
    packets.reset()
    pair.up.abandonCut()
    let second = packets.append(other.bytes, header: other.header)
    let passed = pair.pass(&packets, sealedRoom: 1 << 16, sealedCount: 64)
    #expect(first && second && !refused && passed)
    #expect(pair.opened == other.segments)
  }

  @Test("without a key, or with segments that no datagram holds, the whole packet is one drop")
  func drops() {
    let packet = SuperPacket.tcp(payload: 5000)
    var keyless = UpLane(format: DataFormat(peerID: 5), random: .seeded(1))
    var packets = Burst(capacity: 1 << 17, maximumCount: 1)
    var sealed = Burst(capacity: 1 << 17, maximumCount: 64)
    let first = packets.append(packet.bytes, header: packet.header)
    let done = keyless.seal(&packets, into: &sealed)
    let (verdict, dropped) = (packets[0].verdict, keyless.counters[.noKey])
    #expect(first && done && verdict == .dropped && dropped == 1)

    var large = SuperPacket.tcp(payload: 65_490)
    large.segmentSize = 65_480
    var up = makeUp(Suite(.aes256GCM), .client)
    packets.reset()
    let second = packets.append(large.bytes, header: large.header)
    let went = up.seal(&packets, into: &sealed)
    let (after, tooLarge) = (packets[0].verdict, up.counters[.tooLarge])
    #expect(second && went && after == .dropped && tooLarge == 1)
  }

  @Test("the ids of a key may end within a super-packet")
  func idsEnd() {
    let packet = SuperPacket.tcp(payload: 5000)
    var up = makeUp(Suite(.aes256GCM), .client, firstPacketID: UInt32.max - 1)
    var packets = Burst(capacity: 1 << 16, maximumCount: 2)
    var sealed = Burst(capacity: 1 << 16, maximumCount: 64)
    let appended = packets.append(packet.bytes, header: packet.header)
    let done = up.seal(&packets, into: &sealed)
    let (verdict, count, dropped) = (packets[0].verdict, sealed.count, up.counters[.wrapExhausted])
    #expect(appended && done && verdict == .dropped && count == 2 && dropped == 1)
  }
}

extension SuperPacket {
  /// A plain one over IPv4.
  static func tcp(payload count: Int, fill: UInt8 = 3) -> SuperPacket {
    var packet = SuperPacket()
    packet.network = [0x45, 0, 0, 0, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 8, 0, 6, 192, 0, 2, 7]
    packet.destination = [192, 0, 2, 7]
    packet.transport = [0x82, 0x35, 1, 0xbb, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x18, 1, 0, 0, 0, 0, 0]
    packet.payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ fill }
    return packet
  }
}
