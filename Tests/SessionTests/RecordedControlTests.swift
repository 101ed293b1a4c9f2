import Base
import ControlChannel
import Crypto
import Profile
import Session
import TestKit
import Testing
import Wire

@Suite("Control channels of the real openvpn")
struct RecordedControlTests {
  /// A fresh end that opens what the other one sent, dynamic keys included.
  struct Opener: ~Copyable {
    var wrap: ControlWrap
    var dynamic: ControlWrap?

    init(_ recording: Recording, _ role: ControlWrap.Role) throws {
      // Everything that throws comes first: a value that cannot be copied is made whole or not at all.
      let dynamic = try recording.dynamicWrap(role)
      let wrap = try recording.wrap(role)
      self.wrap = wrap
      self.dynamic = dynamic
    }

    mutating func open(_ bytes: [UInt8]) -> Result<ControlPacket, ControlDrop> {
      let keyID = bytes.first.flatMap { PacketHead(byte: $0)?.keyID } ?? 0
      return (keyID > 0 ? dynamic?.open(bytes) : nil) ?? wrap.open(bytes)
    }
  }

  @Test("Every packet of the server opens, once", arguments: Recording.Name.withControl)
  func server(_ name: Recording.Name) throws {
    try expectAllOpen(Recording(name), from: .server, by: .client)
  }

  @Test("A server opens every packet of the client, once", arguments: Recording.Name.withControl)
  func client(_ name: Recording.Name) throws {
    try expectAllOpen(Recording(name), from: .client, by: .server)
  }

  private func expectAllOpen(
    _ recording: Recording, from side: Recording.Side, by role: ControlWrap.Role
  ) throws {
    var opener = try Opener(recording, role)
    let sessions = try recording.sessions()
    let packets = try recording.packets("control", side)
    let isWrapped = try recording.clientKey() != .none
    #expect(packets.count >= 3)
    for (index, bytes) in packets.enumerated() {
      let packet = try opener.open(bytes).get()
      #expect(packet.sessionID == (side == .server ? sessions.server : sessions.client))
      if let peer = packet.peerSessionID {
        #expect(peer == (side == .server ? sessions.client : sessions.server))
      }
      #expect(packet.opcode == .ackV1 || packet.messageID != nil)
      if index == 0 { #expect(packet.opcode.isHardReset && packet.messageID == 0) }
      guard isWrapped else { continue }
      let again = opener.open(bytes)
      #expect(again == .failure(.replayed), "packet \(index)")
      var altered = bytes
      // Within the tag of either wrap; a wrapped key behind the packet has a tag of its own.
      altered[ControlPacket.headSize + 8] ^= 1
      var other = try Opener(recording, role)
      let refused = other.open(altered)
      if case .success = refused { Issue.record("packet \(index) opens although it was altered") }
    }
  }

  @Test(
    "The messages of each key id follow each other and carry TLS", arguments: [Recording.Name.plain, .auth, .cryptv2])
  func order(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    for (side, role) in [(Recording.Side.server, ControlWrap.Role.client), (.client, .server)] {
      var opener = try Opener(recording, role)
      var ends: [UInt8: Reliable] = [:]
      for bytes in try recording.packets("control", side) {
        let packet = try opener.open(bytes).get()
        let end = ends[packet.keyID] ?? Reliable(keyID: packet.keyID, isStream: true)
        ends[packet.keyID] = end
        let drop = ends[packet.keyID]?.receive(packet, at: Instant(nanoseconds: 0))
        #expect(drop == nil)
      }
      #expect(try ends.count == recording.blocks().count)
      for keyID in ends.keys {
        var payloads: [[UInt8]] = []
        while let payload = ends[keyID]?.nextPayload() { payloads.append(payload) }
        // Behind the reset, the first handshake record.
        #expect(payloads.count > 2 && payloads[1].prefix(2) == [22, 3])
      }
    }
  }

  @Test(
    "tls-crypt-v2: the server key opens the wrapped key, and the server asks for it again",
    arguments: [
      Recording.Name.cryptv2, .peerV2,
    ])
  func wrappedKey(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let serverKey = try TLSCryptV2ServerKey(text: recording.file("server-key"))
    guard case .tlsCryptV2(let key, let wrapped) = try recording.clientKey() else {
      Issue.record("another wrap")
      return
    }
    var opener = try Opener(recording, .client)
    let reset = try opener.open(recording.packets("control", .server)[0]).get()
    #expect(EarlyNegotiation(reset.payload)?.resendsWrappedKey == true)
    var carriers = 0
    for bytes in try recording.packets("control", .client) {
      guard let opcode = PacketHead(byte: bytes[0])?.opcode, [.hardResetClientV3, .controlWKCV1].contains(opcode) else {
        continue
      }
      carriers += 1
      let carried = try #require(WrappedClientKey.trailing(bytes))
      #expect(carried == wrapped)
      #expect(serverKey.unwrap(carried)?.clientKey == key)
    }
    #expect(carriers == 2)
  }
}

@Suite("What the real server says inside TLS")
struct RecordedMessageTests {
  @Test("Its half of key-method 2 is read to the end", arguments: Recording.Name.withData)
  func keyMessage(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let messages = try recording.packets("message", .server)
    #expect(try messages.count == recording.blocks().count)
    for bytes in messages {
      guard case .complete(let message, let rest) = ServerKeyMessage.read(bytes) else {
        Issue.record("not complete")
        return
      }
      #expect(rest.isEmpty)
      #expect(message.options.hasPrefix("V4,dev-type tun,") && message.options.hasSuffix(",tls-server"))
      #expect(OptionsString.value(of: "tun-mtu", in: message.options) == "1500")
      for count in 0..<69 {
        guard case .partial = ServerKeyMessage.read(Array(bytes.prefix(count))) else {
          Issue.record("\(count) bytes are taken for the whole")
          return
        }
      }
    }
  }

