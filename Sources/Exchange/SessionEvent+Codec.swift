internal import Base

extension SessionEvent {
  private enum Kind: UInt8 {
    case started = 1, serverAnswered, tlsEstablished, wantsNetwork, up, renegotiated, token, ended, proof, mtu
  }

  func write(to writer: inout MessageWriter) {
    switch self {
    case .started(let local):
      writer.write(Kind.started.rawValue)
      writer.write(optional: local) { $0.write($1) }
    case .serverAnswered:
      writer.write(Kind.serverAnswered.rawValue)
    case .tlsEstablished(let summary):
      writer.write(Kind.tlsEstablished.rawValue)
      for text in [summary.version, summary.cipher, summary.subject] {
        writer.write(text: text, limit: ExchangeLimit.text)
      }
      writer.write(optional: summary.notAfter) { $0.write($1) }
    case .wantsNetwork(let items):
      writer.write(Kind.wantsNetwork.rawValue)
      writer.write(items: items)
    case .up(let summary):
      writer.write(Kind.up.rawValue)
      writer.write(text: summary.cipher.rawValue, limit: ExchangeLimit.name)
      writer.write(text: summary.control, limit: ExchangeLimit.name)
      writer.write(text: summary.dataFormat, limit: ExchangeLimit.name)
      writer.write(optional: summary.peerID) { $0.write($1) }
      writer.write(optional: summary.user) { $0.write(text: $1, limit: ExchangeLimit.text) }
    case .renegotiated(let keyID):
      writer.write(Kind.renegotiated.rawValue)
      writer.write(keyID)
    case .token(let token, let user):
      writer.write(Kind.token.rawValue)
      writer.attach(token, limit: ExchangeLimit.token)
      writer.write(optional: user) { $0.write(text: $1, limit: ExchangeLimit.text) }
    case .proof(let proof):
      writer.write(Kind.proof.rawValue)
      proof.write(to: &writer)
    case .mtu(let size):
      writer.write(Kind.mtu.rawValue)
      writer.write(size)
    case .ended(let end):
      writer.write(Kind.ended.rawValue)
      end.write(to: &writer)
    }
  }

  init?(_ reader: inout MessageReader) {
    guard let kind = reader.readByte().flatMap(Kind.init(rawValue:)), let event = Self.read(kind, &reader) else {
      return nil
    }
    self = event
  }

  private static func read(_ kind: Kind, _ reader: inout MessageReader) -> SessionEvent? {
    switch kind {
    case .started: return reader.readOptional { $0.readEndpoint() }.map { .started(local: $0) }
    case .serverAnswered: return .serverAnswered
    case .tlsEstablished: return TLSSummary(&reader).map { .tlsEstablished($0) }
    case .wantsNetwork: return reader.readItems().map { .wantsNetwork(items: $0) }
    case .up: return UpSummary(&reader).map { .up($0) }
    case .renegotiated:
      guard let keyID = reader.readByte(), keyID < 8 else { return nil }
      return .renegotiated(keyID: keyID)
    case .token:
      guard let token = reader.takeAttachment(limit: ExchangeLimit.token),
        let user = reader.readOptional({ $0.readText(limit: ExchangeLimit.text) })
      else { return nil }
      return .token(token, user: user)
    case .proof: return Proof(&reader).map { .proof($0) }
    case .mtu:
      guard let size = reader.readUInt16(), size >= ExchangeLimit.smallestMTU else { return nil }
      return .mtu(size)
    case .ended: return EndReport(&reader).map { .ended($0) }
    }
  }
}

extension TLSSummary {
  fileprivate init?(_ reader: inout MessageReader) {
    guard let version = reader.readText(limit: ExchangeLimit.text),
      let cipher = reader.readText(limit: ExchangeLimit.text),
      let subject = reader.readText(limit: ExchangeLimit.text),
      let notAfter = reader.readOptional({ $0.readWallTime() })
    else { return nil }
    self.init(version: version, cipher: cipher, subject: subject, notAfter: notAfter)
  }
}

extension UpSummary {
  fileprivate init?(_ reader: inout MessageReader) {
    guard let cipher = reader.readDataCipher(), let control = reader.readText(limit: ExchangeLimit.name),
      let format = reader.readText(limit: ExchangeLimit.name), let peerID = reader.readOptional({ $0.readUInt32() }),
      let user = reader.readOptional({ $0.readText(limit: ExchangeLimit.text) })
    else { return nil }
    self.init(cipher: cipher, control: control, dataFormat: format, peerID: peerID, user: user)
  }
}

extension EndReport {
  fileprivate func write(to writer: inout MessageWriter) {
    writer.write(optional: fault) { $0.write($1) }
    writer.write(optional: retryAfter) { $0.write($1) }
    writer.write(optional: advance) { $0.write($1.rawValue) }
    writer.write(keepsToken)
    writer.write(wasUp)
  }

  fileprivate init?(_ reader: inout MessageReader) {
    guard let fault = reader.readOptional({ $0.readFault() }),
      let pause = reader.readOptional({ $0.readSpan() }),
      let advance = reader.readOptional({ $0.readByte().flatMap(Advance.init(rawValue:)) }),
      let keepsToken = reader.readBool(), let wasUp = reader.readBool()
    else { return nil }
    self.init(
      fault: fault, retryAfter: pause, advance: advance, keepsToken: keepsToken, wasUp: wasUp)
  }
}
