internal import Base

extension Report {
  private enum Kind: UInt8 { case ready = 0x81, resolved, event, note, counters, wantsSockets, names, offloads }

  /// - Returns: `nil` when a limit of `ExchangeLimit` is passed.
  package func encoded() -> Envelope? {
    var writer: MessageWriter
    switch self {
    case .ready:
      writer = MessageWriter(type: Kind.ready.rawValue)
    case .resolved(let attempt, let host, let addresses, let fault):
      writer = MessageWriter(type: Kind.resolved.rawValue)
      writer.write(attempt)
      writer.write(text: host, limit: ExchangeLimit.name)
      writer.write(list: addresses, limit: ExchangeLimit.addresses) { $0.write($1) }
      writer.write(optional: fault) { $0.write($1) }
    case .event(let attempt, let event):
      writer = MessageWriter(type: Kind.event.rawValue)
      writer.write(attempt)
      event.write(to: &writer)
    case .note(let note):
      writer = MessageWriter(type: Kind.note.rawValue)
      writer.write(text: note.code.rawValue, limit: ExchangeLimit.name)
      writer.write(list: Array(note.fields.prefix(ExchangeLimit.fields)), limit: ExchangeLimit.fields) {
        $0.write(text: $1, limit: ExchangeLimit.text)
      }
    case .counters(let counters):
      writer = MessageWriter(type: Kind.counters.rawValue)
      counters.write(to: &writer)
    case .offloads(let offloads):
      writer = MessageWriter(type: Kind.offloads.rawValue)
      writer.write(offloads.rawValue)
    case .wantsSockets(let kinds):
      writer = MessageWriter(type: Kind.wantsSockets.rawValue)
      writer.write(kinds)
    case .names(let names):
      writer = MessageWriter(type: Kind.names.rawValue)
      names.write(to: &writer)
    }
    return writer.finish()
  }

  /// Total: any bytes give a report or `nil`.
  ///
  /// Text in it is valid UTF-8 without control characters, and bounded.
  package init?(decoding envelope: Envelope) {
    guard var reader = MessageReader(envelope), let kind = Kind(rawValue: reader.type),
      let report = Self.read(kind, &reader), reader.isComplete
    else { return nil }
    self = report
  }

  private static func read(_ kind: Kind, _ reader: inout MessageReader) -> Report? {
    switch kind {
    case .ready: return .ready
    case .resolved:
      guard let attempt = reader.readAttempt(), let host = reader.readHost(),
        let addresses = reader.readList(limit: ExchangeLimit.addresses, { $0.readAddress() }),
        let fault = reader.readOptional({ $0.readFault() })
      else { return nil }
      return .resolved(attempt, host: host, addresses: addresses, fault: fault)
    case .event:
      guard let attempt = reader.readAttempt(), let event = SessionEvent(&reader) else { return nil }
      return .event(attempt, event)
    case .note:
      guard let code = reader.readText(limit: ExchangeLimit.name).flatMap(Note.Code.init(rawValue:)),
        let fields = reader.readList(limit: ExchangeLimit.fields, { $0.readText(limit: ExchangeLimit.text) })
      else { return nil }
      return .note(Note(code, fields: fields))
    case .counters: return Counters(&reader).map { .counters($0) }
    case .offloads:
      guard let offloads = reader.readByte().map(Offloads.init(rawValue:)), Offloads.all.isSuperset(of: offloads) else {
        return nil
      }
      return .offloads(offloads)
    case .wantsSockets: return reader.readSockets().map { .wantsSockets($0) }
    case .names: return NamesReport(&reader).map { .names($0) }
    }
  }
}

extension Counters {
  private static var fields: [WritableKeyPath<Counters, UInt64>] {
    [
      \.tunReceivedBytes, \.tunSentBytes, \.tunReceivedPackets, \.tunSentPackets, \.tunReceiveErrors, \.tunSendErrors,
      \.transportReceivedBytes, \.transportSentBytes, \.transportReceivedPackets, \.transportSentPackets,
      \.renegotiations,
    ]
  }

  fileprivate func write(to writer: inout MessageWriter) {
    for field in Self.fields { writer.write(self[keyPath: field]) }
    writer.write(optional: lastPacketReceived) { $0.write($1.nanoseconds) }
    writer.write(list: Array(drops.prefix(ExchangeLimit.drops)), limit: ExchangeLimit.drops) {
      $0.write(text: $1.reason, limit: ExchangeLimit.name)
      $0.write($1.count)
    }
  }

  fileprivate init?(_ reader: inout MessageReader) {
    self.init()
    for field in Self.fields {
      guard let value = reader.readUInt64() else { return nil }
      self[keyPath: field] = value
    }
    guard let last = reader.readOptional({ $0.readUInt64().map { Instant(nanoseconds: $0) } }),
      let drops = reader.readList(
        limit: ExchangeLimit.drops,
        { reader in
          guard let reason = reader.readText(limit: ExchangeLimit.name), let count = reader.readUInt64() else {
            return nil as Drop?
          }
          return Drop(reason, count)
        })
    else { return nil }
    lastPacketReceived = last
    self.drops = drops
  }
}
