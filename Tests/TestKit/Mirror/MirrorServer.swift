import Base
import ControlChannel
import Crypto
import DataChannel
import Session
import TLS
import Wire

/// A small server in memory, made of the same rooms as the client, whose manners a test chooses.
package final class MirrorServer {
  package let setup: MirrorSetup
  /// A firewall there drops what comes out of the tunnel, and nothing goes into it.
  package var dropsInside = false
  /// What it sent and nobody carried away yet.
  package var packets: [[UInt8]] = []
  /// Inner packets that arrived.
  package var received: [[UInt8]] = []
  /// Echo requests that arrived for its own address.
  package var echoes: [[UInt8]] = []
  /// Texts that arrived, in order.
  package var texts: [String] = []
  /// The newest key message.
  package private(set) var clientKey: ClientKey?
  /// Key messages that arrived, one a key id.
  package private(set) var logins: [ClientKey] = []
  package private(set) var resets = 0
  package private(set) var renegotiations = 0
  package private(set) var sawExit = false
  /// Keys of the data channel, in order.
  package private(set) var keys: [DataKey] = []
  package private(set) var isRefusing = false
  package var down: DownLane?
  package var up: UpLane?
  /// Every control packet that it could open.
  package private(set) var opened: [ControlPacket] = []
  package private(set) var rejected: [ControlDrop] = []

  private let context: TLSContext
  private let random: RandomSource
  private let wallTime: WallTime
  private var wrap: ControlWrap?
  private var wrapKey: WrapKey?
  private var dynamic: ControlWrap?
  private var clientID: SessionID?
  private var serverID: SessionID
  private var primary: MirrorKey?
  private var lameDuck: MirrorKey?
  private var hasPushed = false
  private var ignored = 0
  private var lastSent = Instant(nanoseconds: 0)

  package init(_ setup: MirrorSetup, random: RandomSource, wallTime: WallTime = TestTime.now) throws {
    self.setup = setup
    self.random = random
    self.wallTime = wallTime
    var options = TLSOptions()
    options.authorities = setup.wantsCertificate ? [setup.authority.pem] : []
    options.certificate = setup.certificate.pem
    options.key = setup.certificate.key.pem
    context = try TLSContext(options, role: .server, wallTime: wallTime)
    serverID = SessionID(random.uint64() | 1)
  }

  package var isUp: Bool { primary?.hasDataKey == true || lameDuck?.hasDataKey == true }
  package var keyID: UInt8? { primary?.keyID }

  // MARK: Packets

  package func receive(_ bytes: [UInt8], at now: Instant) {
    guard let first = bytes.first, let head = PacketHead(byte: first) else { return }
    if head.isData {
      if let packet = down?.open(bytes) { take(packet, at: now) }
      if down?.sawExit == true { sawExit = true }
      return
    }
    if setup.isDeaf { return }
    guard let packet = open(bytes, head) else { return }
    opened.append(packet)
    deliver(packet, at: now)
    settle(at: now)
  }

  /// As the kernel of a server does for its own address.
  private func take(_ packet: [UInt8], at now: Instant) {
    if dropsInside { return }
    guard let answer = InnerPacket.echoAnswer(to: packet) else { return received.append(packet) }
    echoes.append(packet)
    if setup.answersEchoes { send(answer, at: now) }
  }

  package func wake(at now: Instant) { settle(at: now) }

  package var nextWake: Instant? {
    var times = [primary?.reliable.nextDeadline, lameDuck?.reliable.nextDeadline].compactMap { $0 }
    if let after = setup.renegotiateAfter, let since = primary?.activeSince, primary?.hasDataKey == true {
      times.append(since + after)
    }
    if let at = switchTime { times.append(at) }
    if let ping = setup.ping, up != nil { times.append(lastSent + ping) }
    return times.min()
  }

  /// Seals an inner packet for the client.
  package func send(_ packet: [UInt8], at now: Instant) {
    if dropsInside { return }
    lastSent = now
    packets += up?.seal(packet, isStream: setup.transport == .tcp) ?? []
  }

  package func send(message: [UInt8]) {
    packets += up?.packets(of: message) ?? []
  }

  /// Says something over the newest TLS connection.
  package func say(_ text: String, withNUL: Bool = true, at now: Instant) {
    let key = primary?.phase ?? .resetting > .handshaking ? primary : lameDuck
    key?.say(text, withNUL: withNUL)
    flush(at: now)
  }

  package func softReset(at now: Instant) {
    guard let primary, primary.hasDataKey else { return }
    beginKey(primary.keyID == 7 ? 1 : primary.keyID + 1, reset: .softResetV1, at: now)
    flush(at: now)
  }

  /// A reset out of the blue with another session id, as after a restart.
  package func restart(at now: Instant) {
    serverID = SessionID(random.uint64() | 1)
    let packet = ControlPacket(
      opcode: .hardResetServerV2, keyID: 0, sessionID: serverID, acknowledgements: [0], peerSessionID: clientID,
      messageID: 0)
    if let bytes = wrap?.seal(packet) { packets.append(bytes) }
  }

  // MARK: Inside

  private func open(_ bytes: [UInt8], _ head: PacketHead) -> ControlPacket? {
    var result = head.opcode.isHardReset ? openAsNew(bytes) : nil
    if result == nil, head.keyID > 0 { result = dynamic?.open(bytes) }
    if result == nil { result = wrap?.open(bytes) }
    switch result {
    case .success(let packet): return packet
    case .failure(let drop):
      rejected.append(drop)
      return nil
    case nil: return nil
    }
  }

  /// A new session has its packet ids anew; neither a repetition nor an altered packet may begin one.
  private func openAsNew(_ bytes: [UInt8]) -> Result<ControlPacket, ControlDrop>? {
    guard bytes.count > 9, let id = SessionID(bytes: bytes[1..<9]), id != clientID else { return nil }
    let key: WrapKey
    switch setup.wrap {
    case .none: key = .none
    case .tlsAuth(let secret, let digest): key = .tlsAuth(secret, digest, direction: 0)
    case .tlsCrypt(let secret): key = .tlsCrypt(secret)
    case .tlsCryptV2(let server, _):
      guard let wrapped = WrappedClientKey.trailing(bytes), let secret = server.unwrap(wrapped)?.clientKey else {
        return .failure(.badTag)
      }
      key = .tlsCryptV2(secret, wrapped: wrapped)
    }
    var fresh = ControlWrap(key, role: .server, wallTime: wallTime)
    let result = fresh.open(bytes)
    if case .success = result {
      wrap = consume fresh
      wrapKey = key
    }
    return result
  }

  private func deliver(_ packet: ControlPacket, at now: Instant) {
    switch packet.opcode {
    case .hardResetClientV2, .hardResetClientV3:
      if packet.sessionID != clientID { beginSession(packet.sessionID, at: now) }
    case .softResetV1 where packet.keyID != primary?.keyID && packet.keyID != lameDuck?.keyID:
      guard primary?.hasDataKey == true else { return }
      beginKey(packet.keyID, reset: .softResetV1, at: now)
    default: break
    }
    guard packet.sessionID == clientID else { return }
    if let peer = packet.peerSessionID, peer != serverID { return }
    if primary?.keyID == packet.keyID { primary?.receive(packet, at: now) }
    if lameDuck?.keyID == packet.keyID { lameDuck?.receive(packet, at: now) }
  }

  private func beginSession(_ id: SessionID, at now: Instant) {
    clientID = id
    serverID = SessionID(random.uint64() | 1)
    resets += 1
    hasPushed = false
    dynamic = nil
    primary = nil
    lameDuck = nil
    up = nil
    down = nil
    var values = EarlyNegotiation()
    if case .tlsCryptV2(_, true) = setup.wrap { values.resendsWrappedKey = true }
    beginKey(0, reset: .hardResetServerV2, payload: values.payload, at: now)
  }

  private func beginKey(_ keyID: UInt8, reset: Opcode, payload: [UInt8] = [], at now: Instant) {
    let made = try? MirrorKey(
      keyID: keyID, reset: reset, payload: payload, context: context, isStream: setup.transport == .tcp,
      random: random, at: now)
    if let old = lameDuck, old.hasDataKey {
      up?.retire(keyID: old.keyID)
      down?.retire(keyID: old.keyID)
    }
    lameDuck = primary
    primary = made
    choose(at: now)
  }

  private func settle(at now: Instant) {
    for key in [lameDuck, primary].compactMap({ $0 }) {
      let hadKey = key.clientKey != nil
      for text in key.pump(setup, at: now) { hear(text, key, at: now) }
      if !hadKey, let message = key.clientKey { judge(message, key, at: now) }
      key.queueOutput(at: now)
      if key.becomesActive(at: now), !isRefusing { install(key, at: now) }
    }
    if let after = setup.renegotiateAfter, let since = primary?.activeSince, since + after <= now { softReset(at: now) }
    choose(at: now)
    if let ping = setup.ping, up != nil, lastSent + ping <= now {
      lastSent = now
      send(message: DataMessage.ping)
    }
    flush(at: now)
  }

  private func judge(_ message: ClientKey, _ key: MirrorKey, at now: Instant) {
    clientKey = message
    logins.append(message)
    let isGood =
      setup.user == nil
      || (message.user == setup.user && (message.password == setup.password || message.password == setup.token))
    guard isGood else {
      isRefusing = true
      key.say("AUTH_FAILED")
      return
    }
    isRefusing = false
    if key.keyID == 0, setup.pushesUnasked { push(key) }
  }

  private func hear(_ text: String, _ key: MirrorKey, at now: Instant) {
    texts.append(text)
    if text == "EXIT" { sawExit = true }
    guard text == "PUSH_REQUEST", !isRefusing, !hasPushed else { return }
    if ignored < setup.ignoredRequests { ignored += 1 } else { push(key) }
  }

  private func push(_ key: MirrorKey) {
    hasPushed = true
    for part in setup.replies {
      key.say((["PUSH_REPLY"] + part).joined(separator: ","), withNUL: setup.endsWithNUL)
    }
    if setup.dynamicTLSCrypt, let wrapKey,
      let secret = key.tls.exportKey(label: "EXPORTER-OpenVPN-dynamic-tls-crypt", count: 256)
    {
      dynamic = ControlWrap.dynamic(exported: secret, over: wrapKey, role: .server, wallTime: wallTime)
    }
  }

  /// As 2.x: keys exist when the client acknowledged everything of ours.
  private func install(_ key: MirrorKey, at now: Instant) {
    guard let clientID, let block = key.block(exported: setup.exportsKeys, client: clientID, server: serverID) else {
      return
    }
    if up == nil {
      let format = DataFormat(
        peerID: setup.peerID, usesEpochs: setup.usesEpochs, compression: setup.compression, fragment: setup.fragment,
        isStream: setup.transport == .tcp, replayWindow: 64,
        largestPayload: 1600)
      up = UpLane(format: format, random: random)
      down = DownLane(format: format)
    }
    let data = DataKey(
      keyID: key.keyID, cipher: setup.cipher, auth: setup.cipher.isAEAD ? nil : setup.auth, block: block, role: .server)
    keys.append(data)
    _ = up?.install(data)
    _ = down?.install(data)
    key.hasDataKey = true
    if key.keyID > 0 { renegotiations += 1 }
    choose(at: now)
  }

  private var switchTime: Instant? {
    guard let primary, primary.hasDataKey, lameDuck?.hasDataKey == true, up?.sender != primary.keyID else { return nil }
    return primary.begun + setup.holdOff
  }

  private func choose(at now: Instant) {
    if let primary, primary.hasDataKey, lameDuck?.hasDataKey != true || primary.begun + setup.holdOff <= now {
      up?.send(with: primary.keyID)
    } else if let lameDuck, lameDuck.hasDataKey {
      up?.send(with: lameDuck.keyID)
    }
  }

  private func flush(at now: Instant) {
    guard clientID != nil else { return }
    for key in [lameDuck, primary].compactMap({ $0 }) {
      key.queueOutput(at: now)
      for message in key.reliable.packetsDue(at: now) {
        send(
          ControlPacket(
            opcode: message.opcode, keyID: key.keyID, sessionID: serverID, acknowledgements: message.acknowledgements,
            peerSessionID: clientID, messageID: message.messageID, payload: message.payload))
      }
      while let ids = key.reliable.acknowledgementDue() {
        send(
          ControlPacket(
            opcode: .ackV1, keyID: key.keyID, sessionID: serverID, acknowledgements: ids, peerSessionID: clientID))
      }
    }
  }

  private func send(_ packet: ControlPacket) {
    if packet.keyID > 0, let bytes = dynamic?.seal(packet) {
      packets.append(bytes)
    } else if let bytes = wrap?.seal(packet) {
      packets.append(bytes)
    }
  }
}
