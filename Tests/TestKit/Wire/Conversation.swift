import Base
import Crypto
import DataChannel
import Exchange
import Profile
import Session
import Wire

/// A client session and a mirror with a wire between them and a clock that a test turns.
package final class Conversation {
  package var now = Instant(nanoseconds: 1_000_000_000)
  package var session: Session
  package let server: MirrorServer
  package var wire: LossyWire
  package private(set) var events: [SessionEvent] = []
  package private(set) var notes: [Note] = []
  /// Inner packets that the client got.
  package var received: [[UInt8]] = []
  /// Sees every packet before the client does.
  package var beforeDelivery: (([UInt8]) -> Void)?
  /// The server's resets, as they travelled.
  package private(set) var resets: [[UInt8]] = []
  /// Every packet of the client, in order.
  package private(set) var sent: [[UInt8]] = []
  /// Answers `wantsNetwork` by itself.
  package var appliesNetwork = true
  /// Both ends send a numbered packet at this pace once they can.
  package var dataPace: Duration?
  /// Bytes of those packets.
  package var dataSize = 28
  /// When a packet last got through, and the longest pause there was.
  package private(set) var drought: [LossyWire.End: Duration] = [:]

  /// Where the client's packets come from. Like a server of 2.x, the mirror goes on with another address only when
  /// authentic data of a known peer id comes from it.
  package var clientAddress = 0
  private var knownAddress = 0
  /// False: only the client sends data at that pace.
  package var serverSendsData = true
  /// How often the client was woken.
  package private(set) var wakes = 0

  /// Bytes of the largest packet outside that passes whole, IPv4 and UDP headers included; `nil` = all pass.
  package var pathMTU: Int?
  /// Says so when one does not.
  package var speaksOfPath = false

  private let isStream: Bool
  private var outbox = Outbox()
  private var nextData: Instant?
  private var number: UInt64 = 0
  private var lastThrough: [LossyWire.End: Instant] = [:]
  /// A session that asks to be woken in the past spins.
  package private(set) var spins = 0

  package init(_ setup: SessionSetup, _ mirror: MirrorSetup, seed: UInt64 = 1, wire: LossyWire? = nil) throws {
    session = try Session(setup, random: .seeded(seed))
    server = try MirrorServer(mirror, random: .seeded(seed &+ 1_000_003))
    self.wire = wire ?? LossyWire(seed: seed)
    isStream = setup.remote.transport == .tcp
  }

  package func start() {
    session.start(at: now, into: &outbox)
    drain()
  }

  /// Runs until `isDone` or the time is over.
  @discardableResult
  package func run(for duration: Duration, until isDone: () -> Bool = { false }) -> Bool {
    let end = now + duration
    var stalled = 0
    while !isDone() {
      carryServerPackets()
      guard let next = nextTime, next <= end else {
        now = end
        return isDone()
      }
      stalled = next <= now ? stalled + 1 : 0
      if stalled > 1000 {
        spins += 1
        return false
      }
      now = max(now, next)
      step()
    }
    return true
  }

  /// Until the client says that it is up, or over.
  @discardableResult
  package func runUntilUp(for duration: Duration = .seconds(60)) -> Bool {
    run(for: duration) { self.isUp || self.ending != nil }
    return isUp
  }

  package var isUp: Bool { events.contains { if case .up = $0 { true } else { false } } && ending == nil }
  package var ending: EndReport? {
    for case .ended(let report) in events { return report }
    return nil
  }
  package var renegotiations: Int { events.count { if case .renegotiated = $0 { true } else { false } } }

  package var proofs: [Proof] {
    events.compactMap { if case .proof(let proof) = $0 { proof } else { nil } }
  }

  package var nextWake: Instant? { session.nextWake }
  package var isOver: Bool { session.isOver }
  /// The key that the client's data leaves with.
  package var sendingKeyID: UInt8? { session.up?.sender }
  package func canReceive(_ keyID: UInt8) -> Bool { session.down?.usage(of: keyID) != nil }
  package var counters: Counters { session.counters() }

  /// Calls the session and takes what it says.
  package func with(_ body: (inout Session, inout Outbox) -> Void) {
    body(&session, &outbox)
    drain()
  }

  package func send(_ packet: [UInt8]) {
    for sealed in session.up?.seal(packet, isStream: isStream) ?? [] { carry(sealed) }
    session.noteOutgoing(at: now)
  }

  package func receive(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    if PacketHead(byte: first)?.isData == true {
      receive(data: bytes)
    } else {
      session.receive(bytes, at: now, into: &outbox)
      drain()
    }
  }

  private func receive(data bytes: [UInt8]) {
    var burst = Burst(capacity: 8192, maximumCount: 1)
    guard burst.append(copying: bytes) else { return }
    session.down?.open(&burst)
    session.listen(&burst, at: now, into: &outbox)
    drain()
    guard burst[0].verdict == .forward else { return }
    received.append(burst.copy(0))
    noteThrough(.client)
  }

  private func deliverToServer(_ bytes: [UInt8], from address: Int) {
    let before = server.received.count
    if address == knownAddress {
      server.receive(bytes, at: now)
    } else if bytes.first.flatMap({ PacketHead(byte: $0) })?.isData == true, server.setup.floats {
      let authentic = server.down?.authenticated
      server.receive(bytes, at: now)
      if server.down?.authenticated != authentic { knownAddress = address }
    }
    if server.received.count > before { noteThrough(.server) }
  }

  private var nextTime: Instant? {
    [session.nextWake, server.nextWake, wire.nextDelivery, dataTime].compactMap { $0 }.min()
  }

  private var dataTime: Instant? { dataPace != nil && isUp && server.isUp ? nextData ?? now : nil }

  private func step() {
    for (end, bytes, address) in wire.deliveries(at: now) {
      if end == .client {
        guard address == clientAddress else { continue }
        if bytes.first == 0x40 { resets.append(bytes) }
        beforeDelivery?(bytes)
        receive(bytes)
      } else {
        deliverToServer(bytes, from: address)
      }
    }
    if let wake = session.nextWake, wake <= now {
      wakes += 1
      session.wake(at: now, into: &outbox)
      drain()
    }
    if let wake = server.nextWake, wake <= now { server.wake(at: now) }
    if let pace = dataPace, let time = dataTime, time <= now {
      nextData = now + pace
      number += 1
      send(InnerPacket.make(number, size: dataSize))
      if serverSendsData { server.send(InnerPacket.make(number, size: dataSize), at: now) }
    }
    carryServerPackets()
  }

  private func carryServerPackets() {
    for packet in server.packets { wire.send(packet, to: .client, address: knownAddress, at: now) }
    server.packets = []
  }

  private func noteThrough(_ end: LossyWire.End) {
    if let last = lastThrough[end] { drought[end] = max(drought[end] ?? .zero, now - last) }
    lastThrough[end] = now
  }

  private func carry(_ packet: [UInt8]) {
    sent.append(packet)
    wire.send(packet, to: .server, address: clientAddress, at: now)
  }

  private func drain() {
    while true {
      let packets = outbox.packets
      let whole = outbox.wholePackets
      let fresh = outbox.events
      notes += outbox.notes
      outbox.removeAll()
      for packet in packets { carry(packet) }
      for packet in whole {
        if let pathMTU, packet.count + 28 > pathMTU {
          if speaksOfPath { session.pathReported(mtu: pathMTU, at: now, into: &outbox) }
        } else {
          carry(packet)
        }
      }
      events += fresh
      let wants = fresh.contains { if case .wantsNetwork = $0 { true } else { false } }
      if wants, appliesNetwork { session.networkApplied(mtu: 1500, at: now, into: &outbox) }
      if outbox.isEmpty { return }
    }
  }
}
