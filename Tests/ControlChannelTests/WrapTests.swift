import Base
import ControlChannel
import Crypto
import Testing
import Wire

/// Every kind of wrap, for tests that hold for all of them.
enum Kind: String, CaseIterable, Sendable {
  case none, authSHA1, authSHA512, authBothWays, crypt, cryptV2, dynamicOverNone, dynamicOverAuth

  func key() throws -> WrapKey {
    let key = try Vectors.testKey()
    switch self {
    case .none, .dynamicOverNone: return .none
    case .authSHA1, .dynamicOverAuth: return .tlsAuth(key, .sha1, direction: 1)
    case .authSHA512: return .tlsAuth(key, .sha512, direction: 1)
    case .authBothWays: return .tlsAuth(key, .sha256, direction: nil)
    case .crypt: return .tlsCrypt(key)
    case .cryptV2:
      return .tlsCryptV2(key, wrapped: try #require(try Vectors.serverKey().wrap(key, metadata: [0])))
    }
  }

  func wrap(_ role: ControlWrap.Role, replayWindow: Int = 64) throws -> ControlWrap {
    var key = try key()
    let exported = SecretBytes(Array(repeating: 7, count: 256))
    switch self {
    case .dynamicOverNone, .dynamicOverAuth:
      return .dynamic(exported: exported, over: key, role: role, wallTime: Vectors.time, replayWindow: replayWindow)
    default:
      if role == .server, case .tlsAuth(let shared, let digest, let direction) = key {
        key = .tlsAuth(shared, digest, direction: direction.map { 1 - $0 })
      }
      return ControlWrap(key, role: role, wallTime: Vectors.time, replayWindow: replayWindow)
    }
  }
}

@Suite("Wrapping control packets") struct WrapTests {
  @Test("both directions, every kind", arguments: Kind.allCases) func bothWays(kind: Kind) throws {
    var client = try kind.wrap(.client)
    var server = try kind.wrap(.server)
    for index in 0..<5 as Range<UInt32> {
      let up = ControlPacket(
        opcode: .controlV1, keyID: 1, sessionID: Vectors.clientID, acknowledgements: [index],
        peerSessionID: Vectors.serverID, messageID: index, payload: Array(repeating: 9, count: Int(index) * 100))
      let bytes = client.seal(up)
      #expect(bytes.count == up.bytes.count + client.overhead)
      #expect(server.open(bytes) == .success(up))
      let down = ControlPacket(
        opcode: .ackV1, keyID: 1, sessionID: Vectors.serverID, acknowledgements: [index],
        peerSessionID: Vectors.clientID)
      let answer = server.seal(down)
      #expect(client.open(answer) == .success(down))
    }
  }

  @Test("any flipped bit fails, in every kind with a key", arguments: Kind.allCases.filter { $0 != .none })
  func flippedBits(kind: Kind) throws {
    var client = try kind.wrap(.client)
    let packet = ControlPacket(
      opcode: .controlV1, keyID: 1, sessionID: Vectors.clientID, acknowledgements: [1, 2],
      peerSessionID: Vectors.serverID, messageID: 3, payload: [22, 3, 1])
    let bytes = client.seal(packet)
    var server = try kind.wrap(.server)
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      let drop = open(flipped, &server)
      #expect(drop != nil && drop != .replayed, "bit \(bit)")
    }
    // Forgeries moved no window.
    #expect(server.open(bytes) == .success(packet))
  }

  @Test("any cut length fails without a trap", arguments: Kind.allCases) func cut(kind: Kind) throws {
    var client = try kind.wrap(.client)
    let bytes = client.seal(
      ControlPacket(
        opcode: .controlV1, keyID: 0, sessionID: Vectors.clientID, acknowledgements: [1],
        peerSessionID: Vectors.serverID, messageID: 3))
    var server = try kind.wrap(.server)
    for count in 0..<bytes.count {
      let drop = open(Array(bytes.prefix(count)), &server)
      #expect(drop != nil, "\(count) bytes")
    }
  }

  @Test(
    "a packet that comes twice is a replay, wherever in the window", arguments: Kind.allCases.filter { $0 != .none })
  func replays(kind: Kind) throws {
    var client = try kind.wrap(.client)
    var server = try kind.wrap(.server)
    let packet = Vectors.reset(.controlV1, keyID: 1)
    let sent = (0..<100).map { _ in client.seal(packet) }
    #expect(Set(sent).count == 100)
    for index in [0, 2, 1, 99, 36] {
      let drop = open(sent[index], &server)
      #expect(drop == nil, "\(index)")
    }
    for index in [0, 1, 2, 35, 36, 99] {
      let drop = open(sent[index], &server)
      #expect(drop == .replayed, "\(index)")
    }
  }