  @Test("Its settings are understood", arguments: Recording.Name.withData)
  func push(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    var profile = Profile()
    profile.dataCiphers.append(try recording.cipher())
    profile.allowsCompression = true
    let (pushed, notes) = try PushedOptions.parse(
      PushedOptions.items(ofReply: recording.text()), profile: profile
    ).get()
    #expect(notes.isEmpty)
    #expect(try pushed.peerID == recording.peerID())
    #expect(try pushed.cipher == recording.cipher())
    #expect(pushed.ping == .seconds(1) && pushed.pingRestart == .seconds(60))
    #expect(pushed.tunnel.ipv4?.local == IPv4Address(10, 8, 0, 2))
    #expect(try pushed.exportsKeys == recording.blocks().allSatisfy(\.isExported))
    #expect(try pushed.dynamicTLSCrypt == (recording.dynamicWrap(.client) != nil))
  }

  @Test("Keys come out of both halves of key-method 2", arguments: [Recording.Name.auth, .datav1, .cbcv1])
  func expansion(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let ours = try recording.packets("message", .client)
    let theirs = try recording.packets("message", .server)
    let sessions = try recording.sessions()
    let blocks = try recording.blocks()
    #expect(blocks.count == ours.count && !blocks.isEmpty)
    for index in blocks.indices {
      let client = try #require(ClientKey(ours[index]))
      guard case .complete(let server, _) = ServerKeyMessage.read(theirs[index]) else {
        Issue.record("not complete")
        return
      }
      let block = KeyBlock.expand(
        preMaster: client.preMaster, clientRandom1: client.random1, clientRandom2: client.random2,
        serverRandom1: server.random1, serverRandom2: server.random2, clientSession: sessions.client.bytes,
        serverSession: sessions.server.bytes)
      #expect(block == blocks[index].bytes)
    }
  }
}
