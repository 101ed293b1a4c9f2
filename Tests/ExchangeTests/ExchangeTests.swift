import Base
import Exchange
import Profile
import Testing

/// One of every message there is, with and without its optional parts.
private enum Samples {
  static let endpoint6 = Endpoint(address: .v6(IPv6Address(high: 0x2001_0db8_0000_0000, low: 1)), port: 1194)
  static let endpoint4 = Endpoint(address: .v4(IPv4Address(192, 0, 2, 1)), port: 443)
  static let attempt = Attempt(7)
  static let manyItems = (0..<2000).map { "route 10.\($0 / 256).\($0 % 256).0 255.255.255.0" }

  static let manyDomains = (0..<300).compactMap { DomainName("host-\($0).example.lab") }

  static let orders: [Order] = [
    .configure(tunnel: "home", profile: SecretBytes(Array(repeating: 65, count: 100_000)), offload: .auto),
    .sockets([.udp4, .udp6, .tcp4, .tcp6]),
    .sockets([]),
    .resolve(
      ResolveOrder(attempt: attempt, host: "vpn.example.net", family: .ipv6, resolvers: [endpoint4, endpoint6])),
    .resolve(ResolveOrder(attempt: attempt, host: "a", family: nil, resolvers: [])),
    .connect(
      ConnectOrder(
        attempt: attempt, remote: 3, endpoint: endpoint6, wallTime: WallTime(seconds: -5), hasAlternatives: true,
        token: SecretBytes(Array("SESS_ID".utf8)), tokenUser: "user")),
    .connect(
      ConnectOrder(
        attempt: attempt, remote: 0, endpoint: endpoint4, wallTime: WallTime(seconds: 1 << 40), hasAlternatives: false)),
    .applied(attempt, mtu: 1500),
    .refused(attempt, .networkPlanFailed),
    .watch(WatchOrder(generation: 9, domains: manyDomains)),
    .watch(WatchOrder(generation: .max, domains: [])),
    .namesApplied(77),
    .path(attempt, isUsable: true), .path(attempt, isUsable: false),
    .health(HealthOrder()),
    .health(HealthOrder(interval: .milliseconds(1500), failAfter: 100, target: endpoint6.address)),
    .clock(attempt, WallTime(seconds: 1_800_000_000)),
    .measure(attempt, ceiling: 1500, start: 1348), .measure(attempt, ceiling: .max, start: nil),
    .stop(attempt), .reportCounters, .renegotiate(attempt), .quit,
  ]

  static let reports: [Report] =
    [
      .ready,
      .resolved(attempt, host: "vpn.example.net", addresses: [endpoint4.address, endpoint6.address], fault: nil),
      .resolved(attempt, host: "2001:db8::1", addresses: [], fault: Fault(.nameUnresolved, "no data")),
      .note(Note(.serverMessage, "hällo", "")),
      .offloads([.mmsg, .gso, .tso]),
      .wantsSockets([.udp6]),
      .names(
        NamesReport(
          generation: 9, sequence: 77,
          items: [
            NamesReport.Item(domain: 299, address: endpoint4.address, lifetime: .max),
            NamesReport.Item(domain: 0, address: endpoint6.address, lifetime: 0),
          ])),
      .names(NamesReport(generation: 0, sequence: 0, items: [])),
      .counters(counters),
    ] + events.map { .event(attempt, $0) }

  static let events: [SessionEvent] = [
    .started(local: endpoint4), .started(local: nil), .serverAnswered,
    .tlsEstablished(
      TLSSummary(version: "TLSv1.3", cipher: "X", subject: "CN=server", notAfter: WallTime(seconds: 1))),
    .tlsEstablished(TLSSummary(version: "TLSv1.2", cipher: "Y", subject: "", notAfter: nil)),
    .wantsNetwork(items: ["ifconfig 10.8.0.2 255.255.255.0", "topology subnet"]),
    .wantsNetwork(items: []),
    .wantsNetwork(items: manyItems),
    .up(UpSummary(cipher: .aes256GCM, control: "tls-crypt", dataFormat: "v2", peerID: 0xffffff, user: "u")),
    .up(UpSummary(cipher: .chacha20Poly1305, control: "none", dataFormat: "v1", peerID: nil, user: nil)),
    .renegotiated(keyID: 7),
    .token(SecretBytes([1, 2, 3]), user: "u"), .token(SecretBytes([]), user: nil),
    .proof(.alive(roundTrip: .milliseconds(31))), .proof(.silent(for: .seconds(2))), .proof(.failed),
    .mtu(ExchangeLimit.smallestMTU), .mtu(.max),
    .ended(EndReport(fault: nil)),
    .ended(
      EndReport(
        fault: Fault(.authTemporary, "busy"), retryAfter: .seconds(42), advance: .nextRemote, keepsToken: false,
        wasUp: true)),
  ]

