import Base
import Exchange
import Profile
import Session
import TestKit
import Testing
import Wire

@Suite("New keys")
struct RenegotiationTests {
  private func up(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    return talk
  }

  @Test("H-04 no packet is lost over many key changes, whoever asks", arguments: [true, false], [true, false])
  func overlap(byServer: Bool, dynamic: Bool) throws {
    let talk = try up {
      $0.usesEpochs = dynamic
      $0.wrap = .tlsCrypt(TestProfile.staticKey)
      $0.dynamicTLSCrypt = dynamic
      if byServer { $0.renegotiateAfter = .seconds(6) }
    } client: {
      $0.profile.timers.renegotiateAfter = byServer ? .zero : .seconds(6)
    }
    talk.dataPace = .milliseconds(20)
    talk.run(for: .seconds(65))
    #expect(talk.ending == nil)
    #expect(talk.renegotiations >= 9)
    talk.dataPace = nil
    talk.run(for: .seconds(1))
    let numbers = talk.received.map(InnerPacket.number)
    #expect(numbers == Array(1...UInt64(numbers.count)))
    #expect(numbers.count > 3_000)
    #expect(talk.server.received.map(InnerPacket.number) == numbers)
  }

  @Test("H-03 key ids go 0, 1 to 7, and 1 again; every login is sent anew")
  func keyIDs() throws {
    let talk = try up {
      $0.renegotiateAfter = .seconds(6)
      $0.user = "anna"
      $0.password = "secret"
    } client: {
      $0.profile.timers.renegotiateAfter = .zero
    }
    talk.run(for: .seconds(60)) { talk.renegotiations >= 9 }
    let ids = talk.events.compactMap { if case .renegotiated(let id) = $0 { id } else { nil } }
    #expect(ids == [1, 2, 3, 4, 5, 6, 7, 1, 2])
    #expect(talk.server.logins.count == 10)
    #expect(talk.server.logins.allSatisfy { $0.password == "secret" })
  }

  @Test("Both ends asking at once agree on one key")
  func simultaneous() throws {
    let talk = try up()
    talk.run(for: .seconds(5))
    talk.server.softReset(at: talk.now)
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.run(for: .seconds(10))
    #expect(talk.ending == nil)
    #expect(talk.renegotiations == 1)
    #expect(talk.server.renegotiations == 1)
    talk.send(InnerPacket.make(7))
    talk.run(for: .seconds(1))
    #expect(talk.server.received.count == 1)
  }

  @Test("A second wish while keys are being agreed on changes nothing")
  func twice() throws {
    let talk = try up()
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.run(for: .seconds(5))
    #expect(talk.renegotiations == 1)
  }

  @Test("A renegotiation that finds no end ends the session by name")
  func failure() throws {
    let talk = try up()
    talk.wire.isCut = true
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    let begin = talk.now
    talk.run(for: .seconds(100)) { talk.ending != nil }
    #expect(talk.ending?.fault?.code == .renegotiationFailed)
    #expect(talk.ending?.wasUp == true)
    #expect(talk.now - begin == .seconds(60))
  }

  @Test("H-13 a login refused at a renegotiation ends the session")
  func refused() throws {
    let talk = try up {
      $0.user = "anna"
      $0.password = "secret"
      $0.token = "first"
      $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "auth-token second"]]
    }
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.run(for: .seconds(10)) { talk.ending != nil }
    #expect(talk.ending?.fault?.code == .authTokenExpired)
    #expect(talk.ending?.wasUp == true)
  }

  @Test("reneg-bytes and reneg-pkts count both ways")
  func usage() throws {
    for change: (inout SessionSetup) -> Void in [
      { $0.profile.timers.renegotiatePackets = 50 }, { $0.profile.timers.renegotiateBytes = 1_500 },
    ] {
      let talk = try up(client: change)
      talk.dataPace = .milliseconds(100)
      talk.run(for: .seconds(30)) { talk.renegotiations == 1 }
      #expect(talk.renegotiations == 1)
      #expect(talk.server.received.count < 150)
    }
  }

  @Test("The old key is given up after tran-window")
  func transition() throws {
    let talk = try up(client: { $0.profile.timers.transitionWindow = .seconds(30) })
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.run(for: .seconds(29))
    #expect(talk.canReceive(0))
    talk.run(for: .seconds(2))
    #expect(!talk.canReceive(0))
    #expect(talk.ending == nil)
  }

  @Test("Data goes on with the old key until the peer surely has the new one")
  func holdOff() throws {
    let talk = try up()
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    let begin = talk.now
    talk.run(for: .seconds(20)) { talk.renegotiations == 1 }
    #expect(talk.sendingKeyID == 0)
    // One packet under the new key is proof.
    talk.run(for: .seconds(2))
    #expect(talk.sendingKeyID == 0)
    talk.run(for: .seconds(1))
    talk.server.send(InnerPacket.make(1), at: talk.now)
    talk.run(for: .seconds(2))
    #expect(talk.sendingKeyID == 1)
    #expect(talk.now - begin < .seconds(10))
  }

  @Test("Without a word from the peer the hold-off decides")
  func quietHoldOff() throws {
    let talk = try up(client: { $0.profile.timers.renegotiateAfter = .seconds(40) })
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.run(for: .seconds(19))
    #expect(talk.sendingKeyID == 0)
    talk.run(for: .seconds(2))
    #expect(talk.sendingKeyID == 1)
  }
}
