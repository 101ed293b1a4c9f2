import Base
import DataChannel
import Exchange
import Profile
import Session
import TestKit
import Testing

@Suite("How a session ends")
struct EndingTests {
  private func up(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    talk.run(for: .seconds(3))
    return talk
  }

  @Test("H-15 what the server says decides what comes next")
  func words() throws {
    for (text, code, keeps, advance) in [
      ("RESTART", Fault.Code.serverRestart, false, EndReport.Advance.stay),
      ("RESTART,[P]:msg", .serverRestart, true, .stay), ("RESTART,[N]", .serverRestart, false, .nextRemote),
      ("HALT,reason", .serverHalt, false, .stay),
    ] {
      let talk = try up()
      talk.server.say(text, at: talk.now)
      talk.run(for: .seconds(2))
      #expect(talk.ending?.fault?.code == code, "\(text)")
      #expect(talk.ending?.keepsToken == keeps, "\(text)")
      #expect(talk.ending?.advance == advance, "\(text)")
      #expect(talk.ending?.wasUp == true)
    }
    let exit = try up()
    exit.server.say("EXIT", at: exit.now)
    exit.run(for: .seconds(2))
    #expect(exit.ending?.fault?.code == .serverExit)
    let occ = try up()
    occ.server.send(message: DataMessage.exit)
    occ.run(for: .seconds(15)) { occ.ending != nil }
    #expect(occ.ending?.fault?.code == .serverExit)
  }

  @Test("H-12 TEMP carries the server's wishes")
  func temporary() throws {
    let talk = try up()
    talk.server.say("AUTH_FAILED,TEMP[backoff 42,advance no]: sorry", at: talk.now)
    talk.run(for: .seconds(2))
    #expect(
      talk.ending
        == EndReport(fault: Fault(.authTemporary, "sorry"), retryAfter: .seconds(42), advance: .stay, wasUp: true))
  }

  @Test("Stopping says EXIT where it is agreed on, and is over as soon as that is acknowledged")
  func reliableExit() throws {
    let talk = try up(client: { $0.remote.explicitExitNotify = 1 })
    talk.with { $0.stop(at: talk.now, into: &$1) }
    #expect(talk.ending == nil)
    let begin = talk.now
    talk.run(for: .seconds(5)) { talk.ending != nil }
    #expect(talk.server.texts.last == "EXIT")
    #expect(talk.ending == EndReport(fault: nil, wasUp: true))
    #expect(talk.now - begin < .milliseconds(100))
    #expect(talk.nextWake == nil)
  }

  @Test("An EXIT that nobody hears is waited for no longer than a second")
  func unheardExit() throws {
    let talk = try up(client: { $0.remote.explicitExitNotify = 1 })
    talk.wire.isCut = true
    talk.with { $0.stop(at: talk.now, into: &$1) }
    let begin = talk.now
    talk.run(for: .seconds(5)) { talk.ending != nil }
    #expect(talk.now - begin == .seconds(1))
  }

  @Test("Without cc-exit the notice goes through the data channel, as often as asked")
  func occExit() throws {
    let talk = try up {
      $0.controlChannelExit = false
    } client: {
      $0.remote.explicitExitNotify = 3
    }
    let before = talk.sent.count
    talk.with { $0.stop(at: talk.now, into: &$1) }
    let begin = talk.now
    talk.run(for: .seconds(9)) { talk.ending != nil }
    #expect(talk.sent.count - before == 3)
    #expect(talk.server.sawExit)
    #expect(talk.now - begin == .seconds(3))
  }

  @Test("H-09 nothing is said on TCP, nor where nobody asks for it")
  func silentExit() throws {
    for change: (inout MirrorSetup) -> Void in [{ $0.transport = .tcp }, { _ in }] {
      let talk = try up(change, client: { $0.remote.explicitExitNotify = $0.remote.transport == .tcp ? 1 : 0 })
      let before = talk.sent.count
      talk.with { $0.stop(at: talk.now, into: &$1) }
      #expect(talk.ending == EndReport(fault: nil, wasUp: true))
      #expect(talk.sent.count == before)
    }
  }

  @Test("A refused network and a failed socket end it by their own names")
  func refusals() throws {
    let mirror = TestProfile.mirror()
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.appliesNetwork = false
    talk.start()
    talk.run(for: .seconds(2))
    #expect(!talk.isUp)
    talk.with { $0.networkRefused(.networkPlanFailed, at: talk.now, into: &$1) }
    #expect(talk.ending?.fault?.code == .networkPlanFailed)
    let other = try up()
    other.with { $0.transportFailed(Fault(.tcpClosed), at: other.now, into: &$1) }
    #expect(other.ending?.fault?.code == .tcpClosed)
  }

  @Test("After the end every call is quiet")
  func afterwards() throws {
    let talk = try up()
    talk.with { $0.transportFailed(Fault(.tcpClosed), at: talk.now, into: &$1) }
    let count = talk.events.count
    talk.with { session, outbox in
      session.start(at: talk.now, into: &outbox)
      session.wake(at: talk.now, into: &outbox)
      session.receive([1, 2, 3], at: talk.now, into: &outbox)
      session.renegotiate(at: talk.now, into: &outbox)
      session.stop(at: talk.now, into: &outbox)
      session.networkApplied(mtu: 1500, at: talk.now, into: &outbox)
      session.networkRefused(.internalError, at: talk.now, into: &outbox)
      session.transportFailed(Fault(.tcpClosed), at: talk.now, into: &outbox)
    }
    #expect(talk.events.count == count)
    #expect(talk.isOver)
  }
}
