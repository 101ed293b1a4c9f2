import Base
import DataChannel
import Testing

@Suite("Lies about offloads")
struct LyingOffloadTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The header without its `headerLength`, which is no promise.
    var header: VnetHeader
    var packet: [UInt8]

    init(
      _ name: String, of packet: SuperPacket = .tcp(payload: 3000), _ change: (inout VnetHeader, inout [UInt8]) -> Void
    ) {
      testDescription = name
      header = packet.header
      self.packet = packet.bytes
      change(&header, &self.packet)
    }
  }

  static let udp: SuperPacket = {
    var packet = SuperPacket.tcp(payload: 3000)
    packet.isTCP = false
    packet.network[9] = 17
    packet.transport = [0x82, 0x35, 1, 0xbb, 0, 0, 0, 0]
    return packet
  }()

  static let lies = [
    Lie("segments of nothing") { header, _ in header.segmentSize = 0 },
    Lie("segments, and no checksum to complete") { header, _ in header.needsChecksum = false },
    Lie("IPv6 said, IPv4 there") { header, _ in header.segmentation = .tcpIPv6 },
    Lie("IPv4 said, IPv6 there") { _, packet in packet[0] = 0x65 },
    Lie("neither IPv4 nor IPv6") { _, packet in packet[0] = 0x75 },
    Lie("UDP said, the checksum where TCP has it") { header, _ in header.segmentation = .udp },
    Lie("TCP said, the checksum where UDP has it") { header, _ in header.checksumOffset = 6 },
    Lie("an IP header shorter than any") { _, packet in packet[0] = 0x44 },
    Lie("an IP header that reaches into TCP") { _, packet in packet[0] = 0x46 },
    Lie("TCP within the IP header") { header, _ in header.checksumStart = 16 },
    Lie("TCP behind the packet") { header, _ in header.checksumStart = 3040 },
    Lie("TCP far behind the packet") { header, _ in header.checksumStart = 65_535 },
    Lie("TCP that ends behind the packet") { _, packet in packet.removeLast(3001) },
    Lie("a TCP header shorter than any") { _, packet in packet[32] = 0x40 },
    Lie("a TCP header as long as the packet") { _, packet in
      packet[32] = 0xf0
      packet.removeLast(2960)
    },
    Lie("a TCP header longer than the packet") { _, packet in
      packet[32] = 0xf0
      packet.removeLast(2970)
    },
    Lie("no payload to cut") { _, packet in packet.removeLast(3000) },
    Lie("a packet of nothing") { _, packet in packet = [] },
    Lie("one byte") { _, packet in packet = [0x45] },
    Lie("UDP that ends behind the packet", of: udp) { _, packet in packet.removeLast(3001) },
    Lie("UDP without payload", of: udp) { _, packet in packet.removeLast(3000) },
    Lie("a checksum of a packet that ends before it") { header, packet in
      header.segmentation = .none
      packet.removeLast(3003)
    },
    Lie("a checksum whose field is half outside") { header, packet in
      header.segmentation = .none
      header.checksumStart = UInt16(packet.count - 17)
    },
    Lie("a checksum far away") { header, _ in
      header = VnetHeader(needsChecksum: true, checksumStart: 65_535, checksumOffset: 65_535)
    },
  ]

  @Test("each is a drop of its own kind, and the packet stays as it was", arguments: lies)
  func lie(lie: Lie) {
    var up = makeUp(Suite(.aes256GCM), .client)
    var packets = Burst(capacity: 1 << 13, maximumCount: 2)
    var sealed = Burst(capacity: 1 << 13, maximumCount: 64)
    let appended = packets.append(lie.packet, header: lie.header) && packets.append(copying: ipv4(40))
    let done = up.seal(&packets, into: &sealed)
    let (verdict, next, after) = (packets[0].verdict, packets[1].verdict, packets.copy(0))
    let (dropped, all, count) = (up.counters[.badOffload], up.counters.dropped, sealed.count)
    #expect(appended && done && verdict == .dropped && dropped == 1 && all == 1)
    #expect(next == .consumed && count == 1 && after == lie.packet)
  }

  @Test("a kind of segmentation that was never asked for is a drop too", arguments: [2, 3, 6, 0x7f, 0x83] as [UInt8])
  func unknownKind(kind: UInt8) {
    let packet = SuperPacket.tcp(payload: 3000)
    var vnet = packet.header.bytes
    vnet[1] = kind
    var up = makeUp(Suite(.aes256GCM), .client)
    var packets = Burst(capacity: 1 << 13, maximumCount: 1)
    var sealed = Burst(capacity: 1 << 13, maximumCount: 64)
    let appended = packets.append(packet.bytes, vnet: vnet)
    let done = up.seal(&packets, into: &sealed)
    let (verdict, dropped) = (packets[0].verdict, up.counters[.badOffload])
    #expect(appended && done && verdict == .dropped && dropped == 1)
  }

  @Test(
    "how much of a packet lay in one piece is no lie, whatever it says",
    arguments: [0, 20, 40, 1400, 65_535] as [UInt16])
  func headerLength(length: UInt16) {
    let packet = SuperPacket.tcp(payload: 3000)
    var header = packet.header
    header.headerLength = length
    let pair = LanePair()
    var packets = Burst(capacity: 1 << 13, maximumCount: 1)
    let appended = packets.append(packet.bytes, header: header)
    let passed = pair.pass(&packets, sealedRoom: 1 << 13, sealedCount: 64)
    #expect(appended && passed && pair.opened == packet.segments)
  }

  @Test("segments longer than an IP packet are a lie even where the packet has so many bytes")
  func longSegments() {
    var packet = SuperPacket.tcp(payload: 65_600)
    packet.segmentSize = 65_535
    var up = makeUp(Suite(.aes256GCM), .client)
    var packets = Burst(capacity: 1 << 17, maximumCount: 1)
    var sealed = Burst(capacity: 1 << 17, maximumCount: 64)
    let appended = packets.append(packet.bytes, header: packet.header)
    let done = up.seal(&packets, into: &sealed)
    let (verdict, dropped) = (packets[0].verdict, up.counters[.badOffload])
    #expect(appended && done && verdict == .dropped && dropped == 1)
  }
}
