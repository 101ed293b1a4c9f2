import Base
import Exchange
import Profile
import Session
import TestKit
import Testing

@Suite("A session on another way")
struct RoamingTests {
  private func up(_ change: (inout MirrorSetup) -> Void = { _ in }) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    talk.run(for: .seconds(1))
    return talk
  }

  private func path(_ talk: Conversation, isUsable: Bool) {
    talk.with { session, outbox in session.pathChanged(isUsable: isUsable, at: talk.now, into: &outbox) }
  }

  private func isAlive(_ talk: Conversation) -> Bool {
    talk.proofs.contains { if case .alive = $0 { true } else { false } }
  }

  @Test("R-06 another address: proof within a round trip, no handshake, and an idle tunnel is reached again")
  func floats() throws {
    let talk = try up()
    talk.clientAddress = 2
    path(talk, isUsable: true)
    let begin = talk.now
    #expect(talk.run(for: .seconds(5)) { isAlive(talk) })
    #expect(talk.now - begin <= .milliseconds(20))
    #expect(talk.proofs == [.alive(roundTrip: .milliseconds(10))])
    talk.server.send(InnerPacket.make(7), at: talk.now)
    #expect(talk.run(for: .seconds(1)) { talk.received.count == 1 })
    #expect(talk.server.resets == 1)
    // Nobody goes on asking.
    let asked = talk.server.echoes.count
    talk.run(for: .seconds(30))
    #expect(talk.server.echoes.count == asked)
  }

  @Test("The first packets on a fresh link are lost: the next ones follow at once")
  func firstPacketsLost() throws {
    for lost in [10, 60, 200, 1_000] {
      let talk = try up()
      talk.clientAddress = 2
      talk.wire.isCut = true
      path(talk, isUsable: true)
      talk.run(for: .milliseconds(lost))
      talk.wire.isCut = false
      let begin = talk.now
      #expect(talk.run(for: .seconds(5)) { isAlive(talk) })
      #expect(talk.now - begin <= .milliseconds(410), "\(lost)")
      #expect(!talk.proofs.contains(.failed))
    }
  }

  @Test("What was under way on the old way proves nothing about the new one")
  func stalePackets() throws {
    let talk = try up { $0.floats = false }
    talk.dataPace = .milliseconds(5)
    talk.run(for: .seconds(1))
    talk.wire.cutTowards = .server
    path(talk, isUsable: true)
    talk.dataPace = nil
    talk.run(for: .seconds(5))
    #expect(talk.proofs == [.failed])
  }

  @Test("A server that knows no peer ids does not follow: the verdict falls after 1.5 s, and soon where none could")
  func cannotFloat() throws {
    for (peerID, least, most) in [(5, 1_400, 1_600), (nil, 300, 600), (0xffffff, 300, 600)] as [(UInt32?, Int, Int)] {
      let talk = try up {
        $0.floats = false
        $0.peerID = peerID
      }
      talk.clientAddress = 2
      path(talk, isUsable: true)
      let begin = talk.now
      #expect(talk.run(for: .seconds(10)) { !talk.proofs.isEmpty })
      #expect(talk.proofs == [.failed])
      #expect(talk.now - begin >= .milliseconds(least) && talk.now - begin <= .milliseconds(most))
      #expect(talk.ending == nil)
    }
  }

  @Test("The same way again needs no moving: a session without peer id lives on over it")
  func sameWay() throws {
    let talk = try up { $0.peerID = nil }
    talk.wire.isCut = true
    path(talk, isUsable: false)
    talk.run(for: .seconds(8))
    talk.wire.isCut = false
    path(talk, isUsable: true)
    #expect(talk.run(for: .milliseconds(100)) { isAlive(talk) })
  }

  @Test("While there is no way nothing is asked and nothing judged, not even by ping-restart")
  func noWay() throws {
    let talk = try up { $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "ping 5", "ping-restart 20"]] }
    talk.dataPace = .milliseconds(100)
    talk.run(for: .seconds(1))
    talk.wire.isCut = true
    path(talk, isUsable: false)
    talk.run(for: .seconds(120))
    #expect(talk.proofs.isEmpty && talk.ending == nil)
    talk.wire.isCut = false
    path(talk, isUsable: true)
    #expect(talk.run(for: .milliseconds(100)) { isAlive(talk) })
    talk.run(for: .seconds(60))
    #expect(talk.ending == nil)
  }

  @Test("After a long outage a server that forgot us is found out within half a second")
  func longOutage() throws {
    let talk = try up()
    talk.wire.isCut = true
    path(talk, isUsable: false)
    talk.run(for: .seconds(26))
    path(talk, isUsable: true)
    let begin = talk.now
    #expect(talk.run(for: .seconds(5)) { !talk.proofs.isEmpty })
    #expect(talk.proofs == [.failed])
    #expect(talk.now - begin <= .milliseconds(500))
  }

  @Test("A line of 600 ms has the time that it needs to prove itself")
  func slowWay() throws {
    let talk = try up()
    talk.wire.delay = 300...300
    talk.clientAddress = 2
    path(talk, isUsable: true)
    #expect(talk.run(for: .seconds(5)) { !talk.proofs.isEmpty })
    #expect(talk.proofs == [.alive(roundTrip: .milliseconds(600))])
    // The same again: what the line needs is known now, and one second would not do.
    talk.wire.delay = 1_000...1_000
    talk.clientAddress = 3
    path(talk, isUsable: true)
    #expect(talk.run(for: .seconds(10)) { talk.proofs.count == 2 })
    #expect(isAlive(talk) && !talk.proofs.contains(.failed))
  }

  @Test("A gateway deaf to pings: data moves the session, then the control channel proves it")
  func deafGateway() throws {
    let talk = try up { $0.answersEchoes = false }
    talk.clientAddress = 2
    path(talk, isUsable: true)
    #expect(talk.run(for: .seconds(1)) { isAlive(talk) })
    #expect(talk.proofs.count == 1)
  }

  @Test("Several moves in a row are answered for the last one, each old question forgotten")
  func severalMoves() throws {
    let talk = try up()
    for address in 1...5 {
      talk.clientAddress = address
      path(talk, isUsable: true)
      talk.run(for: .milliseconds(3))
    }
    #expect(talk.run(for: .seconds(1)) { isAlive(talk) })
    talk.run(for: .seconds(5))
    #expect(talk.proofs.count == 1)
  }

  @Test("New keys that were being made when the way went are made on the next one")
  func renegotiation() throws {
    for cut in [0, 7, 12, 20, 30] {
      let talk = try up()
      talk.dataPace = .milliseconds(50)
      talk.with { session, outbox in session.renegotiate(at: talk.now, into: &outbox) }
      talk.run(for: .milliseconds(cut))
      talk.wire.isCut = true
      path(talk, isUsable: false)
      talk.run(for: .seconds(6))
      talk.wire.isCut = false
      talk.clientAddress = 2
      path(talk, isUsable: true)
      #expect(talk.run(for: .seconds(15)) { talk.renegotiations == 1 }, "\(cut)")
      talk.run(for: .seconds(100))
      #expect(talk.ending == nil, "\(cut): \(String(describing: talk.ending))")
    }
  }
}

