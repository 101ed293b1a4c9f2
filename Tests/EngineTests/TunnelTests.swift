import Base
import DataChannel
import Engine
import Exchange
import Glibc
import IO
import TestKit
import Testing

@Suite("A tunnel through the engine")
struct TunnelTests {
  private func numbers(_ packets: [[UInt8]]) -> [UInt64] { packets.map(InnerPacket.number) }

  /// Sends packets both ways and waits for all of them.
  private func exchange(_ lab: Laboratory, _ range: Range<UInt64>, size: Int = 1400) throws {
    let (gone, come) = (lab.mirror.received.count, lab.delivered.count)
    for number in range {
      #expect(lab.sendInside(InnerPacket.make(number, size: size)))
      lab.sendFromServer(InnerPacket.make(number, size: size))
      _ = try lab.run(until: { lab.mirror.received.count - gone > Int(number - range.lowerBound) - 16 })
    }
    let all = try lab.run(until: {
      lab.mirror.received.count - gone == range.count && lab.delivered.count - come == range.count
    })
    #expect(all)
    #expect(numbers(Array(lab.mirror.received.dropFirst(gone))) == Array(range))
    #expect(numbers(Array(lab.delivered.dropFirst(come))) == Array(range))
  }

  @Test("the handshake goes in steps, packets go both ways, and the counters tell", arguments: Transport.allCases)
  func wholeLife(transport: Transport) throws {
    let lab = try Laboratory(transport)
    #expect(try lab.bringUp())
    let names = lab.events.map { String(describing: $0).prefix { $0 != "(" } }
    // What the tunnel takes may be known already.
    #expect(names.prefix(5) == ["started", "serverAnswered", "tlsEstablished", "wantsNetwork", "up"])
    guard case .started(let local?)? = lab.events.first else {
      Issue.record("no local address")
      return
    }
    #expect(local.port != 0)
    try exchange(lab, 0..<200)

    let counters = try #require(try lab.askCounters())
    #expect(counters.tunSentPackets == 200)
    #expect(counters.tunReceivedPackets == 200)
    #expect(counters.tunSentBytes == 200 * 1400)
    #expect(counters.tunReceiveErrors == 0)
    #expect(counters.transportSentPackets > 200)
    #expect(counters.transportReceivedBytes > 200 * 1400)
    #expect(counters.lastPacketReceived != nil)

    try lab.supervisor.send(.stop(Attempt(1)))
    #expect(try lab.run(until: { lab.ended != nil }))
    #expect(lab.ended?.fault == nil)
    #expect(lab.ended?.wasUp == true)
    if transport == .udp { #expect(lab.mirror.sawExit) }
    let after = try #require(try lab.askCounters())
    #expect(after.tunSentPackets == 200)
  }

  @Test("new keys on order, and packets never stop", arguments: Transport.allCases)
  func renegotiation(transport: Transport) throws {
    let lab = try Laboratory(transport)
    #expect(try lab.bringUp())
    try lab.supervisor.send(.renegotiate(Attempt(1)))
    try exchange(lab, 0..<100)
    #expect(try lab.run(until: { lab.mirror.renegotiations == 1 }))
    try exchange(lab, 100..<150)
    #expect(lab.events.contains { if case .renegotiated = $0 { true } else { false } })
  }

  @Test("the tun stays for the next attempt", arguments: Transport.allCases)
  func persistence(transport: Transport) throws {
    let lab = try Laboratory(transport)
    #expect(try lab.bringUp(1))
    try exchange(lab, 0..<10)
    try lab.supervisor.send(.stop(Attempt(1)))
    #expect(try lab.run(until: { lab.ended != nil }))
    // What the LAN sends meanwhile waits in the kernel.
    #expect(lab.sendInside(InnerPacket.make(10, size: 100)))
    #expect(try lab.bringUp(2))
    #expect(try lab.run(until: { lab.mirror.received.count == 11 }))
    try exchange(lab, 11..<20)
  }

  @Test("a connection that is full holds the LAN's packets back and loses none")
  func backPressure() throws {
    let lab = try Laboratory(.tcp)
    #expect(try lab.bringUp())
    lab.isAsleep = true
    var sent: UInt64 = 0
    // The server sleeps: the connection fills up, then the tun's queue.
    while sent < 20_000, lab.sendInside(InnerPacket.make(sent, size: 1400)) {
      sent += 1
      if sent % 32 == 0 { _ = try lab.askCounters() }
    }
    #expect(sent < 20_000)
    lab.isAsleep = false
    #expect(try lab.run(until: { lab.mirror.received.count == Int(sent) }))
    #expect(numbers(lab.mirror.received) == Array(0..<sent))
  }

  @Test("the end of a TCP connection and a stream that is not OpenVPN have their own words")
  func brokenStreams() throws {
    let closing = try Laboratory(.tcp)
    #expect(try closing.bringUp())
    closing.hangUp()
    #expect(try closing.run(until: { closing.ended != nil }))
    #expect(closing.ended?.fault?.code == .tcpClosed)

    let strange = try Laboratory(.tcp)
    #expect(try strange.bringUp())
    strange.sendRaw(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
    #expect(try strange.run(until: { strange.ended != nil }))
    #expect(strange.ended?.fault?.code == .tcpFramingBroken)
  }

  @Test("a device that is deleted under the engine ends it, at work and at rest", arguments: [true, false])
  func lostTun(isUp: Bool) throws {
    let lab = try Laboratory(.udp)
    #expect(try lab.bringUp())
    if !isUp {
      try lab.supervisor.send(.stop(Attempt(1)))
      #expect(try lab.run(until: { lab.ended != nil }))
    }
    lab.deleteTun()
    #expect(lab.supervisor.wait() == .broken("the tun device is gone"))
  }

  @Test("the server's goodbye inside the data channel ends the session at once")
  func serverExit() throws {
    let lab = try Laboratory(.udp)
    #expect(try lab.bringUp())
    lab.mirror.send(message: DataMessage.exit)
    #expect(try lab.run(until: { lab.ended != nil }))
    #expect(lab.ended?.fault?.code == .serverExit)
  }

  @Test("a network that cannot be made ends the attempt with its reason")
  func refusedNetwork() throws {
    let lab = try Laboratory(.udp)
    try lab.connect(1)
    #expect(try lab.run(until: { lab.hasAsked }))
    try lab.supervisor.send(.refused(Attempt(1), .subnetConflict))
    #expect(try lab.run(until: { lab.ended != nil }))
    #expect(lab.ended?.fault?.code == .subnetConflict)
  }

  @Test("orders of another attempt change nothing")
  func stale() throws {
    let lab = try Laboratory(.udp)
    try lab.connect(5)
    #expect(try lab.run(until: { lab.hasAsked }))
    try lab.supervisor.send(.refused(Attempt(4), .subnetConflict))
    try lab.supervisor.send(.stop(Attempt(6)))
    try lab.apply(5)
    #expect(try lab.run(until: { lab.isUp }))
    #expect(lab.ended == nil)
    try exchange(lab, 0..<5)
  }
}
