internal import Base

extension Order {
  private enum Kind: UInt8 {
    case configure = 1, sockets, resolve, connect, applied, refused, stop, reportCounters, renegotiate, quit, watch
    case namesApplied, path, health, clock, measure
  }

  /// How many descriptors ride along, not counting an attachment's memfd.
  package var descriptors: ClosedRange<Int> {
    switch self {
    case .sockets(let kinds): kinds.count...kinds.count
    case .applied: 0...1
    default: 0...0
    }
  }

  /// - Returns: `nil` when a limit of `ExchangeLimit` is passed.
  package func encoded() -> Envelope? {
    var writer: MessageWriter
    switch self {
    case .configure(let tunnel, let profile, let offload):
      writer = MessageWriter(type: Kind.configure.rawValue)
      writer.write(text: tunnel, limit: ExchangeLimit.name)
      writer.write(text: offload.rawValue, limit: ExchangeLimit.name)
      writer.attach(profile, limit: ExchangeLimit.attachment)
    case .sockets(let kinds):
      writer = MessageWriter(type: Kind.sockets.rawValue)
      writer.write(kinds)
    case .resolve(let order):
      writer = MessageWriter(type: Kind.resolve.rawValue)
      order.write(to: &writer)
    case .connect(let order):
      writer = MessageWriter(type: Kind.connect.rawValue)
      order.write(to: &writer)
    case .applied(let attempt, let mtu):
      writer = MessageWriter(type: Kind.applied.rawValue)
      writer.write(attempt)
      writer.write(mtu)
    case .refused(let attempt, let code):
      writer = MessageWriter(type: Kind.refused.rawValue)
      writer.write(attempt)
      writer.write(text: code.rawValue, limit: ExchangeLimit.name)
    case .stop(let attempt):
      writer = MessageWriter(type: Kind.stop.rawValue)
      writer.write(attempt)
    case .reportCounters:
      writer = MessageWriter(type: Kind.reportCounters.rawValue)
    case .renegotiate(let attempt):
      writer = MessageWriter(type: Kind.renegotiate.rawValue)
      writer.write(attempt)
    case .watch(let order):
      writer = MessageWriter(type: Kind.watch.rawValue)
      order.write(to: &writer)
    case .namesApplied(let sequence):
      writer = MessageWriter(type: Kind.namesApplied.rawValue)
      writer.write(sequence)
    case .path(let attempt, let isUsable):
      writer = MessageWriter(type: Kind.path.rawValue)
      writer.write(attempt)
      writer.write(isUsable)
    case .health(let order):
      writer = MessageWriter(type: Kind.health.rawValue)
      order.write(to: &writer)
    case .clock(let attempt, let time):
      writer = MessageWriter(type: Kind.clock.rawValue)
      writer.write(attempt)
      writer.write(time)
    case .measure(let attempt, let ceiling, let start):
      writer = MessageWriter(type: Kind.measure.rawValue)
      writer.write(attempt)
      writer.write(ceiling)
      writer.write(optional: start) { $0.write($1) }
    case .quit:
      writer = MessageWriter(type: Kind.quit.rawValue)
    }
    return writer.finish()
  }

  /// Total: any bytes give an order or `nil`.
  package init?(decoding envelope: Envelope) {
    guard var reader = MessageReader(envelope), let kind = Kind(rawValue: reader.type),
      let order = Self.read(kind, &reader), reader.isComplete
    else { return nil }
    self = order
  }

  private static func read(_ kind: Kind, _ reader: inout MessageReader) -> Order? {
    switch kind {
    case .configure:
      guard let tunnel = reader.readText(limit: ExchangeLimit.name),
        let offload = reader.readText(limit: ExchangeLimit.name).flatMap(OffloadMode.init(rawValue:)),
        let profile = reader.takeAttachment(limit: ExchangeLimit.attachment)
      else { return nil }
      return .configure(tunnel: tunnel, profile: profile, offload: offload)
    case .sockets: return reader.readSockets().map { .sockets($0) }
    case .resolve: return ResolveOrder(&reader).map { .resolve($0) }
    case .connect: return ConnectOrder(&reader).map { .connect($0) }
    case .applied:
      guard let attempt = reader.readAttempt(), let mtu = reader.readUInt16() else { return nil }
      return .applied(attempt, mtu: mtu)
    case .refused:
      guard let attempt = reader.readAttempt(),
        let code = reader.readText(limit: ExchangeLimit.name).flatMap(Fault.Code.init(rawValue:))
      else { return nil }
      return .refused(attempt, code)
    case .stop: return reader.readAttempt().map { .stop($0) }
    case .reportCounters: return .reportCounters
    case .renegotiate: return reader.readAttempt().map { .renegotiate($0) }
    case .watch: return WatchOrder(&reader).map { .watch($0) }
    case .namesApplied: return reader.readUInt32().map { .namesApplied($0) }
    case .path:
      guard let attempt = reader.readAttempt(), let isUsable = reader.readBool() else { return nil }
      return .path(attempt, isUsable: isUsable)
    case .health: return HealthOrder(&reader).map { .health($0) }
    case .clock:
      guard let attempt = reader.readAttempt(), let time = reader.readWallTime() else { return nil }
      return .clock(attempt, time)
    case .measure:
      guard let attempt = reader.readAttempt(), let ceiling = reader.readUInt16(),
        let start = reader.readOptional({ $0.readUInt16() })
      else { return nil }
      return .measure(attempt, ceiling: ceiling, start: start)
    case .quit: return .quit
    }
  }
}

extension ResolveOrder {
  fileprivate func write(to writer: inout MessageWriter) {
    writer.write(attempt)
    writer.write(text: host, limit: ExchangeLimit.name)
    writer.write(optional: family) { $0.write($1.rawValue) }
    writer.write(list: resolvers, limit: ExchangeLimit.addresses) { $0.write($1) }
  }

  fileprivate init?(_ reader: inout MessageReader) {
    guard let attempt = reader.readAttempt(), let host = reader.readHost(),
      let family = reader.readOptional({ $0.readFamily() }),
      let resolvers = reader.readList(limit: ExchangeLimit.addresses, { $0.readEndpoint() })
    else { return nil }
    self.init(attempt: attempt, host: host, family: family, resolvers: resolvers)
  }
}

extension ConnectOrder {
  fileprivate func write(to writer: inout MessageWriter) {
    writer.write(attempt)
    writer.write(remote)
    writer.write(endpoint)
    writer.write(wallTime)
    writer.write(hasAlternatives)
    writer.write(token != nil)
    if let token { writer.attach(token, limit: ExchangeLimit.token) }
    writer.write(optional: tokenUser) { $0.write(text: $1, limit: ExchangeLimit.text) }
  }

  fileprivate init?(_ reader: inout MessageReader) {
    guard let attempt = reader.readAttempt(), let remote = reader.readUInt16(), let endpoint = reader.readEndpoint(),
      let wallTime = reader.readWallTime(), let hasAlternatives = reader.readBool(),
      let token = reader.readOptional({ $0.takeAttachment(limit: ExchangeLimit.token) }),
      let tokenUser = reader.readOptional({ $0.readText(limit: ExchangeLimit.text) })
    else { return nil }
    self.init(
      attempt: attempt, remote: remote, endpoint: endpoint, wallTime: wallTime, hasAlternatives: hasAlternatives,
      token: token, tokenUser: tokenUser)
  }
}
