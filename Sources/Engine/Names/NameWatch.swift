package import Base
package import Exchange

/// Watches the DNS answers that come out of the tunnel, and holds those that matter to a policy until the supervisor has
/// put their addresses into the policy's set: so the client's first packet goes the right way already.
///
/// Only an answer to a question that went into the tunnel counts. Otherwise anybody who can send a datagram to the tunnel's
/// address could say which way the house goes.
package struct NameWatch {
  /// The supervisor needs one run of nft, some 20 ms. A client asks again after seconds.
  package static let patience: Duration = .milliseconds(200)
  /// Held at once; with more the client does not wait.
  package static let mostHeld = 64
  /// Questions under way; older ones are forgotten first.
  package static let mostAsked = 512
  /// Datagrams of the DNS go from port to port of their own.
  private static let port: UInt16 = 53

  private struct Held {
    var packet: [UInt8]
    var sequence: UInt32
    var until: Instant
  }

  /// False without a policy by domain: nothing is looked at then.
  package private(set) var isOn = false
  private var domains = WatchedDomains([])
  private var generation: UInt32 = 0
  private var sequence: UInt32 = 0
  private var asked: [Int] = []
  private var held: [Held] = []
  /// What the supervisor is to hear.
  private var reports: [NamesReport] = []
  /// Answers that went through at once because too many were held.
  package private(set) var unheld: UInt64 = 0

  /// When the first one held goes on.
  package var deadline: Instant? { held.first?.until }
  package var hasReports: Bool { !reports.isEmpty }

  package init() {}

  /// Watches for these from now on; what is held goes on when its time is over.
  package mutating func watch(_ order: WatchOrder) {
    domains = WatchedDomains(order.domains)
    generation = order.generation
    isOn = !domains.isEmpty
    asked = []
    reports = []
  }

  // MARK: Into the tunnel

  /// Remembers the questions about watched domains among the packets of the LAN.
  package mutating func noticeQuestions(in burst: borrowing Burst) {
    var index = 0
    while index < burst.count {
      let packet = burst.bytes(index)
      index += 1
      guard let datagram = InnerDatagram(packet), datagram.destination.port == Self.port else { continue }
      noticeQuestion(datagram, packet.extracting(datagram.payload))
    }
  }

  private mutating func noticeQuestion(_ datagram: InnerDatagram, _ payload: Span<UInt8>) {
    guard let message = DNSMessage(payload), !message.isAnswer, domains.nearest(to: message.question) != nil else {
      return
    }
    if asked.count == Self.mostAsked { asked.removeFirst(Self.mostAsked / 4) }
    asked.append(Self.key(client: datagram.source, server: datagram.destination, message))
  }

  /// Seeded anew in every process: nobody outside can make two alike.
  private static func key(client: Endpoint, server: Endpoint, _ message: DNSMessage) -> Int {
    var hasher = Hasher()
    hasher.combine(client)
    hasher.combine(server)
    hasher.combine(message.identifier)
    hasher.combine(message.question)
    return hasher.finalize()
  }

  // MARK: Out of the tunnel

  /// Takes the answers to them out of the burst.
  package mutating func holdAnswers(in burst: inout Burst, at now: Instant) {
    var index = 0
    while index < burst.count {
      if burst[index].verdict == .forward, isAnswer(burst.bytes(index)), hold(burst.copy(index), at: now) {
        burst[index].verdict = .consumed
      }
      index += 1
    }
  }

  private func isAnswer(_ packet: Span<UInt8>) -> Bool { InnerDatagram(packet)?.source.port == Self.port }

  /// - Returns: false when the packet is to go on at once.
  private mutating func hold(_ packet: [UInt8], at now: Instant) -> Bool {
    let bytes = packet.span
    guard let datagram = InnerDatagram(bytes), let message = DNSMessage(bytes.extracting(datagram.payload)),
      message.isAnswer, !message.addresses.isEmpty,
      let place = asked.firstIndex(of: Self.key(client: datagram.destination, server: datagram.source, message))
    else { return false }
    asked.remove(at: place)
    guard let domain = domains.nearest(to: message.question) else { return false }
    let items = message.addresses.prefix(ExchangeLimit.names).map { found in
      NamesReport.Item(domain: domain, address: found.address, lifetime: found.lifetime)
    }
    sequence &+= 1
    reports.append(NamesReport(generation: generation, sequence: sequence, items: items))
    guard held.count < Self.mostHeld else {
      unheld &+= 1
      return false
    }
    held.append(Held(packet: packet, sequence: sequence, until: now + Self.patience))
    return true
  }

  package mutating func takeReports() -> [NamesReport] {
    defer { reports = [] }
    return reports
  }

  // MARK: On their way

  /// The answer whose addresses stand; `nil` when it went on already.
  package mutating func release(_ sequence: UInt32) -> [UInt8]? {
    guard let place = held.firstIndex(where: { $0.sequence == sequence }) else { return nil }
    return held.remove(at: place).packet
  }

  /// Those that have waited long enough.
  package mutating func releaseLate(at now: Instant) -> [[UInt8]] {
    let late = held.prefix { $0.until <= now }
    held.removeFirst(late.count)
    return late.map(\.packet)
  }
}