  static var counters: Counters {
    var counters = Counters()
    counters.tunReceivedBytes = .max
    counters.tunSentPackets = 3
    counters.renegotiations = 9
    counters.lastPacketReceived = Instant(nanoseconds: 77)
    counters.drops = [.init("badTag", 4), .init("replayed", 5)]
    return counters
  }
}

@Suite("What supervisor and engine say to each other")
struct ExchangeTests {
  @Test("Every order survives the wire")
  func orders() throws {
    for order in Samples.orders {
      let envelope = try #require(order.encoded())
      #expect(envelope.bytes.count <= ExchangeLimit.message)
      #expect(Order(decoding: envelope) == order)
      #expect(Report(decoding: envelope) == nil)
    }
  }

  @Test("Every report survives the wire")
  func reports() throws {
    for report in Samples.reports {
      let envelope = try #require(report.encoded())
      #expect(envelope.bytes.count <= ExchangeLimit.message)
      #expect(Report(decoding: envelope) == report)
      #expect(Order(decoding: envelope) == nil)
    }
  }

  @Test("The header tells beforehand whether a memfd comes along")
  func promise() throws {
    let profile = SecretBytes([1, 2, 3])
    let envelope = try #require(Order.configure(tunnel: "home", profile: profile, offload: .auto).encoded())
    #expect(Envelope.promise(of: envelope.bytes) == .attachment(length: 3))
    #expect(envelope.attachment == profile)
    #expect(Order(decoding: Envelope(bytes: envelope.bytes)) == nil)
    #expect(Order(decoding: Envelope(bytes: envelope.bytes, attachment: SecretBytes([1, 2]))) == nil)
    let quit = try #require(Order.quit.encoded())
    #expect(Envelope.promise(of: quit.bytes) == .nothing)
    #expect(Envelope.promise(of: []) == nil)
  }

  @Test("Descriptors beside a message are a function of the message")
  func descriptors() {
    #expect(Order.sockets([.udp4, .tcp6]).descriptors == 2...2)
    #expect(Order.applied(Attempt(1), mtu: 1500).descriptors == 0...1)
    #expect(Order.quit.descriptors == 0...0)
  }

  @Test("A server's words are cleaned and cut, never refused")
  func text() throws {
    let note = Note(.serverMessage, "a\nb\u{1b}[31m" + String(repeating: "ü", count: 1000))
    let envelope = try #require(Report.note(note).encoded())
    guard case .note(let read) = try #require(Report(decoding: envelope)) else { return }
    #expect(read.fields[0].hasPrefix("a?b?[31m"))
    #expect(read.fields[0].utf8.count <= ExchangeLimit.text)
  }

  @Test("Limits hold in both directions")
  func limits() {
    #expect(Order.sockets(Array(repeating: .udp4, count: ExchangeLimit.sockets + 1)).encoded() == nil)
    let large = SecretBytes(Array(repeating: 0, count: ExchangeLimit.attachment + 1))
    #expect(Order.configure(tunnel: "home", profile: large, offload: .auto).encoded() == nil)
    let items = Array(repeating: "x", count: ExchangeLimit.items + 1)
    #expect(Report.event(Attempt(1), .wantsNetwork(items: items)).encoded() == nil)
    #expect(Report.event(Attempt(1), .wantsNetwork(items: ["a\nb"])).encoded() == nil)
    #expect(Order(decoding: Envelope(bytes: Array(repeating: 1, count: ExchangeLimit.message + 1))) == nil)
  }

  @Test("A full report of names fits into one message, and a longer one is none")
  func names() throws {
    let item = NamesReport.Item(domain: 1, address: Samples.endpoint6.address, lifetime: 60)
    let full = NamesReport(
      generation: 1, sequence: 1, items: Array(repeating: item, count: ExchangeLimit.names))
    let envelope = try #require(Report.names(full).encoded())
    #expect(Report(decoding: envelope) == .names(full))
    let longer = NamesReport(generation: 1, sequence: 1, items: full.items + [item])
    #expect(Report.names(longer).encoded() == nil)
  }

