import Base
import Crypto
import Engine
import Exchange
import Glibc
import IO
import Testing

/// An engine on a thread of its own, seen from the supervisor's end of the socketpair.
final class SupervisorSide {
  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  private var channel: MessageChannel?
  private var thread = pthread_t()
  private(set) var ending: Engine.Ending?
  /// Reports that came and were not asked for yet.
  private var reports: [Report] = []
  private(set) var notes: [Note] = []

  init() throws {
    let pair = try MessageSocket.pair()
    channel = MessageChannel(FileDescriptor(owning: dup(pair.ours.raw)))
    let theirs = dup(pair.theirs.raw)
    let work = Work { [unowned self] in
      ending = try? Engine.serve(supervisor: FileDescriptor(owning: theirs), random: .system)
    }
    let created = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    precondition(created == 0)
  }

  deinit { finish() }

  /// Hangs up and waits for the engine's end.
  @discardableResult
  func finish() -> Engine.Ending? {
    guard channel != nil else { return ending }
    channel = nil
    pthread_join(thread, nil)
    return ending
  }

  /// Waits for the engine's end without hanging up.
  func wait() -> Engine.Ending? {
    pthread_join(thread, nil)
    channel = nil
    return ending
  }

  func send(_ order: Order, _ descriptors: [Int32] = []) throws {
    let envelope = try #require(order.encoded())
    let sent = try #require(channel).send(
      envelope.bytes, attachment: envelope.attachment, descriptors: descriptors)
    #expect(sent)
  }

  func send(raw bytes: [UInt8]) { channel?.send(bytes) }

  func configure(_ profile: String) throws {
    try send(.configure(tunnel: "test", profile: SecretBytes(Array(profile.utf8)), offload: .auto))
  }

  /// Spare sockets of the loopback, unmarked.
  func supply(_ kinds: [SocketKind]) throws {
    var descriptors: [Int32] = []
    for kind in kinds {
      let transport: Transport = kind == .udp4 || kind == .udp6 ? .udp : .tcp
      let family: AddressFamily = kind == .udp4 || kind == .tcp4 ? .ipv4 : .ipv6
      descriptors.append(try TransportSocket.make(transport, family, .init()).release())
    }
    try send(.sockets(kinds), descriptors)
  }

  func connect(_ attempt: UInt32, to endpoint: Endpoint, hasAlternatives: Bool = false) throws {
    try send(
      .connect(
        ConnectOrder(
          attempt: Attempt(attempt), remote: 0, endpoint: endpoint, wallTime: Clock.wallTime,
          hasAlternatives: hasAlternatives)))
  }

  /// The next report but notes and requests for sockets, which are answered when `supplies`.
  func next(supplies: Bool = false, within limit: Duration = .seconds(10)) throws -> Report? {
    let deadline = Clock.now + limit
    while true {
      while !reports.isEmpty {
        switch reports.removeFirst() {
        case .note(let note): notes.append(note)
        case .wantsSockets(let kinds): if supplies { try supply(kinds) }
        case let other: return other
        }
      }
      guard Clock.now < deadline else { return nil }
      try read(until: deadline)
    }
  }

  /// Everything up to a request for sockets.
  func nextRequest() throws -> [SocketKind]? {
    let deadline = Clock.now + .seconds(10)
    while Clock.now < deadline {
      if let index = reports.firstIndex(where: { if case .wantsSockets = $0 { true } else { false } }) {
        if case .wantsSockets(let kinds) = reports.remove(at: index) { return kinds }
      }
      try read(until: deadline)
    }
    return nil
  }

  var descriptor: Int32 { channel?.descriptor ?? -1 }

  /// Everything that waits, without waiting.
  func read() throws -> [Report] {
    try read(until: Clock.now)
    defer { reports = [] }
    return reports
  }

  private func read(until deadline: Instant) throws {
    let channel = try #require(channel)
    var poller = try Poller()
    try poller.add(channel.descriptor, for: .readable, token: 0)
    _ = try poller.wait(until: deadline)
    while var message = try channel.receive() {
      var envelope = Envelope(bytes: message.bytes)
      if case .attachment(let length)? = Envelope.promise(of: message.bytes) {
        envelope.attachment = try message.takeAttachment(length: length)
      }
      reports.append(try #require(Report(decoding: envelope)))
    }
  }
}
