internal import Base
internal import ControlChannel
internal import Crypto
internal import TLS
internal import Wire

/// The negotiation of one key id: its reliability, its TLS connection, its key exchange (protocol.md section 12.2).
///
/// A class, off the data lane: a session holds two of them by turns, and each owns a TLS connection that cannot be copied.
final class KeyState {
  enum Phase: Int, Comparable {
    /// Our reset is not yet acknowledged, or the peer's has not come.
    case resetting
    /// TLS.
    case handshaking
    /// Our key message is written.
    case exchanging
    /// The server's key message is read; some of ours is not yet acknowledged.
    case settling
    case active

    static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  enum Event {
    case established(TLSEndpoint.Summary)
    case serverKey
    case active
    case text(String)
    case failed(Fault)
  }

  let keyID: UInt8
  let begun: Instant
  private(set) var phase = Phase.resetting
  private(set) var activeSince: Instant?
  /// Last packet of the peer for this key id.
  private(set) var lastReceived: Instant
  /// When a lame duck must go.
  var diesAt: Instant?
  /// True once the lanes hold its key.
  var hasDataKey = false

  /// When to repeat the last acknowledgements once more: the peer takes the key for good when it has them, and nothing
  /// else would mend a lost one before its own repetitions, which grow ever rarer.
  private(set) var echoes: [Instant] = []
  private var recent: [UInt32] = []

  private(set) var reliable: Reliable
  private var tls: TLSEndpoint
  private var sawReset = false
  private var isBroken = false
  /// Message 1 carries the wrapped client key again when the server asks (protocol.md section 2.5).
  private var firstOpcode = Opcode.controlV1
  private var sentFirst = false
  private var plaintext: [UInt8] = []
  private var clientKey: ClientKeyMessage?
  private(set) var serverKey: ServerKeyMessage?
  /// The server's options string.
  private(set) var serverOptions: String?

  init(
    keyID: UInt8, reset: Opcode, context: TLSContext, wallTime: WallTime, reliable: Reliable,
    at now: Instant
  ) throws(Fault) {
    self.keyID = keyID
    begun = now
    lastReceived = now
    self.reliable = reliable
    tls = try TLSEndpoint(context, wallTime: wallTime)
    self.reliable.queue(reset, payload: [])
  }

  func receive(_ packet: ControlPacket, at now: Instant) -> ControlDrop? {
    lastReceived = now
    let drop = reliable.receive(packet, at: now)
    if drop == nil, let id = packet.messageID {
      recent = Array((recent.filter { $0 != id } + [id]).suffix(Reliable.piggybackLimit))
    }
    return drop
  }

  /// Takes what arrived in order through TLS, and says what came of it.
  func pump(at now: Instant) -> [Event] {
    guard !isBroken else { return [] }
    var events: [Event] = []
    takePayloads(&events)
    if phase == .resetting, sawReset, reliable.allAcknowledged { phase = .handshaking }
    guard phase > .resetting, !isBroken else { return events }
    switch tls.advance() {
    case .handshaking: break
    case .established:
      if phase == .handshaking, let summary = tls.summary {
        phase = .exchanging
        events.append(.established(summary))
      }
      for record in tls.read() { read(record, &events) }
    case .failed(let fault):
      // What the server said before it closed still counts: AUTH_FAILED stands there.
      for record in tls.read() { read(record, &events) }
      fail(fault, &events)
    }
    if phase == .settling, reliable.allAcknowledged, tls.pendingOutput == 0 {
      phase = .active
      activeSince = now
      echoes = Self.echoDelays.map { now + $0 }
      events.append(.active)
    }
    return events
  }

  /// Writes our half of key-method 2.
  func write(_ message: ClientKeyMessage) -> Bool {
    guard var bytes = message.encoded() else { return false }
    defer { bytes.wipe() }
    clientKey = message
    return tls.write(bytes)
  }

  /// Writes one text, with the NUL behind it, as one record (protocol.md section 11.2).
  func write(text: String) -> Bool {
    guard phase >= .exchanging, !isBroken else { return false }
    return tls.write(Array(text.utf8) + [0])
  }

  /// True when everything written was also acknowledged.
  var isQuiet: Bool { reliable.allAcknowledged && tls.pendingOutput == 0 }

  /// Cuts TLS output into messages, and gives the messages to send now.
  func packetsDue(at now: Instant, room: PayloadRoom) -> [Reliable.Outgoing] {
    while phase > .resetting, reliable.canQueue, tls.pendingOutput > 0 {
      let opcode = sentFirst ? .controlV1 : firstOpcode
      let bytes = tls.drain(atMost: opcode == .controlWKCV1 ? room.besideWrappedKey : room.plain)
      guard !bytes.isEmpty else { break }
      sentFirst = true
      reliable.queue(opcode, payload: bytes)
    }
    return reliable.packetsDue(at: now)
  }

  /// Sends again what the peer must acknowledge.
  func provoke(at now: Instant) { reliable.provoke(at: now) }

  /// The peer can be reached again.
  func resendAll(at now: Instant) { reliable.resendAll(at: now) }

  func acknowledgementDue() -> [UInt32]? { reliable.acknowledgementDue() }

  /// The last acknowledgements again, when it is time.
  func echoDue(at now: Instant) -> [UInt32]? {
    guard let next = echoes.first, next <= now else { return nil }
    echoes.removeAll { $0 <= now }
    return recent.isEmpty ? nil : recent
  }

  private static let echoDelays: [Duration] = [.milliseconds(300), .milliseconds(900), .milliseconds(2_100)]

  func export(label: String) -> SecretBytes? { tls.exportKey(label: label, count: KeyBlock.size) }

  /// The 256 bytes of key material; the sources are forgotten.
  func takeBlock(exported: Bool, client: SessionID, server: SessionID) -> SecretBytes? {
    guard let clientKey, let serverKey else { return nil }
    defer {
      self.clientKey = nil
      self.serverKey = nil
    }
    if exported { return export(label: "EXPORTER-OpenVPN-datakeys") }
    return KeyBlock.expand(
      preMaster: clientKey.preMaster, clientRandom1: clientKey.random1, clientRandom2: clientKey.random2,
      serverRandom1: serverKey.random1, serverRandom2: serverKey.random2, clientSession: client.bytes,
      serverSession: server.bytes)
  }

  private func takePayloads(_ events: inout [Event]) {
    while let payload = reliable.nextPayload() {
      if sawReset {
        tls.receive(payload)
        continue
      }
      sawReset = true
      guard keyID == 0 else { continue }
      guard let values = EarlyNegotiation(payload) else {
        return fail(Fault(.controlChannelBroken, "the values in the server's reset are cut off"), &events)
      }
      if values.resendsWrappedKey { firstOpcode = .controlWKCV1 }
    }
  }

  private func read(_ record: [UInt8], _ events: inout [Event]) {
    guard serverOptions == nil else {
      events += ServerMessage.texts(in: record).map { .text($0) }
      return
    }
    // A server that speaks before our half is written has nothing to derive keys from.
    guard clientKey != nil else { return fail(Fault(.keyExchangeFailed), &events) }
    plaintext += record
    switch ServerKeyMessage.read(plaintext) {
    case .partial: return
    case .broken: fail(Fault(.keyExchangeFailed), &events)
    case .complete(let message, let rest):
      plaintext.wipe()
      serverKey = message
      serverOptions = message.options
      phase = .settling
      events.append(.serverKey)
      events += ServerMessage.texts(in: rest).map { .text($0) }
    }
  }

  private func fail(_ fault: Fault, _ events: inout [Event]) {
    isBroken = true
    events.append(.failed(fault))
  }
}
