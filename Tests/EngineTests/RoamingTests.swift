import Base
import Exchange
import IO
import TestKit
import Testing

@Suite("An engine whose way to the server changes")
struct EngineRoamingTests {
  private func ports(_ lab: Laboratory) -> [UInt16] {
    lab.events.compactMap { if case .started(let local) = $0 { local?.port } else { nil } }
  }

  @Test("another way is answered with a proof, and nothing of it reaches the tun", arguments: Transport.allCases)
  func proof(transport: Transport) throws {
    let lab = try Laboratory(transport)
    #expect(try lab.bringUp())
    try lab.supervisor.send(.path(Attempt(7), isUsable: true))
    try lab.supervisor.send(.path(Attempt(1), isUsable: false))
    try lab.supervisor.send(.path(Attempt(1), isUsable: true))
    #expect(try lab.run(until: { !lab.proofs.isEmpty }))
    guard case .alive(let span)? = lab.proofs.first else {
      Issue.record("\(lab.proofs)")
      return
    }
    #expect(span > .zero && span < .seconds(2))
    #expect(ports(lab).count == 1)
    lab.sendFromServer(InnerPacket.make(1))
    #expect(try lab.run(until: { !lab.delivered.isEmpty }))
    #expect(lab.delivered == [InnerPacket.make(1)])
    #expect(lab.mirror.echoes.count >= 2)
    #expect(try lab.askCounters()?.tunReceivedPackets == 1)
    #expect(lab.proofs.count == 1)
  }

  @Test("a socket that is bound is exchanged for a fresh one, and the session lives on")
  func bound() throws {
    let lab = try Laboratory(.udp, options: "local 127.0.0.1\n")
    #expect(try lab.bringUp())
    try lab.supervisor.send(.path(Attempt(1), isUsable: true))
    #expect(try lab.run(until: { ports(lab).count == 2 && !lab.proofs.isEmpty }))
    #expect(Set(ports(lab)).count == 2)
    #expect(lab.sendInside(InnerPacket.make(5)))
    #expect(try lab.run(until: { lab.mirror.received.count == 1 }))
    #expect(lab.mirror.resets == 1 && lab.ended == nil)
  }

  @Test("R-10 a server that takes packets and says nothing is found out, once packets go out")
  func silence() throws {
    let lab = try Laboratory(.udp)
    #expect(try lab.bringUp())
    lab.isAsleep = true
    #expect(lab.sendInside(InnerPacket.make(1)))
    #expect(try lab.run(until: { lab.proofs.contains(.failed) }))
    guard case .silent? = lab.proofs.first else {
      Issue.record("\(lab.proofs)")
      return
    }
    #expect(lab.ended == nil)
    lab.isAsleep = false
    #expect(try lab.run(until: { lab.proofs.count == 3 }))
  }

  @Test("the clock is set: new keys, by whose making the peer is verified")
  func clock() throws {
    let lab = try Laboratory(.udp)
    #expect(try lab.bringUp())
    try lab.supervisor.send(.clock(Attempt(1), TestTime.days(1)))
    #expect(try lab.run(until: { lab.events.contains { if case .renegotiated = $0 { true } else { false } } }))
    // The certificates of the mirror last for nine years.
    try lab.supervisor.send(.clock(Attempt(1), TestTime.days(4_000)))
    #expect(try lab.run(until: { lab.ended != nil }))
    #expect(lab.ended?.fault?.code == .tlsCertificateExpired)
  }
}
