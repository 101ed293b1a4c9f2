import Base
import ControlChannel
import Crypto
import Session
import TLS
import Wire

/// The client's half of one key id, whose plaintext anybody may see.
final class ClientNegotiation {
  let keyID: UInt8
  let message: ClientKeyMessage
  var reliable: Reliable
  private var tls: TLSEndpoint
  private var firstOpcode = Opcode.controlV1
  private var sawReset = false
  private var isWritten = false
  private(set) var failure: Fault?
  /// The server's half of key-method 2, as it came out of TLS.
  private(set) var serverMessage: [UInt8]?
  private(set) var texts: [String] = []

  init(keyID: UInt8, reset: Opcode, message: ClientKeyMessage, context: TLSContext, isStream: Bool) throws {
    self.keyID = keyID
    self.message = message
    tls = try TLSEndpoint(context)
    reliable = Reliable(keyID: keyID, isStream: isStream, sendWindow: 4)
    reliable.queue(reset, payload: [])
  }

  /// True when both halves are through.
  var isActive: Bool { serverMessage != nil && reliable.allAcknowledged && tls.pendingOutput == 0 }

  func pump() {
    while let payload = reliable.nextPayload() {
      if sawReset {
        tls.receive(payload)
      } else {
        sawReset = true
        if EarlyNegotiation(payload)?.resendsWrappedKey == true { firstOpcode = .controlWKCV1 }
      }
    }
    guard sawReset else { return }
    switch tls.advance() {
    case .handshaking: break
    case .failed(let fault): failure = fault
    case .established:
      if !isWritten, let bytes = message.encoded() { isWritten = tls.write(bytes) }
      for record in tls.read() {
        if serverMessage == nil { serverMessage = record } else { texts += ServerMessage.texts(in: record) }
      }
    }
    while reliable.canQueue {
      let bytes = tls.drain(atMost: firstOpcode == .controlWKCV1 ? 600 : 1000)
      if bytes.isEmpty { break }
      reliable.queue(firstOpcode, payload: bytes)
      firstOpcode = .controlV1
    }
  }

  func say(_ text: String) { _ = tls.write(Array(text.utf8) + [0]) }

  func export(_ label: String) -> SecretBytes? { tls.exportKey(label: label, count: KeyBlock.size) }

  func block(exported: Bool, client: SessionID, server: SessionID) -> SecretBytes? {
    if exported { return export("EXPORTER-OpenVPN-datakeys") }
    guard let serverMessage, case .complete(let theirs, _) = ServerKeyMessage.read(serverMessage) else { return nil }
    return KeyBlock.expand(
      preMaster: message.preMaster, clientRandom1: message.random1, clientRandom2: message.random2,
      serverRandom1: theirs.random1, serverRandom2: theirs.random2, clientSession: client.bytes,
      serverSession: server.bytes)
  }
}
