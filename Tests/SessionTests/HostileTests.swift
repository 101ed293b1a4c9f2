import Base
import Crypto
import Exchange
import Profile
import Session
import TestKit
import Testing
import Wire

@Suite("Hostile packets")
struct HostileTests {
  /// Runs a conversation and, at every packet, throws something else at the client too.
  private func run(_ wrapping: Wrapping, seed: UInt64, _ change: (inout MirrorSetup) -> Void = { _ in }) throws
    -> Conversation
  {
    var random = RandomSource.seeded(seed)
    let mirror = TestProfile.mirror {
      $0.wrap = wrapping.wrap
      $0.renegotiateAfter = .seconds(6)
      change(&$0)
    }
    let talk = try Conversation(TestProfile.client(of: mirror), mirror, seed: seed)
    var seen: [[UInt8]] = []
    talk.beforeDelivery = { bytes in
      if seen.count < 500 { seen.append(bytes) }
      for _ in 0..<4 {
        var packet = seen[Int.random(in: 0..<seen.count, using: &random)]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: packet = random.bytes(Int.random(in: 0..<200, using: &random))
        case 1: packet = Array(packet.prefix(Int.random(in: 0...packet.count, using: &random)))
        case 2 where !packet.isEmpty:
          packet[Int.random(in: 0..<packet.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        case 3: packet += random.bytes(Int.random(in: 1...3000, using: &random))
        default: break
        }
        talk.receive(packet)
      }
    }
    talk.start()
    talk.run(for: .seconds(wrapping == .none ? 65 : 25)) { talk.ending != nil }
    return talk
  }

  @Test(
    "Replays, cuts, flips and noise in every state do not disturb a wrapped session", arguments: [1, 2, 3] as [UInt64])
  func wrapped(_ seed: UInt64) throws {
    for wrapping in [Wrapping.tlsAuth, .tlsCrypt, .tlsCryptV2, .tlsCryptV2Resend] {
      let talk = try run(wrapping, seed: seed)
      #expect(talk.isUp, "\(wrapping) \(String(describing: talk.ending?.fault))")
      #expect(talk.renegotiations >= 2)
      let drops = talk.counters.drops.map(\.reason)
      #expect(drops.contains("control_bad_tag"))
      #expect(drops.contains("control_replayed"))
    }
  }

  @Test("Without a wrap it may end, by name, but never traps", arguments: 1...20 as ClosedRange<UInt64>)
  func unwrapped(_ seed: UInt64) throws {
    let talk = try run(.none, seed: seed)
    #expect(talk.isUp || talk.ending?.fault != nil)
    #expect(talk.spins == 0)
  }

  @Test("Without a wrap a stranger's packets keep no dead server alive")
  func falseLife() throws {
    let mirror = TestProfile.mirror {
      $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "topology subnet", "ping 5", "ping-restart 20"]]
    }
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    talk.wire.isCut = true
    let begin = talk.now
    let stranger = ControlPacket(
      opcode: .ackV1, keyID: 0, sessionID: SessionID(7), acknowledgements: [1], peerSessionID: SessionID(9))
    while talk.ending == nil, talk.now - begin < .seconds(60) {
      talk.receive(stranger.head + stranger.body)
      talk.run(for: .seconds(1)) { talk.ending != nil }
    }
    #expect(talk.ending?.fault?.code == .keepaliveTimeout)
    #expect(talk.now - begin <= .seconds(25))
  }

  @Test("On TCP the first packet that does not fit ends the session")
  func stream() throws {
    for wrapping in Wrapping.allCases {
      let mirror = TestProfile.mirror {
        $0.wrap = wrapping.wrap
        $0.transport = .tcp
      }
      let talk = try Conversation(TestProfile.client(of: mirror), mirror)
      talk.start()
      #expect(talk.runUntilUp())
      talk.receive([0x20, 1, 2, 3])
      #expect(talk.ending?.fault?.code == .controlChannelBroken)
    }
  }

  @Test("Data packets before there are keys are dropped, never fatal")
  func earlyData() throws {
    let mirror = TestProfile.mirror()
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.beforeDelivery = { _ in
      talk.receive([0x30] + Array(repeating: 1, count: 60))
      talk.with { $0.receive([0x48] + Array(repeating: 1, count: 60), at: talk.now, into: &$1) }
    }
    talk.start()
    #expect(talk.runUntilUp())
  }

  @Test("A server that talks nonsense inside TLS ends or is ignored, by name")
  func nonsense() throws {
    for text in [
      "PUSH_REPLY," + String(repeating: "route 10.0.0.0,", count: 60), "PUSH_REPLY,,,,", "AUTH_FAILED,TEMP[[[",
      "RESTART,[", "AUTH_PENDING,timeout -5", "INFO_PRE,CR_TEXT:R,E:what?", ",", "PUSH_REPLY,peer-id 99999999999",
    ] {
      let mirror = TestProfile.mirror {
        $0.pushesUnasked = false
        $0.ignoredRequests = 1000
      }
      let talk = try Conversation(TestProfile.client(of: mirror), mirror)
      talk.start()
      talk.run(for: .seconds(1))
      talk.server.say(text, at: talk.now)
      talk.run(for: .seconds(100)) { talk.ending != nil || talk.isUp }
      #expect(talk.ending != nil || talk.isUp, "\(text)")
    }
  }

  @Test("A server that talks without end fills no log")
  func chatter() throws {
    let mirror = TestProfile.mirror()
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    for number in 0..<300 {
      talk.server.say("INFO,\(number)", at: talk.now)
      talk.run(for: .milliseconds(50))
    }
    #expect(talk.notes.count { $0.code == .serverMessage } == 100)
    #expect(talk.isUp)
  }

  @Test("An endless push is refused, not collected")
  func endlessPush() throws {
    let mirror = TestProfile.mirror {
      $0.pushParts = (0..<400).map { part in (0..<40).map { "route 10.\(part % 256).\($0).0 255.255.255.0" } }
    }
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.start()
    talk.run(for: .seconds(60)) { talk.ending != nil || talk.isUp }
    #expect(talk.ending?.fault?.code == .pushInvalid)
  }
}
