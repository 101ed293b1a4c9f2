import Base
import CLinux
import Crypto
import Exchange
import Glibc
import IO
import TestKit
import Testing

/// An engine between a mirror server on the loopback and a pair of sockets in place of a tun.
final class Laboratory {
  let supervisor: SupervisorSide
  let mirror: MirrorServer
  private(set) var events: [SessionEvent] = []
  private(set) var counters: Counters?
  private(set) var names: [NamesReport] = []
  private(set) var notes: [Note] = []
  /// Inner packets that came out of the tunnel.
  private(set) var delivered: [[UInt8]] = []
  /// While true the server takes nothing from its socket.
  var isAsleep = false
  /// While true the server speaks from another port than the one it is asked at, and from its first word on it takes only what
  /// arrives there. UDP only.
  var answersFromElsewhere = false

  private let transport: Transport
  private let endpoint: Endpoint
  private let socket: FileDescriptor
  private let elsewhere: FileDescriptor
  private var hasMoved = false
  private var connection: FileDescriptor?
  private var engine: Endpoint?
  private var stream: [UInt8] = []
  private var unsent: [UInt8] = []
  private let tun: FileDescriptor
  private var engineTun: FileDescriptor?
  private var supplied = 0

  /// - Parameter options: further lines of the profile.
  init(
    _ transport: Transport, options: String = "", _ change: (inout MirrorSetup) -> Void = { _ in }
  ) throws {
    self.transport = transport
    supervisor = try SupervisorSide()
    let setup = TestProfile.mirror {
      $0.transport = transport
      change(&$0)
    }
    mirror = try MirrorServer(setup, random: .system)
    let any = Endpoint(address: EngineTests.loopback, port: 0)
    socket = try TransportSocket.make(transport, .ipv4, .init(local: any))
    elsewhere = try TransportSocket.make(.udp, .ipv4, .init(local: any))
    var address = adit_address()
    #expect(adit_local_address(socket.raw, &address) == 0)
    endpoint = Endpoint(address: EngineTests.loopback, port: address.port)
    if transport == .tcp { #expect(adit_listen(socket.raw, 4) == 0) }
    let pair = try MessageSocket.pair()
    tun = FileDescriptor(owning: dup(pair.ours.raw))
    engineTun = FileDescriptor(owning: dup(pair.theirs.raw))
    try supervisor.configure(Self.profile(transport) + options)
    try supervisor.supply(transport == .udp ? [.udp4, .udp4] : [.tcp4, .tcp4])
  }

  private static func profile(_ transport: Transport) -> String {
    func text(_ secret: SecretBytes) -> String { String(decoding: secret.exposed, as: UTF8.self) }
    return """
      client
      dev tun
      remote 127.0.0.1 1194 \(transport.rawValue)
      remote-cert-tls server
      auth SHA256
      explicit-exit-notify 1
      <ca>
      \(text(TestProfile.authority.pem))</ca>
      <cert>
      \(text(TestProfile.client.pem))</cert>
      <key>
      \(text(TestProfile.client.key.pem))</key>

      """
  }

  // MARK: What a test does

  func deleteTun() { _ = shutdown(tun.raw, Int32(SHUT_RDWR)) }

  func connect(_ attempt: UInt32) throws {
    try supervisor.send(
      .connect(
        ConnectOrder(
          attempt: Attempt(attempt), remote: 0, endpoint: endpoint, wallTime: TestTime.now, hasAlternatives: false)))
  }

  /// Connects, makes the network and waits until data may flow.
  func bringUp(_ attempt: UInt32 = 1) throws -> Bool {
    events = []
    try connect(attempt)
    guard try run(until: { self.hasAsked }) else { return false }
    try apply(attempt)
    return try run(until: { self.isUp && self.mirror.isUp })
  }

  /// The tun rides along the first time.
  func apply(_ attempt: UInt32) throws {
    var descriptors: [Int32] = []
    if let tun = engineTun.take() { descriptors.append(tun.release()) }
    try supervisor.send(.applied(Attempt(attempt), mtu: 1500), descriptors)
  }

  var hasAsked: Bool { events.contains { if case .wantsNetwork = $0 { true } else { false } } }
  var isUp: Bool { events.contains { if case .up = $0 { true } else { false } } }
  var proofs: [Proof] { events.compactMap { if case .proof(let proof) = $0 { proof } else { nil } } }
  var ended: EndReport? {
    for case .ended(let report) in events { return report }
    return nil
  }

  /// A LAN host's packet on its way into the tunnel.
  func sendInside(_ packet: [UInt8]) -> Bool {
    let bytes = [UInt8](repeating: 0, count: ADIT_VNET_HEADER) + packet
    return adit_message_send(tun.raw, bytes, bytes.count, nil, 0) == bytes.count
  }

  func sendFromServer(_ packet: [UInt8]) {
    mirror.send(packet, at: Clock.now)
    flush()
  }

  func sendRaw(_ bytes: [UInt8]) {
    unsent += bytes
    flush()
  }

  func hangUp() { connection = nil }

  func askCounters() throws -> Counters? {
    counters = nil
    try supervisor.send(.reportCounters)
    _ = try run(until: { self.counters != nil })
    return counters
  }

  // MARK: The world

  /// Lets everything happen until the condition holds.
  /// - Returns: false after ten seconds without it.
  func run(until condition: () -> Bool) throws -> Bool {
    let limit = Clock.now + .seconds(10)
    while !condition() {
      guard Clock.now < limit else { return false }
      try step(until: limit)
    }
    return true
  }

  private func step(until limit: Instant) throws {
    flush()
    var poller = try Poller()
    try poller.add(supervisor.descriptor, for: .readable, token: 0)
    try poller.add(tun.raw, for: .readable, token: 1)
    if !isAsleep {
      try poller.add(socket.raw, for: .readable, token: 2)
      try poller.add(elsewhere.raw, for: .readable, token: 4)
      if let raw = connection?.raw {
        try poller.add(raw, for: unsent.isEmpty ? .readable : [.readable, .writable], token: 3)
      }
    }
    _ = try poller.wait(until: min(mirror.nextWake ?? limit, limit))
    if !isAsleep {
      if transport == .udp {
        receiveDatagrams(socket.raw, areTaken: !hasMoved)
        receiveDatagrams(elsewhere.raw, areTaken: hasMoved)
      } else {
        receiveStream()
      }
    }
    mirror.wake(at: Clock.now)
    flush()
    readTun()
    for report in try supervisor.read() {
      switch report {
      case .event(_, let event): events.append(event)
      case .counters(let counters): self.counters = counters
      case .names(let report): names.append(report)
      case .note(let note): notes.append(note)
      // Two requests are enough for every test: a bound keeps a fault from looping.
      case .wantsSockets(let kinds) where supplied < 64:
        supplied += kinds.count
        try supervisor.supply(kinds)
      default: break
      }
    }
  }

  private func receiveDatagrams(_ socket: Int32, areTaken: Bool) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      var from = adit_address()
      let got = adit_receive_from(socket, &bytes, bytes.count, &from)
      guard got > 0 else { return }
      engine = Endpoint(address: EngineTests.loopback, port: from.port)
      if areTaken { mirror.receive(Array(bytes[..<got]), at: Clock.now) }
    }
  }

  private func receiveStream() {
    let accepted = adit_accept(socket.raw)
    if accepted >= 0 {
      connection = FileDescriptor(owning: accepted)
      stream = []
      unsent = []
    }
    guard let raw = connection?.raw else { return }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let got = adit_stream_receive(raw, &bytes, bytes.count)
      guard got > 0 else { break }
      stream += bytes[..<got]
    }
    var at = 0
    while stream.count - at >= 2 {
      let length = Int(stream[at]) << 8 | Int(stream[at + 1])
      guard stream.count - at - 2 >= length else { break }
      mirror.receive(Array(stream[at + 2..<at + 2 + length]), at: Clock.now)
      at += 2 + length
    }
    stream.removeFirst(at)
  }

  /// Anybody's packet, from the other port.
  func sendFromElsewhere(_ packet: [UInt8]) {
    guard var to = engineAddress else { return }
    _ = adit_send_to(elsewhere.raw, packet, packet.count, &to)
  }

  private var engineAddress: adit_address? {
    guard let engine else { return nil }
    var to = adit_address()
    to.family = 4
    to.port = engine.port
    to.bytes.0 = 127
    to.bytes.3 = 1
    return to
  }

  private func flush() {
    for packet in mirror.packets {
      if transport == .tcp {
        unsent.append(bigEndian: UInt16(packet.count))
        unsent += packet
      } else if var to = engineAddress {
        hasMoved = answersFromElsewhere
        _ = adit_send_to(answersFromElsewhere ? elsewhere.raw : socket.raw, packet, packet.count, &to)
      }
    }
    mirror.packets = []
    guard let raw = connection?.raw, !unsent.isEmpty else { return }
    let wrote = adit_stream_send(raw, unsent, unsent.count)
    if wrote > 0 { unsent.removeFirst(wrote) }
  }

  private func readTun() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let got = adit_read(tun.raw, &bytes, bytes.count)
      guard got > ADIT_VNET_HEADER else { return }
      // The kernel would take the header for an offload otherwise.
      #expect(bytes[..<ADIT_VNET_HEADER].allSatisfy { $0 == 0 })
      delivered.append(Array(bytes[ADIT_VNET_HEADER..<got]))
    }
  }
}
