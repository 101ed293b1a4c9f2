import Base
import Exchange
import Profile
import Session
import TestKit
import Testing

@Suite("A session's clocks")
struct ClockTests {
  private func talk(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    return talk
  }

  @Test("A silent server is given up: after 4 s with alternatives, else when the options say")
  func silent() throws {
    for (alternatives, timeout, expected) in [(true, 120, 4), (false, 120, 60), (false, 10, 10), (true, 2, 2)] {
      let talk = try talk {
        $0.isDeaf = true
      } client: {
        $0.hasAlternatives = alternatives
        $0.remote.connectTimeout = .seconds(timeout)
      }
      let begin = talk.now
      talk.run(for: .seconds(200)) { talk.ending != nil }
      #expect(talk.ending?.fault?.code == .serverSilent)
      #expect(talk.now - begin == .seconds(expected))
    }
  }

  @Test("A handshake that does not end is given up after the hand window, under another name")
  func stuck() throws {
    let talk = try talk()
    talk.run(for: .seconds(1)) { talk.events.contains(.serverAnswered) }
    talk.wire.isCut = true
    let begin = talk.now
    talk.run(for: .seconds(100)) { talk.ending != nil }
    #expect(talk.ending?.fault?.code == .handshakeTimeout)
    #expect(talk.now - begin < .seconds(60))
  }

  @Test("R-10 ping-restart counts authenticated packets received, not what we send")
  func pingRestart() throws {
    let talk = try talk { $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "ping 5", "ping-restart 20"]] }
    #expect(talk.runUntilUp())
    talk.dataPace = .milliseconds(500)
    talk.run(for: .seconds(60))
    #expect(talk.ending == nil)
    talk.wire.isCut = true
    let begin = talk.now
    talk.run(for: .seconds(60)) { talk.ending != nil }
    #expect(talk.ending?.fault?.code == .keepaliveTimeout)
    #expect(talk.now - begin >= .seconds(19))
    #expect(talk.now - begin <= .seconds(23))
  }

  @Test("Without a pushed number the patience is 120 s on UDP and endless on TCP")
  func defaultPatience() throws {
    for transport in Transport.allCases {
      let talk = try talk { $0.transport = transport }
      #expect(talk.runUntilUp())
      talk.wire.isCut = true
      let begin = talk.now
      talk.run(for: .seconds(300)) { talk.ending != nil }
      #expect((talk.ending != nil) == (transport == .udp))
      if transport == .udp {
        #expect(talk.now - begin >= .seconds(119))
        #expect(talk.now - begin <= .seconds(131))
      }
    }
  }

  @Test("P-04 a ping leaves when nothing else was sent, and only then; busy the other way does not count")
  func pings() throws {
    let talk = try talk {
      $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "ping 3", "ping-restart 60"]]
      $0.ping = .milliseconds(300)
    }
    #expect(talk.runUntilUp())
    talk.run(for: .seconds(1))
    let before = talk.sent.count
    talk.run(for: .seconds(30))
    #expect((7...11).contains(talk.sent.count - before))
    talk.dataPace = .milliseconds(500)
    let pings = talk.sent.count
    talk.run(for: .seconds(30))
    #expect(talk.sent.count - pings <= 62)
  }

  @Test("inactive and session-timeout end the session by their names")
  func limits() throws {
    let idle = try talk { $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "inactive 20 10", "ping 2"]] }
    #expect(idle.runUntilUp())
    idle.dataPace = .seconds(5)
    idle.run(for: .seconds(60))
    #expect(idle.ending == nil)
    idle.dataPace = nil
    idle.run(for: .seconds(60)) { idle.ending != nil }
    #expect(idle.ending?.fault?.code == .inactive)
    let timed = try talk { $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "session-timeout 30"]] }
    #expect(timed.runUntilUp())
    let begin = timed.now
    timed.run(for: .seconds(60)) { timed.ending != nil }
    #expect(timed.ending?.fault?.code == .sessionTimeout)
    #expect(timed.now - begin == .seconds(30))
  }

  @Test("Waking late, twice or for nothing is fine, and nextWake is never in the past")
  func wakes() throws {
    let talk = try talk {
      $0.renegotiateAfter = .seconds(6)
      $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "ping 3", "ping-restart 60"]]
    }
    for step in 0..<400 {
      talk.run(for: .milliseconds(step % 7 * 50))
      for _ in 0..<2 { talk.with { $0.wake(at: talk.now, into: &$1) } }
      let next = try #require(talk.nextWake)
      #expect(next > talk.now)
    }
    #expect(talk.ending == nil)
    #expect(talk.renegotiations > 3)
    #expect(talk.spins == 0)
    // A long sleep, as of a suspended machine.
    talk.now += .seconds(10_000)
    talk.with { $0.wake(at: talk.now, into: &$1) }
    #expect(talk.ending != nil)
  }

  @Test("Same inputs and same random bytes give the same packets")
  func determinism() throws {
    func first(seed: UInt64) throws -> [[UInt8]] {
      let mirror = TestProfile.mirror {
        $0.wrap = .tlsCryptV2(TestProfile.serverKey, resend: false)
        $0.isDeaf = true
      }
      let talk = try Conversation(TestProfile.client(of: mirror), mirror, seed: seed)
      talk.start()
      talk.run(for: .seconds(30))
      return talk.sent
    }
    #expect(try first(seed: 3) == first(seed: 3))
    #expect(try first(seed: 3) != first(seed: 4))
    #expect(try first(seed: 3).count >= 5)
  }
}