@Suite("A clock that is set under a session")
struct ReverificationTests {
  private func talk(until expiry: WallTime) throws -> Conversation {
    var request = CertificateRequest.server()
    request.notAfter = expiry
    let certificate = TestProfile.authority.issue(request)
    let mirror = TestProfile.mirror { $0.certificate = certificate }
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    return talk
  }

  @Test("R-09 the peer is verified anew by the new time, and the session lives on")
  func good() throws {
    let talk = try talk(until: TestTime.days(100))
    talk.with { session, outbox in session.reverify(by: TestTime.days(50), at: talk.now, into: &outbox) }
    #expect(talk.run(for: .seconds(10)) { talk.renegotiations == 1 })
    talk.run(for: .seconds(100))
    #expect(talk.ending == nil && talk.renegotiations == 1)
  }

  @Test("R-09 a certificate that is not good at the new time ends the session under its own name")
  func expired() throws {
    let talk = try talk(until: TestTime.days(100))
    talk.with { session, outbox in session.reverify(by: TestTime.days(200), at: talk.now, into: &outbox) }
    #expect(talk.run(for: .seconds(10)) { talk.ending != nil })
    #expect(talk.ending?.fault?.code == .tlsCertificateExpired)
    #expect(talk.ending?.wasUp == true)
  }

  @Test("R-09 set while new keys are being made, the peer is verified once those are there")
  func duringRenegotiation() throws {
    let talk = try talk(until: TestTime.days(100))
    talk.with { session, outbox in session.renegotiate(at: talk.now, into: &outbox) }
    talk.with { session, outbox in session.reverify(by: TestTime.days(200), at: talk.now, into: &outbox) }
    #expect(talk.run(for: .seconds(30)) { talk.ending != nil })
    #expect(talk.ending?.fault?.code == .tlsCertificateExpired)
  }
}