  @Test("W1 with the other direction, and W1 and W2 in each other's wrap, fail") func wrongWrap() throws {
    let key = try Vectors.testKey()
    var right = Vectors.wrap(.tlsAuth(key, .sha1, direction: 0), .server)
    #expect(open(Vectors.w1, &right) == nil)
    var direction = Vectors.wrap(.tlsAuth(key, .sha1, direction: 1), .server)
    #expect(open(Vectors.w1, &direction) == .badTag)
    var crypt = Vectors.wrap(.tlsCrypt(key), .server)
    #expect(open(Vectors.w1, &crypt) == .tooShort)
    var auth = Vectors.wrap(.tlsAuth(key, .sha1, direction: 0), .server)
    #expect(open(Vectors.w2, &auth) == .badTag)
    // Our own packet thrown back at us.
    var client = Vectors.wrap(.tlsCrypt(key))
    #expect(open(Vectors.w2, &client) == .unknownOpcode)
    var mirrored = try Kind.crypt.wrap(.client)
    let ack = ControlPacket(
      opcode: .ackV1, keyID: 0, sessionID: Vectors.clientID, acknowledgements: [0], peerSessionID: Vectors.serverID)
    let own = mirrored.seal(ack)
    #expect(open(own, &mirrored) == .badTag)
  }

  @Test("one key both ways: our own packet thrown back is refused and does not spoil the window") func reflected()
    throws
  {
    let key = WrapKey.tlsAuth(try Vectors.testKey(), .sha256, direction: nil)
    var client = ControlWrap(key, role: .client, wallTime: WallTime(seconds: Vectors.time.seconds + 60))
    var server = ControlWrap(key, role: .server, wallTime: Vectors.time)
    let own = client.seal(
      ControlPacket(
        opcode: .ackV1, keyID: 0, sessionID: Vectors.clientID, acknowledgements: [0], peerSessionID: Vectors.serverID))
    #expect(open(own, &client) == .wrongPeerSession)
    let answer = server.seal(
      ControlPacket(
        opcode: .ackV1, keyID: 0, sessionID: Vectors.serverID, acknowledgements: [0], peerSessionID: Vectors.clientID))
    #expect(open(answer, &client) == nil)
  }

  @Test("a client takes no packet that only servers take, and the other way round") func roles() throws {
    for opcode in [Opcode.hardResetClientV2, .hardResetClientV3, .controlWKCV1, .dataV1, .dataV2] {
      var client = Vectors.wrap(.none)
      #expect(
        open([PacketHead(opcode: opcode, keyID: 0).byte] + Array(repeating: 1, count: 60), &client) == .unknownOpcode)
    }
    var server = Vectors.wrap(.none, .server)
    #expect(open(Vectors.reset(.hardResetServerV2).bytes, &server) == .unknownOpcode)
    #expect(open([0x08] + Array(repeating: 1, count: 13), &server) == .unknownOpcode)
    #expect(open([], &server) == .tooShort)
    #expect(open([0x20] + Array(repeating: 1, count: 4_096), &server) == .tooLarge)
  }

  @Test("the wrapped key stands behind every third reset and every answer to the server's request") func wrappedKey()
    throws
  {
    let serverKey = try Vectors.serverKey()
    let key = try Kind.cryptV2.key()
    var client = Vectors.wrap(key)
    #expect(key.usesThirdReset)
    for packet in [
      Vectors.reset(.hardResetClientV3), Vectors.reset(.hardResetClientV3),
      ControlPacket(
        opcode: .controlWKCV1, keyID: 0, sessionID: Vectors.clientID, acknowledgements: [0],
        peerSessionID: Vectors.serverID, messageID: 1, payload: [22, 3, 1]),
    ] {
      let bytes = client.seal(packet)
      #expect(bytes.count == packet.bytes.count + client.overhead + key.wrappedKeySize)
      // A server that kept nothing starts from the packet alone.
      let wrapped = try #require(WrappedClientKey.trailing(bytes))
      let found = try #require(serverKey.unwrap(wrapped))
      var server = Vectors.wrap(.tlsCryptV2(found.clientKey, wrapped: wrapped), .server)
      #expect(server.open(bytes) == .success(packet))
    }
    let plain = client.seal(Vectors.reset(.controlV1))
    #expect(plain.count == 14 + client.overhead)
  }

  @Test("a wrapped key that anybody changed is refused") func wrappedKeyFlips() throws {
    let server = try Vectors.serverKey()
    let wrapped = try #require(server.wrap(try Vectors.countingKey(), metadata: [0, 1, 2]))
    for bit in 0..<wrapped.count * 8 {
      var flipped = wrapped
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(server.unwrap(flipped) == nil)
    }
    #expect(server.wrap(try Vectors.countingKey(), metadata: Array(repeating: 0, count: 735)) == nil)
    #expect(server.wrap(try Vectors.countingKey(), metadata: Array(repeating: 0, count: 734))?.count == 1_024)
    #expect(WrappedClientKey.trailing([1]) == nil)
    #expect(WrappedClientKey.trailing(Array(repeating: 0xff, count: 600)) == nil)
  }

  @Test("early negotiation: unknown values are skipped, cut ones refused") func earlyNegotiation() {
    #expect(EarlyNegotiation([])?.resendsWrappedKey == false)
    #expect(EarlyNegotiation(hex("000100020001"))?.resendsWrappedKey == true)
    #expect(EarlyNegotiation(hex("00010002fffe"))?.resendsWrappedKey == false)
    #expect(EarlyNegotiation(hex("7777000361626300010002ffff"))?.resendsWrappedKey == true)
    #expect(EarlyNegotiation(hex("77770000"))?.resendsWrappedKey == false)
    for broken in ["00", "0001", "000100", "00010002", "0001000200", "00010001ff", "0001000300ff00", "00010002000100"] {
      #expect(EarlyNegotiation(hex(broken)) == nil, "\(broken)")
    }
  }
}
