import Base
import Exchange
import IO
import Profile
import TestKit
import Testing

@Suite("Answers of the DNS in a tunnel")
struct NameTunnelTests {
  private let question = DNSBytes.ipv4(
    from: "10.8.0.2", to: "10.8.0.1", DNSBytes.udp(from: 40_000, to: 53, DNSBytes.question("www.example.lab")))
  private let answer = DNSBytes.ipv4(
    from: "10.8.0.1", to: "10.8.0.2",
    DNSBytes.udp(
      from: 53, to: 40_000,
      DNSBytes.answer("www.example.lab", [DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"))])))

  private func ask(_ lab: Laboratory) throws {
    let before = lab.mirror.received.count
    #expect(lab.sendInside(question))
    #expect(try lab.run(until: { lab.mirror.received.count > before }))
  }

  @Test("An answer waits for the supervisor's word, other packets do not", arguments: Transport.allCases)
  func held(transport: Transport) throws {
    let lab = try Laboratory(transport)
    try lab.supervisor.send(
      .watch(WatchOrder(generation: 5, domains: [try #require(DomainName("example.lab"))])))
    #expect(try lab.bringUp())
    try ask(lab)
    let sent = Clock.now
    lab.sendFromServer(answer)
    lab.sendFromServer(InnerPacket.make(1))
    #expect(try lab.run(until: { !lab.delivered.isEmpty && !lab.names.isEmpty }))
    // Sent after it. By now the time of the answer may be over too, on a busy machine.
    #expect(lab.delivered.first == InnerPacket.make(1))
    let report = try #require(lab.names.first)
    #expect(report.generation == 5)
    #expect(report.items.map { "\($0.domain) \($0.address) \($0.lifetime)" } == ["0 198.51.100.7 300"])
    try lab.supervisor.send(.namesApplied(report.sequence))
    #expect(try lab.run(until: { lab.delivered.count == 2 }))
    #expect(lab.delivered.last == answer)

    // Without a word it goes on all the same, and not before its time.
    try ask(lab)
    let again = Clock.now
    lab.sendFromServer(answer)
    #expect(try lab.run(until: { lab.delivered.count == 3 }))
    #expect(Clock.now - again >= .milliseconds(200))
    #expect(lab.names.count == 2)
    #expect(sent < again)

    // With nothing to watch it is a packet like any other.
    try lab.supervisor.send(.watch(WatchOrder(generation: 6, domains: [])))
    try ask(lab)
    lab.sendFromServer(answer)
    #expect(try lab.run(until: { lab.delivered.count == 4 }))
    #expect(lab.names.count == 2)
    let counters = try #require(try lab.askCounters())
    #expect(counters.tunReceivedPackets == 4)
    #expect(counters.drops.allSatisfy { $0.reason != "answers_not_held" })
  }

  @Test("An answer that was held when the session ended still reaches its client")
  func afterTheEnd() throws {
    let lab = try Laboratory(.udp)
    try lab.supervisor.send(
      .watch(WatchOrder(generation: 1, domains: [try #require(DomainName("example.lab"))])))
    #expect(try lab.bringUp())
    try ask(lab)
    lab.sendFromServer(answer)
    #expect(try lab.run(until: { !lab.names.isEmpty }))
    try lab.supervisor.send(.stop(Attempt(1)))
    #expect(try lab.run(until: { lab.ended != nil && lab.delivered == [self.answer] }))
  }
}
