import Base
import Crypto
import DataChannel
import Testing

@Suite("A pair of lanes")
struct LanePairTests {
  @Test("a burst of 64 goes through, both ways and in both headers", arguments: Suite.all, [nil, 9] as [UInt32?])
  func burstOf64(suite: Suite, peerID: UInt32?) {
    for (from, to) in [(DataRole.client, DataRole.server), (.server, .client)] {
      let format = DataFormat(peerID: peerID)
      var up = makeUp(suite, from, format: format)
      var down = makeDown(suite, to, format: format)
      var plain = Burst(capacity: 1 << 18, maximumCount: 64)
      var sealed = Burst(capacity: 1 << 18, maximumCount: 64)
      let packets = (0..<64).map { $0 % 2 == 0 ? ipv4(20 + $0 * 23, fill: UInt8($0)) : ipv6(40 + $0 * 22) }
      for round in 1...3 as ClosedRange<UInt64> {
        plain.reset()
        sealed.reset()
        for packet in packets { _ = plain.append(copying: packet) }
        let done = up.seal(&plain, into: &sealed)
        let count = sealed.count
        #expect(done && count == 64)
        let used = sealed.used
        let verdicts = Set((0..<64).map { plain[$0].verdict })
        #expect(verdicts == [.consumed])

        // Without gaps, as one send wants them.
        let total = (0..<64).reduce(0) { $0 + Int(sealed[$1].length) }
        #expect(total == used)

        for index in 0..<64 { sealed[index].verdict = .fresh }
        down.open(&sealed)
        for index in 0..<64 {
          let (verdict, bytes, front) = (sealed[index].verdict, sealed.copy(index), sealed[index].offset)
          #expect(verdict == .forward && bytes == packets[index] && front >= 12)
        }
        let (sent, received, life) = (up.counters, down.counters, down.authenticated)
        let bytes = UInt64(packets.reduce(0) { $0 + $1.count })
        #expect(sent.packets == 64 * round && sent.bytes == bytes * round && sent.sealedPackets == 64 * round)
        #expect(received.packets == 64 * round && received.bytes == bytes * round && received.dropped == 0)
        #expect(sent.sealedBytes == received.sealedBytes && life == 64 * round)
      }
    }
  }

  @Test("on a stream every record carries its length", arguments: Suite.kinds)
  func stream(suite: Suite) {
    var up = makeUp(suite, .client, format: DataFormat(peerID: 1, isStream: true))
    var down = makeDown(suite, .server)
    var plain = Burst(capacity: 1 << 14, maximumCount: 8)
    var sealed = Burst(capacity: 1 << 14, maximumCount: 8)
    for count in 20..<28 { _ = plain.append(copying: ipv4(count)) }
    up.seal(&plain, into: &sealed)
    for index in 0..<8 {
      let record = sealed.copy(index)
      let length = Int(record[0]) << 8 | Int(record[1])
      #expect(length == record.count - 2)
      let outcome = down.open(Array(record.dropFirst(2)))
      #expect(outcome.bytes == ipv4(20 + index))
    }
    // A message goes the way of control packets, whose lengths the sender of the stream puts in front.
    let message = up.seal(message: DataMessage.ping)
    let outcome = message.map { down.open($0) }
    #expect(outcome?.verdict == .consumed)
  }

  @Test("a full burst leaves the rest fresh for the next call")
  func fullBurst() {
    var up = makeUp(Suite(.aes256GCM), .client)
    var plain = Burst(capacity: 1 << 16, maximumCount: 10)
    var few = Burst(capacity: 1 << 16, maximumCount: 4)
    var small = Burst(capacity: 3 * 124, maximumCount: 10)
    for _ in 0..<10 { _ = plain.append(copying: ipv4(100)) }
    let first = up.seal(&plain, into: &few)
    let second = up.seal(&plain, into: &small)
    let (fourth, third, fresh) = (few.count, small.count, (0..<10).filter { plain[$0].verdict == .fresh }.count)
    #expect(!first && !second && fourth == 4 && third == 3 && fresh == 3)
    few.reset()
    let last = up.seal(&plain, into: &few)
    let (count, packets) = (few.count, up.counters.packets)
    #expect(last && count == 3 && packets == 10)
  }

