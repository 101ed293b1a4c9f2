import Base
import ControlChannel
import Crypto
import DataChannel
import Session
import TLS
import Wire

/// The server's half of one key id.
final class MirrorKey {
  enum Phase: Int, Comparable {
    case resetting, handshaking, settling, active
    static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  let keyID: UInt8
  let begun: Instant
  var reliable: Reliable
  var tls: TLSEndpoint
  var phase = Phase.resetting
  var activeSince: Instant?
  var clientKey: ClientKey?
  var random1: SecretBytes
  var random2: SecretBytes
  var hasDataKey = false
  var lastReceived: Instant
  private var sawReset = false

  init(
    keyID: UInt8, reset: Opcode, payload: [UInt8], context: TLSContext, isStream: Bool, random: RandomSource,
    at now: Instant
  ) throws {
    self.keyID = keyID
    begun = now
    lastReceived = now
    reliable = Reliable(keyID: keyID, isStream: isStream)
    tls = try TLSEndpoint(context)
    random1 = random.secret(32)
    random2 = random.secret(32)
    reliable.queue(reset, payload: payload)
  }

  func receive(_ packet: ControlPacket, at now: Instant) {
    lastReceived = now
    _ = reliable.receive(packet, at: now)
  }

  /// Texts that came after the client's key message.
  func pump(_ setup: MirrorSetup, at now: Instant) -> [String] {
    while let payload = reliable.nextPayload() {
      if sawReset { tls.receive(payload) }
      sawReset = true
    }
    if phase == .resetting, sawReset { phase = .handshaking }
    var texts: [String] = []
    _ = tls.advance()
    for record in tls.read() {
      if clientKey != nil {
        texts += ServerMessage.texts(in: record)
      } else if let key = ClientKey(record) {
        clientKey = key
        var message: [UInt8] = [0, 0, 0, 0, 2]
        message.append(secret: random1)
        message.append(secret: random2)
        message.append(string: Array(setup.options.utf8))
        if setup.sendsTail { message += [0, 0, 0, 0, 0, 0] }
        _ = tls.write(message)
        phase = .settling
      } else {
        texts.append("BROKEN KEY MESSAGE")
      }
    }
    return texts
  }

  func queueOutput(at now: Instant) {
    while reliable.canQueue, phase > .resetting {
      let bytes = tls.drain(atMost: 1000)
      if bytes.isEmpty { break }
      reliable.queue(.controlV1, payload: bytes)
    }
  }

  /// True once, when everything of the handshake is acknowledged.
  func becomesActive(at now: Instant) -> Bool {
    guard phase == .settling, reliable.allAcknowledged, tls.pendingOutput == 0 else { return false }
    phase = .active
    activeSince = now
    return true
  }

  func say(_ text: String, withNUL: Bool = true) {
    _ = tls.write(Array(text.utf8) + (withNUL ? [0] : []))
  }

  func block(exported: Bool, client: SessionID, server: SessionID) -> SecretBytes? {
    if exported { return tls.exportKey(label: "EXPORTER-OpenVPN-datakeys", count: 256) }
    guard let clientKey else { return nil }
    return KeyBlock.expand(
      preMaster: clientKey.preMaster, clientRandom1: clientKey.random1, clientRandom2: clientKey.random2,
      serverRandom1: random1, serverRandom2: random2, clientSession: client.bytes, serverSession: server.bytes)
  }
}
