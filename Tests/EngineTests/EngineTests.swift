import Base
import Crypto
import Engine
import Exchange
import Glibc
import IO
import TestKit
import Testing

@Suite("The engine and its supervisor")
struct EngineTests {
  static let loopback = IPAddress.v4(IPv4Address(127, 0, 0, 1))
  private static let authority = String(decoding: TestCertificate.authority().pem.exposed, as: UTF8.self)

  /// A client without any check of the server: enough where no server answers.
  static func profile(_ transport: String) -> String {
    """
    client
    dev tun
    remote 127.0.0.1 1194 \(transport)
    auth-user-pass
    <auth-user-pass>
    user
    password
    </auth-user-pass>
    <ca>
    \(authority)
    </ca>
    """
  }

  private func ready(_ transport: String, _ sockets: [SocketKind]) throws -> SupervisorSide {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    try supervisor.configure(Self.profile(transport))
    try supervisor.supply(sockets)
    return supervisor
  }

  private func fault(_ report: Report?) -> Fault.Code? {
    guard case .event(_, .ended(let ended))? = report else { return nil }
    return ended.fault?.code
  }

  @Test("it says that it is ready, and ends when told to")
  func quits() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    try supervisor.send(.quit)
    #expect(supervisor.wait() == .quit)
  }

  @Test("it ends when the supervisor is gone")
  func hangUp() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    #expect(supervisor.finish() == .supervisorEnded)
  }

  @Test("what is no order ends it")
  func nonsense() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    supervisor.send(raw: [1, 2, 3])
    #expect(supervisor.wait() == .broken("not an order"))
  }

  @Test("an attempt without a usable profile ends as a matter of configuration")
  func unconfigured() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    try supervisor.connect(1, to: Endpoint(address: Self.loopback, port: 1194))
    #expect(fault(try supervisor.next()) == .configurationInvalid)
  }

  @Test("a refused TCP connection ends the attempt, and the next one gets a fresh socket")
  func refusedTCP() throws {
    let supervisor = try ready("tcp", [.tcp4, .tcp4])
    let closed = try closedPort(.tcp)
    for attempt in 1...2 {
      try supervisor.connect(UInt32(attempt), to: closed)
      #expect(fault(try supervisor.next(supplies: true)) == .tcpRefused)
    }
  }

  @Test("a closed UDP port is known from its ICMP error, long before any timeout")
  func refusedUDP() throws {
    let supervisor = try ready("udp", [.udp4])
    try supervisor.connect(7, to: try closedPort(.udp))
    guard case .event(Attempt(7), .started(let local?))? = try supervisor.next() else {
      Issue.record("not started")
      return
    }
    #expect(local.port != 0)
    #expect(fault(try supervisor.next()) == .serverSilent)
  }

  @Test("an attempt waits for a spare socket, asks for it, and goes on when it comes")
  func starved() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    try supervisor.configure(Self.profile("udp"))
    try supervisor.connect(1, to: try closedPort(.udp))
    let wanted = try #require(try supervisor.nextRequest())
    #expect(wanted.contains(.udp4))
    try supervisor.supply([.udp4])
    guard case .event(_, .started)? = try supervisor.next() else {
      Issue.record("not started")
      return
    }
  }

  @Test("stopping an attempt that has no session yet ends it quietly; a stale attempt is nobody's")
  func stopping() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    try supervisor.configure(Self.profile("udp"))
    try supervisor.connect(3, to: try closedPort(.udp))
    try supervisor.send(.stop(Attempt(2)))
    try supervisor.send(.stop(Attempt(3)))
    guard case .event(Attempt(3), .ended(let ended))? = try supervisor.next() else {
      Issue.record("not ended")
      return
    }
    #expect(ended.fault == nil)
    try supervisor.send(.reportCounters)
    guard case .counters? = try supervisor.next() else {
      Issue.record("something else came")
      return
    }
  }

  @Test("a name that nobody knows a server for has no address; a literal is one")
  func resolving() throws {
    let supervisor = try SupervisorSide()
    #expect(try supervisor.next() == .ready)
    let literal = ResolveOrder(attempt: Attempt(1), host: "127.0.0.1", family: nil, resolvers: [])
    try supervisor.send(.resolve(literal))
    #expect(
      try supervisor.next()
        == .resolved(Attempt(1), host: "127.0.0.1", addresses: [Self.loopback], fault: nil))
    let name = ResolveOrder(attempt: Attempt(2), host: "vpn.example", family: nil, resolvers: [])
    try supervisor.send(.resolve(name))
    guard case .resolved(Attempt(2), "vpn.example", [], let fault?)? = try supervisor.next() else {
      Issue.record("no answer")
      return
    }
    #expect(fault.code == .nameUnresolved)
  }

  private func closedPort(_ transport: Transport) throws -> Endpoint {
    let socket = try TransportSocket.make(
      transport, .ipv4, .init(local: Endpoint(address: Self.loopback, port: 0)))
    let asked = try UDPSocket(socket, peer: Endpoint(address: Self.loopback, port: 1))
    let endpoint = asked.localEndpoint
    return try #require(endpoint)
  }
}
