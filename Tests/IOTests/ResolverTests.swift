import Base
import CLinux
import Glibc
import IO
import Testing

/// A name server on the loopback that says what a test wants. It is stepped by the test, not by a thread.
private struct NameServer: ~Copyable {
  let socket: FileDescriptor
  let endpoint: Endpoint
  var questions: [(name: String, type: UInt16)] = []

  init() throws {
    socket = try TransportSocket.make(
      .udp, .ipv4, .init(local: Endpoint(address: BurstSocketTests.loopback, port: 0)))
    var address = adit_address()
    #expect(adit_local_address(socket.raw, &address) == 0)
    endpoint = Endpoint(address: BurstSocketTests.loopback, port: address.port)
  }

  /// - Parameter answer: code and records for a question; `nil` = silence.
  mutating func step(_ answer: (String, UInt16) -> (code: UInt8, addresses: [[UInt8]])?) {
    var bytes = [UInt8](repeating: 0, count: 512)
    while true {
      var from = adit_address()
      let got = adit_receive_from(socket.raw, &bytes, bytes.count, &from)
      guard got > 16 else { return }
      let query = Array(bytes[..<got])
      var labels: [String] = []
      var at = 12
      while query[at] != 0 {
        labels.append(String(decoding: query[at + 1...at + Int(query[at])], as: UTF8.self))
        at += 1 + Int(query[at])
      }
      let type = UInt16(query[at + 1]) << 8 | UInt16(query[at + 2])
      let name = labels.joined(separator: ".")
      questions.append((name, type))
      guard let (code, addresses) = answer(name, type) else { continue }
      var reply = Array(query[..<2]) + [0x81, 0x80 | code, 0, 1, 0, UInt8(addresses.count), 0, 0, 0, 0]
      reply += query[12..<at + 5]
      for address in addresses {
        reply += [0xc0, 12] + query[at + 1..<at + 5] + [0, 0, 0, 60, 0, UInt8(address.count)] + address
      }
      _ = adit_send_to(socket.raw, reply, reply.count, &from)
    }
  }
}