  @Test("packets already judged are left alone")
  func verdicts() {
    var up = makeUp(Suite(.aes256GCM), .client)
    var down = makeDown(Suite(.aes256GCM), .server)
    for verdict in [Burst.Verdict.control, .forward, .consumed, .dropped] {
      var plain = Burst(capacity: 4096, maximumCount: 1)
      var sealed = Burst(capacity: 4096, maximumCount: 1)
      _ = plain.append(copying: ipv4(60))
      plain[0].verdict = verdict
      up.seal(&plain, into: &sealed)
      down.open(&plain)
      let (after, isEmpty) = (plain[0].verdict, sealed.isEmpty)
      #expect(after == verdict && isEmpty)
    }
  }

  @Test("control packets stay untouched for the session")
  func control() {
    var down = makeDown(Suite(.aes256GCM), .client)
    let packet: [UInt8] = [0x28, 1, 2, 3]
    let outcome = down.open(packet)
    #expect(outcome.verdict == .control && outcome.bytes == packet)
  }

  @Test("pings and OCC messages end here, and only EXIT is remembered")
  func messages() {
    var up = makeUp(Suite(.aes128GCM), .server)
    var down = makeDown(Suite(.aes128GCM), .client)
    func through(_ message: [UInt8], _ up: inout UpLane, _ down: inout DownLane) -> Burst.Verdict {
      down.open(up.seal(message: message) ?? []).verdict
    }
    let request = DataMessage.exit.dropLast() + [0]
    let before = [
      through(DataMessage.ping, &up, &down), through(Array(request), &up, &down),
      through(Array(DataMessage.exit.dropLast()), &up, &down),
    ]
    let quiet = down.sawExit
    let exit = through(DataMessage.exit, &up, &down)
    let loud = down.sawExit
    #expect(before == [.consumed, .consumed, .consumed] && !quiet)
    #expect(exit == .consumed && loud)
    // Almost a ping is not one, and no IP packet either.
    let longer = through(DataMessage.ping + [0], &up, &down)
    let other = through(DataMessage.ping.dropLast() + [0], &up, &down)
    #expect(longer == .dropped && other == .dropped)
    let (packets, sealed) = (down.counters.packets, down.counters.sealedPackets)
    #expect(packets == 0 && sealed == 6)
  }

  @Test(
    "only plausible IP packets go on",
    arguments: [
      (ipv4(20), nil), (ipv4(19), .notIP), (ipv6(40), nil), (ipv6(39), .notIP), ([0x00] + ipv4(59), .notIP),
      ([0x55] + ipv4(59), .notIP), ([0x45], .notIP), (ipv4(1500), nil), (ipv4(1501), .tooLarge),
      (ipv6(1501), .tooLarge),
    ] as [([UInt8], DataDrop?)])
  func plausible(payload: [UInt8], drop: DataDrop?) {
    var up = makeUp(Suite(.aes256GCM), .server)
    var down = makeDown(Suite(.aes256GCM), .client)
    let sealed = up.seal(message: payload) ?? []
    let reason = down.dropReason(sealed)
    let packets = down.counters.packets
    #expect(reason == drop && packets == (drop == nil ? 1 : 0))
  }

  @Test("every drop has a counter of its own")
  func counters() {
    for (index, drop) in DataDrop.allCases.enumerated() {
      var counters = LaneCounters()
      for _ in 0...index { counters.count(drop) }
      for other in DataDrop.allCases { #expect(counters[other] == (other == drop ? UInt64(index + 1) : 0)) }
    }
  }
}
