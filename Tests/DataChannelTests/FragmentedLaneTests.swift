import Base
import Crypto
import DataChannel
import Testing

@Suite("A lane with fragment")
struct FragmentedLaneTests {
  /// Pieces as somebody else makes them, sealed by a lane that knows nothing of them.
  private func pieces(_ payload: [UInt8], size: Int, sequence: UInt8) -> [[UInt8]] {
    let count = (payload.count + size - 1) / size
    return (0..<count).map { index in
      let isLast = index == count - 1
      let header = FragmentHeader(
        kind: isLast ? .last : .part, sequence: sequence, index: index, pieceSize: isLast ? size : 0)
      var piece = [UInt8](repeating: 0, count: FragmentHeader.size)
      header.write(into: &piece)
      return piece + payload[index * size..<min(payload.count, index * size + size)]
    }
  }

  @Test("pieces of a peer come out as one packet, the last to arrive completing it", arguments: Suite.kinds)
  func opens(suite: Suite) {
    var up = makeUp(suite, .server)
    var down = makeDown(suite, .client, format: DataFormat(peerID: 5, fragment: 600))
    let packet = ipv4(1428, fill: 7)
    let sealed = pieces(packet, size: 572, sequence: 200).map { up.seal(message: $0) ?? [] }
    let outcomes = [sealed[2], sealed[0], sealed[1]].map { down.open($0) }
    #expect(outcomes.map(\.verdict) == [.consumed, .consumed, .forward])
    #expect(outcomes.last?.bytes == packet && outcomes.allSatisfy { $0.front >= 12 })
    let (whole, ping) = (
      down.open(up.seal(message: [0, 0, 0, 0] + ipv4(60)) ?? []),
      down.open(up.seal(message: [0, 0, 0, 0] + DataMessage.ping) ?? [])
    )
    #expect(whole.bytes == ipv4(60) && whole.verdict == .forward && ping.verdict == .consumed)
    let counters = down.counters
    #expect(counters.packets == 2 && counters.sealedPackets == 5 && counters.dropped == 0)
    // The burst has no room for what became whole.
    let more = pieces(packet, size: 572, sequence: 201).map { up.seal(message: $0) ?? [] }
    let verdicts = more.map { down.open($0, spare: 100).verdict }
    let noRoom = down.counters[.noRoom]
    #expect(verdicts == [.consumed, .consumed, .dropped] && noRoom == 1)
  }

  @Test("a pair of lanes: every size goes through, in packets no larger than asked", arguments: Suite.all)
  func pair(suite: Suite) {
    for framing in CompressionFraming.allCases {
      for (peerID, epochs) in [(nil, false), (5, false), (5, true)] as [(UInt32?, Bool)]
      where !epochs || suite.cipher.isAEAD {
        let format = DataFormat(peerID: peerID, usesEpochs: epochs, compression: framing, fragment: 333)
        var up = makeUp(suite, .client, format: format)
        var down = makeDown(suite, .server, format: format)
        var plain = Burst(capacity: 1 << 17, maximumCount: 64)
        var sealed = Burst(capacity: 1 << 18, maximumCount: 512)
        let packets = (0..<64).map { $0 % 2 == 0 ? ipv4(20 + $0 * 23, fill: UInt8($0)) : ipv6(40 + $0 * 22) }
        for packet in packets { _ = plain.append(copying: packet) }
        let isDone = up.seal(&plain, into: &sealed)
        let lengths = (0..<sealed.count).map { Int(sealed[$0].length) }
        #expect(isDone && lengths.allSatisfy { $0 <= 333 } && lengths.contains { $0 > 300 })
        let used = sealed.used
        #expect(lengths.reduce(0, +) == used)
        for index in 0..<sealed.count { sealed[index].verdict = .fresh }
        down.open(&sealed)
        let arrived = (0..<sealed.count).filter { sealed[$0].verdict == .forward }.map { sealed.copy($0) }
        #expect(arrived == packets)
        let (sent, received) = (up.counters, down.counters)
        #expect(sent.packets == 64 && received.packets == 64 && received.dropped == 0)
        #expect(sent.sealedBytes == received.sealedBytes && sent.bytes == received.bytes)
        let ping = up.packets(of: DataMessage.ping).map { down.open($0).verdict }
        #expect(ping == [.consumed])
      }
    }
  }

  @Test("a full burst leaves whole packets for the next call, and never a part of one")
  func fullBurst() {
    let format = DataFormat(peerID: 5, fragment: 600)
    var up = makeUp(Suite(.aes256GCM), .client, format: format)
    var down = makeDown(Suite(.aes256GCM), .server, format: format)
    var plain = Burst(capacity: 1 << 15, maximumCount: 10)
    for _ in 0..<10 { _ = plain.append(copying: ipv4(1400)) }
    var sealed = Burst(capacity: 1 << 14, maximumCount: 8)
    var arrived = 0
    var counts: [Int] = []
    while true {
      sealed.reset()
      let isDone = up.seal(&plain, into: &sealed)
      counts.append(sealed.count)
      for index in 0..<sealed.count { if down.open(sealed.copy(index)).verdict == .forward { arrived += 1 } }
      if isDone { break }
    }
    let packets = up.counters.packets
    #expect(counts == [6, 6, 6, 6, 6] && arrived == 10 && packets == 10)
  }

