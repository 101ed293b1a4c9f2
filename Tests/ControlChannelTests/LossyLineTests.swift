import Base
import ControlChannel
import Crypto
import Testing
import Wire

@Suite("Two ends over a line that loses, doubles, swaps and flips") struct LossyLineTests {
  /// One end: reliability above a wrap.
  private struct End: ~Copyable {
    var reliable: Reliable
    var wrap: ControlWrap
    let own: SessionID
    let peer: SessionID
    var toSend: [[UInt8]]
    var received: [[UInt8]] = []
    var drops = 0

    init(_ kind: Kind, _ role: ControlWrap.Role, messages: Int) throws {
      reliable = Reliable(keyID: 1, isStream: false)
      wrap = try kind.wrap(role)
      own = role == .client ? Vectors.clientID : Vectors.serverID
      peer = role == .client ? Vectors.serverID : Vectors.clientID
      toSend = (0..<messages).map { [role == .client ? 0 : 1, UInt8($0)] }
    }

    mutating func flush(at now: Instant) -> [[UInt8]] {
      while reliable.canQueue, !toSend.isEmpty { reliable.queue(.controlV1, payload: toSend.removeFirst()) }
      var packets = reliable.packetsDue(at: now).map { message in
        ControlPacket(
          opcode: message.opcode, keyID: 1, sessionID: own, acknowledgements: message.acknowledgements,
          peerSessionID: peer, messageID: message.messageID, payload: message.payload)
      }
      while let ids = reliable.acknowledgementDue() {
        packets.append(
          ControlPacket(opcode: .ackV1, keyID: 1, sessionID: own, acknowledgements: ids, peerSessionID: peer))
      }
      return packets.map { wrap.seal($0) }
    }

    mutating func receive(_ bytes: [UInt8], at now: Instant) {
      switch wrap.open(bytes) {
      case .failure: drops += 1
      case .success(let packet): if reliable.receive(packet, at: now) != nil { drops += 1 }
      }
      while let payload = reliable.nextPayload() { received.append(payload) }
    }

    var isDone: Bool { toSend.isEmpty && reliable.allAcknowledged }
  }

  @Test("everything arrives, in order and once", arguments: 0..<200) func delivery(seed: Int) throws {
    var random = RandomSource.seeded(UInt64(seed))
    let kind = [Kind.authSHA1, .crypt, .dynamicOverAuth][seed % 3]
    var client = try End(kind, .client, messages: 40)
    var server = try End(kind, .server, messages: 25)
    var line: [(due: Instant, toServer: Bool, bytes: [UInt8])] = []
    var now = Instant(nanoseconds: 1_000_000_000)
    let loss = UInt64(seed % 5) * 10

    func put(_ packets: [[UInt8]], toServer: Bool) {
      for packet in packets {
        if random.next() % 100 < loss { continue }
        var bytes = packet
        if random.next() % 50 == 0 { bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << (random.next() % 8) }
        for _ in 0..<(random.next() % 10 == 0 ? 2 : 1) {
          line.append((now + .milliseconds(Int(random.next() % 300)), toServer, bytes))
        }
      }
    }

    var steps = 0
    while !(client.isDone && server.isDone), steps < 20_000 {
      steps += 1
      put(client.flush(at: now), toServer: true)
      put(server.flush(at: now), toServer: false)
      let times = line.map(\.due) + [client.reliable.nextDeadline, server.reliable.nextDeadline].compactMap { $0 }
      guard let next = times.min() else { break }
      now = max(now, next)
      let arriving = line.filter { $0.due <= now }
      line.removeAll { $0.due <= now }
      for packet in arriving {
        if packet.toServer { server.receive(packet.bytes, at: now) } else { client.receive(packet.bytes, at: now) }
      }
    }
    let atServer = server.received
    let atClient = client.received
    #expect(atServer == (0..<40).map { [0, UInt8($0)] }, "seed \(seed)")
    #expect(atClient == (0..<25).map { [1, UInt8($0)] }, "seed \(seed)")
  }

  @Test("random bytes end in counted drops", arguments: Kind.allCases) func garbage(kind: Kind) throws {
    var random = RandomSource.seeded(7)
    var client = try kind.wrap(.client)
    var server = try kind.wrap(.server)
    for _ in 0..<3_000 {
      var bytes = random.bytes(Int(random.next() % 400))
      if !bytes.isEmpty, random.next() % 2 == 0 { bytes[0] = UInt8(random.next() % 12) << 3 }
      let drops = [open(bytes, &client), open(bytes, &server)]
      if kind != .none { #expect(!drops.contains(nil)) }
    }
  }
}