  @Test("Watched domains are as many as the limits allow, and nothing but domains")
  func domains() throws {
    let longest = String(repeating: "a", count: 60)
    let many = (0..<40_000).compactMap { DomainName("\($0).\(longest).\(longest).lab") }
    let fitting = WatchOrder.fitting(many)
    #expect(fitting.count < many.count && fitting.count > 20_000)
    #expect(Order.watch(WatchOrder(generation: 1, domains: many)).encoded() == nil)
    let envelope = try #require(Order.watch(WatchOrder(generation: 1, domains: fitting)).encoded())
    #expect(Order(decoding: envelope) == .watch(WatchOrder(generation: 1, domains: fitting)))
    #expect(WatchOrder.fitting((0..<40_000).compactMap { DomainName("\($0).lab") }).count == ExchangeLimit.domains)

    let few = try #require(
      Order.watch(WatchOrder(generation: 1, domains: Array(Samples.manyDomains.prefix(1)))).encoded())
    for broken in ["\u{12}host 0.example.lab", "\u{12}host-0.example.la", "\u{0}", "\u{3}a;b"] {
      let body = SecretBytes(Array(broken.utf8))
      var bytes = few.bytes
      bytes[6] = UInt8(body.count)
      #expect(Order(decoding: Envelope(bytes: bytes, attachment: body)) == nil, "\(broken)")
    }
  }

  @Test("What health asks for and what proof says stays within bounds, whoever wrote it")
  func proofs() throws {
    for count in [-1, 0, 101, 300] { #expect(Order.health(HealthOrder(failAfter: count)).encoded() == nil) }
    let health = try #require(Order.health(HealthOrder(failAfter: 1)).encoded())
    for count: UInt8 in [0, 101, 255] {
      var bytes = health.bytes
      bytes[bytes.count - 2] = count
      #expect(Order(decoding: Envelope(bytes: bytes)) == nil)
    }
    let longest = Duration.nanoseconds(Int64(ExchangeLimit.span))
    let long = try #require(Report.event(Attempt(1), .proof(.silent(for: .seconds(1 << 40)))).encoded())
    #expect(Report(decoding: long) == .event(Attempt(1), .proof(.silent(for: longest))))
    var longer = long.bytes
    longer[longer.count - 1] &+= 1
    #expect(Report(decoding: Envelope(bytes: longer)) == nil)
    let negative = try #require(Report.event(Attempt(1), .proof(.alive(roundTrip: .seconds(-1)))).encoded())
    #expect(Report(decoding: negative) == .event(Attempt(1), .proof(.alive(roundTrip: .zero))))
    let small = try #require(Report.event(Attempt(1), .mtu(ExchangeLimit.smallestMTU - 1)).encoded())
    #expect(Report(decoding: small) == nil)
  }

  @Test("A host name from an engine holds only what host names hold")
  func hosts() throws {
    let report = Report.resolved(Attempt(1), host: "a.b; rm -rf", addresses: [], fault: nil)
    let envelope = try #require(report.encoded())
    #expect(Report(decoding: envelope) == nil)
  }
}

@Suite("Hostile bytes between supervisor and engine")
struct ExchangeFuzzTests {
  private static let envelopes =
    Samples.orders.compactMap { $0.encoded() } + Samples.reports.compactMap { $0.encoded() }

  private func decode(_ envelope: Envelope) {
    if let order = Order(decoding: envelope) { _ = order.encoded() }
    if let report = Report(decoding: envelope) { _ = report.encoded() }
  }

  @Test("A cut message is no message")
  func truncation() {
    for envelope in Self.envelopes {
      for count in stride(from: 0, to: envelope.bytes.count, by: envelope.bytes.count > 500 ? 37 : 1) {
        let cut = Envelope(bytes: Array(envelope.bytes.prefix(count)), attachment: envelope.attachment)
        #expect(Order(decoding: cut) == nil)
        #expect(Report(decoding: cut) == nil)
      }
      let long = Envelope(bytes: envelope.bytes + [0], attachment: envelope.attachment)
      #expect(Order(decoding: long) == nil)
      #expect(Report(decoding: long) == nil)
    }
  }

  @Test("Flipped bits give another message or none, never a trap")
  func flips() {
    for envelope in Self.envelopes {
      for index in 0..<min(envelope.bytes.count, 300) {
        for bit in 0..<8 {
          var bytes = envelope.bytes
          bytes[index] ^= 1 << bit
          decode(Envelope(bytes: bytes, attachment: envelope.attachment))
        }
      }
      guard let attachment = envelope.attachment, attachment.count < 5000 else { continue }
      for index in 0..<attachment.count {
        var bytes = attachment.exposed
        bytes[index] ^= 0xff
        decode(Envelope(bytes: envelope.bytes, attachment: SecretBytes(bytes)))
      }
    }
  }

  @Test("Random bytes never trap")
  func random() {
    var state: UInt64 = 42
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    for round in 0..<20_000 {
      var bytes = (0..<Int(next() % 120)).map { _ in UInt8(truncatingIfNeeded: next()) }
      if bytes.count > 7, round % 4 != 0 {
        bytes.replaceSubrange(0..<7, with: [1, UInt8(next() % 20) + (round % 2 == 0 ? 0 : 0x80), 0, 0, 0, 0, 0])
      }
      decode(Envelope(bytes: bytes))
    }
  }
}
