import Base
import DataChannel
import Testing

@Suite("Coalescer")
struct CoalescerTests {
  typealias Oddity = Connection.Oddity

  /// Five segments of one connection, the third of which is odd.
  private static func five(_ oddity: Oddity?, isIPv4: Bool, isTCP: Bool = true, lasts: Bool = false) -> [[UInt8]] {
    var generator = SeededGenerator(seed: 7)
    var connection =
      isTCP
      ? Connection(isIPv4: isIPv4, size: 100, using: &generator)
      : Connection(datagramsOf: 100, isIPv4: isIPv4, using: &generator)
    return (0..<5).map { connection.segment($0 == 2 ? oddity : nil, lasts: lasts, using: &generator) }
  }

  private static func joined(_ packets: [[UInt8]]) -> JoinedBurst {
    var coalescer = Coalescer()
    var burst = Burst(capacity: 1 << 17, maximumCount: 160)
    return JoinedBurst(packets, with: &coalescer, in: &burst)
  }

  private static let whole = [[0, 1, 2, 3, 4]]
  private static let apart = [[0, 1], [2], [3, 4]]
  private static let anew = [[0, 1], [2, 3, 4]]
  private static let closed = [[0, 1, 2], [3, 4]]

  /// For one segment only; `nil` where IPv6 has nothing of the kind.
  private static let rules: [(oddity: Oddity?, ipv4: [[Int]], ipv6: [[Int]]?)] = [
    (nil, whole, whole), (.shorter, closed, closed), (.longer, [[0, 1], [2, 3], [4]], [[0, 1], [2, 3], [4]]),
    (.empty, apart, apart), (.push, closed, closed), (.lost, anew, anew),
    (.fin, apart, apart), (.syn, apart, apart), (.reset, apart, apart), (.urgent, apart, apart),
    (.echo, apart, apart), (.reduced, apart, apart), (.noAck, apart, apart), (.reserved, apart, apart),
    (.urgentPointer, apart, apart), (.acknowledgement, apart, apart), (.window, apart, apart),
    (.option, apart, apart), (.moreOptions, apart, apart), (.hopLimit, apart, apart), (.service, apart, apart),
    (.fragmentBit, apart, apart), (.identification, apart, apart),
    (.badChecksum, apart, apart), (.badPayload, apart, apart), (.badHeader, apart, nil),
    (.zeroChecksum, apart, apart), (.onesChecksum, apart, apart),
    (.trailing, apart, apart), (.truncated, apart, apart), (.fragment, apart, apart), (.extended, apart, apart),
  ]