  @Test("what would take more than 32 pieces is too large, with no key there is nothing to seal with")
  func impossible() {
    var up = makeUp(Suite(.aes256GCM), .client, format: DataFormat(peerID: 5, fragment: 64))
    let (most, more) = (up.packets(of: ipv4(36 * 32)).count, up.packets(of: ipv4(36 * 32 + 1)).count)
    let dropped = up.counters[.tooLarge]
    #expect(most == 32 && more == 0 && dropped == 1)
    up.retire(keyID: 0)
    var plain = Burst(capacity: 4096, maximumCount: 1)
    var sealed = Burst(capacity: 4096, maximumCount: 1)
    _ = plain.append(copying: ipv4(60))
    let isDone = up.seal(&plain, into: &sealed)
    let (noKey, isEmpty, message) = (up.counters[.noKey], sealed.isEmpty, up.seal(message: DataMessage.ping))
    #expect(isDone && noKey == 1 && isEmpty && message == nil)
  }

  @Test("a peer that does not fragment, or does when we do not, is heard in nothing but counters")
  func disagreement() {
    var up = makeUp(Suite(.aes256GCM), .server)
    var ours = makeDown(Suite(.aes256GCM), .client, format: DataFormat(peerID: 5, fragment: 600))
    let reason = ours.dropReason(up.seal(message: ipv4(60)) ?? [])
    #expect(reason == .badFragment)
    var plain = makeDown(Suite(.aes256GCM), .client)
    let other = plain.dropReason(up.seal(message: [0, 0, 0, 0] + ipv4(60)) ?? [])
    #expect(other == .notIP)
  }

  @Test("random pieces of an authentic peer end in a verdict each", arguments: CompressionFraming.allCases)
  func rubbish(framing: CompressionFraming) {
    let random = RandomSource.seeded(5)
    var up = makeUp(Suite(.aes128GCM), .server)
    var down = makeDown(
      Suite(.aes128GCM), .client,
      format: DataFormat(peerID: 5, compression: framing, fragment: 600, largestPayload: 300))
    for _ in 0..<3_000 {
      var piece = random.bytes(1 + Int(random.uint64() % 80))
      if piece.count > 4 { piece.replaceSubrange(0..<2, with: [0, UInt8(random.uint64() % 16)]) }
      let before = down.counters
      let outcome = down.open(up.seal(message: piece) ?? [])
      let after = down.counters
      switch outcome.verdict {
      case .forward: #expect(outcome.bytes.count <= 300)
      case .dropped: #expect(after.dropped > before.dropped)
      case .consumed: break
      case .fresh, .control, .joined: Issue.record("\(outcome)")
      }
    }
  }

  @Test(
    "replay-window's seconds: what is missing when they are over is taken no more", arguments: Suite.kinds,
    [false, true])
  func replayTime(suite: Suite, usesEpochs: Bool) {
    var format = DataFormat(peerID: 5, usesEpochs: usesEpochs && suite.cipher.isAEAD, replayTime: .seconds(5))
    var up = makeUp(suite, .server, format: format)
    var down = makeDown(suite, .client, format: format)
    format.replayTime = .zero
    var patient = makeDown(suite, .client, format: format)
    let packets = (0..<4).map { _ in up.seal(message: ipv4(60)) ?? [] }
    let start = Instant(nanoseconds: 1_000_000_000)
    func age(_ seconds: Int, _ down: inout DownLane, _ patient: inout DownLane) {
      down.age(at: start + .seconds(seconds))
      patient.age(at: start + .seconds(seconds))
    }
    age(0, &down, &patient)
    _ = down.open(packets[3])
    _ = patient.open(packets[3])
    age(5, &down, &patient)
    // Late by less than twice the time.
    let early = down.open(packets[0]).verdict
    age(9, &down, &patient)
    let stillEarly = down.open(packets[1]).verdict
    age(10, &down, &patient)
    let late = down.dropReason(packets[2])
    let never = patient.open(packets[2]).verdict
    #expect(early == .forward && stillEarly == .forward && late == .replayed && never == .forward)
  }
}

@Suite("A super-packet in a lane with fragment")
struct FragmentedSuperPacketTests {
  @Test("it is cut into segments and these into pieces, and goes on between packets where the room ended")
  func superPacket() {
    let format = DataFormat(peerID: 5, fragment: 600)
    var up = makeUp(Suite(.aes256GCM), .client, format: format)
    var down = makeDown(Suite(.aes256GCM), .server, format: format)
    var packet = SuperPacket.tcp(payload: 40_000)
    packet.segmentSize = 1300
    var packets = Burst(capacity: 1 << 17, maximumCount: 3)
    let appended = [
      packets.append(copying: ipv4(1400, fill: 1)), packets.append(packet.bytes, header: packet.header),
      packets.append(copying: ipv4(1400, fill: 2)),
    ]
    var sealed = Burst(capacity: 1 << 14, maximumCount: 20)
    var arrived: [[UInt8]] = []
    var calls = 0
    while calls < 100 {
      sealed.reset()
      let isDone = up.seal(&packets, into: &sealed)
      calls += 1
      for index in 0..<sealed.count {
        let outcome = down.open(sealed.copy(index))
        if outcome.verdict == .forward { arrived.append(outcome.bytes) }
      }
      if isDone { break }
    }
    #expect(appended == [true, true, true] && calls > 3 && calls < 100)
    #expect(arrived == [ipv4(1400, fill: 1)] + packet.segments + [ipv4(1400, fill: 2)])
    let (counted, dropped) = (up.counters.packets, down.counters.dropped)
    #expect(counted == UInt64(packet.segments.count + 2) && dropped == 0)
  }
}