@Suite("Names")
struct ResolverTests {
  private let v4: [UInt8] = [192, 0, 2, 1]
  private let v6: [UInt8] = [0x20, 0x01, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [1]

  private func pool(_ count: Int = 4) throws -> SocketPool {
    let pool = SocketPool()
    for _ in 0..<count {
      let kept = pool.put(try TransportSocket.make(.udp, .ipv4, .init()))
      #expect(kept)
    }
    return pool
  }

  /// Runs both sides until the outcome is there.
  private func outcome(
    of resolver: Resolver, with server: inout NameServer,
    _ answer: (String, UInt16) -> (code: UInt8, addresses: [[UInt8]])?
  ) throws -> Resolver.Outcome? {
    let limit = Clock.now + .seconds(10)
    var poller = try Poller()
    try poller.add(resolver.descriptor, for: .readable, token: 0)
    try poller.add(server.socket.raw, for: .readable, token: 1)
    while Clock.now < limit {
      server.step(answer)
      if let outcome = resolver.advance(at: Clock.now) { return outcome }
      _ = try poller.wait(until: resolver.deadline(at: Clock.now))
    }
    return nil
  }

  @Test("both families are asked at once, and every address comes, in order")
  func both() throws {
    var server = try NameServer()
    let resolver = try Resolver(pool: try pool())
    resolver.ask("vpn.example.net", family: nil, servers: [server.endpoint], at: Clock.now)
    let outcome = try outcome(of: resolver, with: &server) { _, type in
      type == 1 ? (0, [v4, [192, 0, 2, 2]]) : (0, [v6])
    }
    let expected = ["192.0.2.1", "192.0.2.2", "2001:db8::1"].compactMap { IPAddress($0) }
    #expect(outcome == .addresses(expected))
    #expect(server.questions.map(\.name) == ["vpn.example.net", "vpn.example.net"])
    #expect(!resolver.isBusy)
  }

  @Test("a name that does not exist, and one without an address, have their own words")
  func failures() throws {
    var server = try NameServer()
    let resolver = try Resolver(pool: try pool(8))
    resolver.ask("nowhere.example", family: nil, servers: [server.endpoint], at: Clock.now)
    #expect(try outcome(of: resolver, with: &server) { _, _ in (3, []) } == .failed(.noSuchName))
    resolver.ask("v6.example", family: .ipv4, servers: [server.endpoint], at: Clock.now)
    #expect(try outcome(of: resolver, with: &server) { _, _ in (0, []) } == .failed(.noAddress))
    #expect(server.questions.last?.type == 1)
    resolver.ask("broken.example", family: .ipv6, servers: [server.endpoint], at: Clock.now)
    #expect(try outcome(of: resolver, with: &server) { _, _ in (5, []) } == .failed(.refused))
  }

  @Test("a server that never answers AAAA delays the answer for a moment only")
  func grace() throws {
    var server = try NameServer()
    let resolver = try Resolver(pool: try pool())
    let start = Clock.now
    resolver.ask("half.example", family: nil, servers: [server.endpoint], at: start)
    let outcome = try outcome(of: resolver, with: &server) { _, type in type == 1 ? (0, [v4]) : nil }
    #expect(outcome == .addresses([.v4(IPv4Address(192, 0, 2, 1))]))
    #expect(Clock.now - start < Resolver.longestQuestion)
  }

  @Test("silence ends at the limit of the question")
  func silence() throws {
    let server = try NameServer()
    let resolver = try Resolver(pool: try pool())
    let start = Clock.now
    resolver.ask("silent.example", family: .ipv4, servers: [server.endpoint], at: start)
    #expect(resolver.advance(at: start) == nil)
    #expect(try #require(resolver.deadline(at: start)) <= start + Resolver.longestQuestion)
    #expect(resolver.advance(at: start + Resolver.longestQuestion) == .failed(.noAnswer))
  }

  @Test("a first server that is silent costs less than a second")
  func secondServer() throws {
    let dead = try NameServer()
    var server = try NameServer()
    let resolver = try Resolver(pool: try pool())
    let start = Clock.now
    resolver.ask("vpn.example", family: .ipv4, servers: [dead.endpoint, server.endpoint], at: start)
    // The second is asked as soon as the first one's time is over, whatever else the machine has to do.
    #expect(try #require(resolver.deadline(at: start)) <= start + .seconds(1))
    let outcome = try outcome(of: resolver, with: &server) { _, _ in (0, [v4]) }
    #expect(outcome == .addresses([.v4(IPv4Address(192, 0, 2, 1))]))
  }

  @Test("no server, no socket and no name are told at once")
  func nothing() throws {
    let server = try NameServer()
    let resolver = try Resolver(pool: SocketPool())
    resolver.ask("a.example", family: nil, servers: [], at: Clock.now)
    #expect(resolver.advance(at: Clock.now) == .failed(.noServer))
    resolver.ask("a.example", family: nil, servers: [server.endpoint], at: Clock.now)
    #expect(resolver.advance(at: Clock.now) == .failed(.refused))
    let long = String(repeating: "a", count: 64) + ".example"
    resolver.ask(long, family: .ipv4, servers: [server.endpoint], at: Clock.now)
    #expect(resolver.advance(at: Clock.now) == .failed(.badName))
  }

  @Test("an address needs no server")
  func literal() throws {
    let resolver = try Resolver(pool: SocketPool())
    resolver.ask("192.0.2.1", family: nil, servers: [], at: Clock.now)
    #expect(resolver.advance(at: Clock.now) == .addresses([.v4(IPv4Address(192, 0, 2, 1))]))
    resolver.ask("192.0.2.1", family: .ipv6, servers: [], at: Clock.now)
    #expect(resolver.advance(at: Clock.now) == .failed(.noAddress))
  }

  @Test("a new question forgets the one under way")
  func forgetting() throws {
    var server = try NameServer()
    let resolver = try Resolver(pool: try pool(8))
    resolver.ask("first.example", family: .ipv4, servers: [server.endpoint], at: Clock.now)
    resolver.ask("second.example", family: .ipv4, servers: [server.endpoint], at: Clock.now)
    let outcome = try outcome(of: resolver, with: &server) { name, _ in
      (0, [name == "second.example" ? v4 : [192, 0, 2, 99]])
    }
    #expect(outcome == .addresses([.v4(IPv4Address(192, 0, 2, 1))]))
  }

  @Test("a pool keeps what it is given up to its limit, and nothing else")
  func pools() throws {
    let pool = SocketPool()
    for index in 0..<SocketPool.mostOfKind + 1 {
      let kept = pool.put(try TransportSocket.make(.tcp, .ipv6, .init()))
      #expect(kept == (index < SocketPool.mostOfKind))
    }
    let pair = try MessageSocket.pair()
    let strange = pool.put(FileDescriptor(owning: dup(pair.ours.raw)))
    #expect(!strange)
    #expect(pool.count(.tcp, .ipv6) == SocketPool.mostOfKind)
    let taken = pool.take(.tcp, .ipv6) != nil
    let none = pool.take(.udp, .ipv4) == nil
    #expect(taken && none)
    #expect(pool.count(.tcp, .ipv6) == SocketPool.mostOfKind - 1)
  }
}