  @Test("each rule makes the chains that it should")
  func table() throws {
    for rule in Self.rules {
      #expect(
        Self.joined(Self.five(rule.oddity, isIPv4: true)).chains == rule.ipv4, "\(String(describing: rule.oddity))")
      guard let chains = rule.ipv6 else { continue }
      #expect(Self.joined(Self.five(rule.oddity, isIPv4: false)).chains == chains, "\(String(describing: rule.oddity))")
    }
    let named = Self.rules.compactMap(\.oddity)
    #expect(Oddity.allCases.allSatisfy { named.contains($0) })
  }

  @Test("each rule that has to do with datagrams makes the same chains of them")
  func datagrams() {
    for rule in Self.rules where rule.oddity.map(Oddity.ofDatagrams.contains) ?? true {
      let ipv4 = Self.joined(Self.five(rule.oddity, isIPv4: true, isTCP: false)).chains
      #expect(ipv4 == rule.ipv4, "\(String(describing: rule.oddity))")
      guard let chains = rule.ipv6 else { continue }
      let ipv6 = Self.joined(Self.five(rule.oddity, isIPv4: false, isTCP: false)).chains
      #expect(ipv6 == chains, "\(String(describing: rule.oddity))")
    }
  }

  @Test("where the kernel takes no joined datagrams they go alone, and TCP is joined around them")
  func noDatagrams() {
    let tcp = Self.five(nil, isIPv4: true)
    let udp = Self.five(nil, isIPv4: true, isTCP: false)
    var burst = Burst(capacity: 1 << 16, maximumCount: 8)
    burst.forward([tcp[0], udp[0], tcp[1], udp[1]])
    var coalescer = Coalescer()
    coalescer.join(&burst, datagrams: false)
    let next = [burst[0].next, burst[1].next, burst[2].next, burst[3].next]
    #expect(next == [2, -1, -1, -1])
    let whole = burst.copy(3)
    #expect(whole == udp[1])
  }

  @Test(
    "what changes for good begins another run",
    arguments: [.acknowledgement, .window, .option, .moreOptions, .hopLimit, .service, .fragmentBit] as [Oddity])
  func changes(oddity: Oddity) {
    for isIPv4 in [true, false] {
      #expect(Self.joined(Self.five(oddity, isIPv4: isIPv4, lasts: true)).chains == Self.anew)
    }
  }

  @Test("a chain's vnet header and edited head say what the kernel must cut", arguments: [true, false], [true, false])
  func header(isIPv4: Bool, isTCP: Bool) throws {
    let packets = Self.five(isTCP ? .push : .shorter, isIPv4: isIPv4, isTCP: isTCP)
    let joined = Self.joined(packets)
    let header = try #require(joined.headers[0])
    let ipSize = isIPv4 ? 20 : 40
    let upperSize = isTCP ? 32 : 8
    #expect(
      header
        == VnetHeader(
          needsChecksum: true, segmentation: isTCP ? isIPv4 ? .tcpIPv4 : .tcpIPv6 : .udp,
          headerLength: UInt16(ipSize + upperSize), segmentSize: 100, checksumStart: UInt16(ipSize),
          checksumOffset: isTCP ? 16 : 6))
    let whole = joined.supers[0]
    #expect(whole.count == packets[..<3].reduce(0) { $0 + $1.count } - 2 * (ipSize + upperSize))
    if isTCP { #expect(whole[ipSize + 13] == 0x18) } else { #expect(get16(whole, ipSize + 4) == whole.count - ipSize) }
    #expect(SuperPacket(whole, header: header)?.segments == Array(packets[..<3]))
    #expect(joined.parted == packets)
  }

  @Test("a packet alone stays as it is, and has no vnet header")
  func alone() {
    let packets = Self.five(nil, isIPv4: true)
    for packet in [packets[0], [0x45], [0x60], Array(packets[0].prefix(39))] {
      let joined = Self.joined([packet])
      #expect(joined.chains == [[0]] && joined.headers == [nil] && joined.supers == [packet])
    }
    #expect(Self.joined([]).chains == [])
  }

  @Test("64 segments are the most, and 65,535 bytes")
  func limits() {
    var generator = SeededGenerator(seed: 8)
    var small = Connection(isIPv4: true, size: 10, using: &generator)
    #expect(Self.joined((0..<130).map { _ in small.segment(using: &generator) }).chains.map(\.count) == [64, 64, 2])
    for isIPv4 in [true, false] {
      // 65,535 less the headers is no multiple of 4,000: 16 segments fit, 17 do not.
      var large = Connection(isIPv4: isIPv4, size: 4000, using: &generator)
      #expect(Self.joined((0..<20).map { _ in large.segment(using: &generator) }).chains.map(\.count) == [16, 4])
      // Just so that it fits: the whole is 65,535 bytes.
      let payload = 65_535 - (isIPv4 ? 52 : 72)
      var exact = Connection(isIPv4: isIPv4, size: payload / 3 + 1, using: &generator)
      var packets = [exact.segment(using: &generator), exact.segment(using: &generator)]
      exact.size = payload - 2 * exact.size
      packets.append(exact.segment(using: &generator))
      let joined = Self.joined(packets)
      #expect(joined.chains == [[0, 1, 2]] && joined.supers[0].count == 65_535)
      // A byte more, and it is too much.
      exact.size = payload / 3 + 1
      packets = [exact.segment(using: &generator), exact.segment(using: &generator)]
      exact.size = payload - 2 * exact.size + 1
      packets.append(exact.segment(using: &generator))
      #expect(Self.joined(packets).chains == [[0, 1], [2]])
    }
  }

  @Test("sequence and id go on beyond their largest values")
  func wraps() {
    var generator = SeededGenerator(seed: 9)
    var connection = Connection(isIPv4: true, size: 1000, using: &generator)
    connection.place(sequence: 0xffff_f800, identification: 0xfffe)
    let packets = (0..<6).map { _ in connection.segment(using: &generator) }
    let joined = Self.joined(packets)
    #expect(joined.chains == [[0, 1, 2, 3, 4, 5]])
    #expect(joined.headers[0].flatMap { SuperPacket(joined.supers[0], header: $0) }?.segments == packets)
  }

  @Test("16 connections are open at once; a 17th ends the one that began first")
  func sixteen() {
    var generator = SeededGenerator(seed: 10)
    var connections = (0..<17).map { Connection(isIPv4: $0 % 2 == 0, size: 50, using: &generator) }
    var packets: [[UInt8]] = []
    for _ in 0..<3 { for slot in 0..<16 { packets.append(connections[slot].segment(using: &generator)) } }
    #expect(Self.joined(packets).chains == (0..<16).map { [$0, $0 + 16, $0 + 32] })
    packets.append(connections[16].segment(using: &generator))
    for slot in 0..<17 { packets.append(connections[slot].segment(using: &generator)) }
    // The 17th ended the first, which comes back and ends the second, and so on: from there on all go alone.
    let chains = Self.joined(packets).chains
    #expect(chains[..<16].map { $0 } == (0..<16).map { [$0, $0 + 16, $0 + 32] })
    #expect(chains[16...].map { $0 } == (48..<66).map { [$0] })
  }

  @Test("a bad head is found out when another would join it, and that one begins anew")
  func badHead() {
    var packets = Self.five(nil, isIPv4: true)
    packets[0][60] ^= 1
    #expect(Self.joined(packets).chains == [[0], [1, 2, 3, 4]])
  }

  @Test("a bad segment stays in front of the good one that is sent again for it")
  func repaired() {
    var packets = Self.five(nil, isIPv4: true)
    var bad = packets[2]
    bad[60] ^= 1
    packets.insert(bad, at: 2)
    #expect(Self.joined(packets).chains == [[0, 1], [2], [3, 4, 5]])
  }

  @Test("connections that look alike to the search are told apart", arguments: [true, false])
  func collision(isIPv4: Bool) {
    var generator = SeededGenerator(seed: 11)
    var first = Connection(isIPv4: isIPv4, size: 100, using: &generator)
    let packet = first.segment(using: &generator)
    var second = first
    second.transport[0] ^= 0xff
    // What the ports change in the fingerprint, the addresses take back.
    func mixed(_ connection: Connection) -> UInt64 {
      let ports = connection.transport[..<4].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      return ports &* 0x9e37_79b9_7f4a_7c15
    }
    let difference = mixed(first) ^ mixed(second)
    let address = isIPv4 ? 12 : 8
    for place in 0..<8 { second.network[address + place] ^= UInt8(truncatingIfNeeded: difference >> (8 * place)) }
    let packets = [packet, second.segment(using: &generator), first.segment(using: &generator)]
    #expect(Self.joined(packets).chains == [[0, 2], [1]])
  }

  @Test("only `.forward` packets are joined, and a verdict between them is no hindrance")
  func verdicts() {
    let packets = Self.five(nil, isIPv4: false)
    for verdict in [Burst.Verdict.fresh, .control, .consumed, .dropped] {
      var burst = Burst(capacity: 1 << 16, maximumCount: 8)
      burst.forward([packets[0], packets[1], packets[0], packets[2]])
      burst[2].verdict = verdict
      var coalescer = Coalescer()
      coalescer.join(&burst)
      let verdicts = [burst[0].verdict, burst[1].verdict, burst[2].verdict, burst[3].verdict]
      #expect(verdicts == [.forward, .joined, verdict, .joined])
      let next = [burst[0].next, burst[1].next, burst[2].next, burst[3].next]
      #expect(next == [1, 3, -1, -1])
      let whole = burst.copy(2)
      #expect(whole == packets[0])
    }
  }

  @Test("joining twice changes nothing more")
  func twice() {
    var burst = Burst(capacity: 1 << 16, maximumCount: 16)
    burst.forward(Self.five(.push, isIPv4: true) + Self.five(nil, isIPv4: false))
    var coalescer = Coalescer()
    coalescer.join(&burst)
    let first = burst.contents
    coalescer.join(&burst)
    let second = burst.contents
    #expect(second == first)
  }
}
