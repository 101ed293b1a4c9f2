import Base
import Exchange
import Session
import TestKit
import Testing

@Suite("Whether the server is still there")
struct LivenessTests {
  private func up(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    // The first echo comes back.
    talk.run(for: .seconds(1))
    #expect(talk.server.echoes.count == 1)
    return talk
  }

  private func order(_ talk: Conversation, _ health: HealthOrder) {
    talk.with { session, _ in session.adopt(health, at: talk.now) }
  }

  private func hasFailed(_ talk: Conversation) -> Bool { talk.proofs.contains(.failed) }

  @Test("R-10 a server that falls silent under traffic is found out in seconds, and told alive when it answers again")
  func silence() throws {
    let talk = try up()
    talk.dataPace = .milliseconds(50)
    talk.run(for: .seconds(20))
    #expect(talk.proofs.isEmpty)
    talk.wire.cutTowards = .client
    let begin = talk.now
    #expect(talk.run(for: .seconds(10)) { hasFailed(talk) })
    #expect(talk.now - begin <= .milliseconds(4_500), "\(talk.now - begin)")
    guard case .silent(let span)? = talk.proofs.first else {
      Issue.record("\(talk.proofs)")
      return
    }
    #expect(span >= .milliseconds(500) && span <= .seconds(2))
    #expect(talk.proofs.count == 2)
    // The verdict is the supervisor's: the session goes on.
    talk.run(for: .seconds(20))
    #expect(talk.ending == nil && talk.proofs.count == 2)
    talk.wire.cutTowards = nil
    #expect(talk.run(for: .seconds(4)) { talk.proofs.count == 3 })
    guard case .alive? = talk.proofs.last else {
      Issue.record("\(talk.proofs)")
      return
    }
  }

  @Test("R-10 answers that came slowly and unevenly while the line was full do not put off the verdict afterwards")
  func afterLoad() throws {
    for (transport, bound) in [(Transport.udp, 8), (.tcp, 16)] {
      let talk = try up { $0.transport = transport }
      talk.serverSendsData = false
      for delay in [10, 450, 20, 600, 15] {
        talk.wire.delay = delay...delay
        talk.send(InnerPacket.make(1))
        talk.run(for: .seconds(12))
      }
      #expect(talk.server.echoes.count >= 6 && !hasFailed(talk))
      talk.serverSendsData = true
      talk.dataPace = .milliseconds(50)
      talk.run(for: .seconds(5))
      talk.wire.cutTowards = .client
      let begin = talk.now
      #expect(talk.run(for: .seconds(30)) { hasFailed(talk) })
      #expect(talk.now - begin <= .seconds(bound), "\(transport): \(talk.now - begin)")
    }
  }

  @Test("R-16 answers that suddenly take two seconds longer are no death, on a fast line as on a satellite's")
  func suddenlyLonger() throws {
    for delay in [5, 300, 700, 1_400] {
      let talk = try up()
      talk.wire.delay = delay...delay
      talk.serverSendsData = false
      talk.dataPace = .milliseconds(200)
      talk.run(for: .seconds(60))
      #expect(!hasFailed(talk))
      talk.wire.delay = (delay + 1_000)...(delay + 1_000)
      talk.run(for: .seconds(60))
      #expect(!hasFailed(talk), "\(delay)")
      talk.wire.cutTowards = .client
      let begin = talk.now
      #expect(talk.run(for: .seconds(60)) { hasFailed(talk) })
      #expect(talk.now - begin <= .seconds(30), "\(delay): \(talk.now - begin)")
    }
  }

  @Test("A pause of a second is no event, and answers that flow keep every question away")
  func pause() throws {
    let talk = try up()
    talk.dataPace = .milliseconds(50)
    for _ in 0..<20 {
      talk.wire.cutTowards = .client
      talk.run(for: .milliseconds(500))
      talk.wire.cutTowards = nil
      talk.run(for: .seconds(2))
    }
    #expect(!hasFailed(talk))
    let asked = talk.server.echoes.count
    talk.run(for: .seconds(60))
    #expect(talk.server.echoes.count == asked)
  }

  @Test(
    "One-way traffic is asked about and never judged while the server answers, also over a line with a second of jitter"
  )
  func jitter() throws {
    for delay in [5...5, 50...1_000, 600...1_200] {
      let talk = try up()
      talk.wire.delay = delay
      talk.serverSendsData = false
      talk.dataPace = .milliseconds(200)
      talk.run(for: .seconds(300))
      #expect(!hasFailed(talk), "\(delay)")
      #expect(talk.server.echoes.count > 30, "\(delay)")
      #expect(talk.ending == nil)
    }
  }

  @Test("One packet of fifty lost, either way, is no silence")
  func loss() throws {
    let talk = try up()
    talk.wire.loss = 20
    talk.serverSendsData = false
    talk.dataPace = .milliseconds(100)
    talk.run(for: .seconds(600))
    #expect(!hasFailed(talk))
  }

  @Test("An idle tunnel sends nothing, and wakes for nothing but its keepalive")
  func idle() throws {
    let talk = try up()
    // The last acknowledgements are repeated for a while.
    talk.run(for: .seconds(5))
    let (sent, wakes) = (talk.sent.count, talk.wakes)
    talk.run(for: .seconds(60))
    #expect(talk.sent.count == sent)
    #expect(talk.wakes - wakes <= 7)
    #expect(talk.proofs.isEmpty)
  }

  @Test("A ping looks after all else as well: nothing but it and its like wakes an idle tunnel")
  func idleWithPings() throws {
    let talk = try up {
      $0.pushParts = [["topology subnet", "route-gateway 10.8.0.1", "ifconfig 10.8.0.2 255.255.255.0", "ping 10"]]
    }
    talk.run(for: .seconds(30))
    let (sent, wakes) = (talk.sent.count, talk.wakes)
    talk.run(for: .seconds(60))
    #expect((5...7).contains(talk.sent.count - sent), "\(talk.sent.count - sent)")
    // Every half minute the size of the way is a question.
    #expect(talk.wakes - wakes <= 10, "\(talk.wakes - wakes)")
  }

  @Test("A gateway that answers no pings is judged by its control channel alone")
  func deaf() throws {
    let mirror = TestProfile.mirror { $0.answersEchoes = false }
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    talk.serverSendsData = false
    talk.dataPace = .milliseconds(100)
    talk.run(for: .seconds(60))
    #expect(!hasFailed(talk))
    let echoes = talk.server.echoes.count
    talk.run(for: .seconds(300))
    #expect(talk.server.echoes.count == echoes)
    #expect(!hasFailed(talk))
    talk.wire.cutTowards = .client
    let begin = talk.now
    #expect(talk.run(for: .seconds(20)) { hasFailed(talk) })
    #expect(talk.now - begin <= .seconds(10), "\(talk.now - begin)")
  }

  @Test(
    "A server that lives and carries nothing any more is told once, without a verdict, until something comes through")
  func mute() throws {
    let talk = try up()
    talk.dataPace = .milliseconds(200)
    talk.run(for: .seconds(5))
    talk.server.dropsInside = true
    talk.run(for: .seconds(120))
    #expect(!talk.proofs.isEmpty && !hasFailed(talk))
    #expect(!talk.proofs.contains { if case .alive = $0 { true } else { false } }, "\(talk.proofs)")
    talk.server.dropsInside = false
    #expect(
      talk.run(for: .seconds(10)) { if case .alive? = talk.proofs.last { true } else { false } }, "\(talk.proofs)")
    #expect(!hasFailed(talk))
    // A dead one is found as ever.
    talk.run(for: .seconds(5))
    talk.wire.cutTowards = .client
    #expect(talk.run(for: .seconds(10)) { hasFailed(talk) })
  }

  @Test("R-16 nothing is asked and nothing judged before the session is up")
  func notUp() throws {
    let mirror = TestProfile.mirror()
    let talk = try Conversation(TestProfile.client(of: mirror), mirror)
    talk.appliesNetwork = false
    talk.start()
    #expect(talk.run(for: .seconds(10)) { talk.events.contains { if case .wantsNetwork = $0 { true } else { false } } })
    talk.wire.isCut = true
    talk.run(for: .seconds(30))
    talk.with { session, outbox in session.pathChanged(isUsable: true, at: talk.now, into: &outbox) }
    talk.run(for: .seconds(30))
    #expect(talk.proofs.isEmpty && talk.server.echoes.isEmpty)
  }

  @Test("`config health` with an interval asks in silence too, and finds an idle tunnel dead")
  func interval() throws {
    let talk = try up()
    order(talk, HealthOrder(interval: .seconds(2), failAfter: 2))
    talk.run(for: .seconds(21))
    #expect(talk.server.echoes.count == 11)
    #expect(talk.proofs.isEmpty)
    talk.wire.isCut = true
    let begin = talk.now
    #expect(talk.run(for: .seconds(10)) { hasFailed(talk) })
    #expect(talk.now - begin <= .seconds(6), "\(talk.now - begin)")
  }

  @Test("`fail_after` says how many echoes are lost before the server is asked otherwise")
  func failAfter() throws {
    let talk = try up()
    order(talk, HealthOrder(failAfter: 10))
    talk.dataPace = .milliseconds(50)
    talk.run(for: .seconds(5))
    talk.wire.cutTowards = .client
    let (begin, asked) = (talk.now, talk.server.echoes.count)
    #expect(talk.run(for: .seconds(20)) { hasFailed(talk) })
    #expect(talk.now - begin >= .seconds(4))
    #expect(talk.server.echoes.count - asked >= 10)
  }

  @Test("A verdict that comes late waits for what lies in the socket meanwhile")
  func late() throws {
    let talk = try up()
    talk.wire.cutTowards = .client
    talk.send(InnerPacket.make(1))
    #expect(talk.run(for: .seconds(5)) { !talk.proofs.isEmpty })
    // The process slept through the verdict.
    talk.run(for: .seconds(1))
    talk.now += .seconds(30)
    talk.with { session, outbox in session.wake(at: talk.now, into: &outbox) }
    #expect(!hasFailed(talk))
    talk.wire.cutTowards = nil
    talk.server.send(InnerPacket.make(2), at: talk.now)
    talk.run(for: .seconds(1))
    #expect(!hasFailed(talk) && talk.proofs.count == 2)
    // Late or not, in the end it falls.
    talk.wire.cutTowards = .client
    talk.send(InnerPacket.make(1))
    #expect(talk.run(for: .seconds(5)) { talk.proofs.count == 3 })
    talk.run(for: .seconds(1))
    talk.now += .seconds(30)
    #expect(talk.run(for: .seconds(1)) { hasFailed(talk) })
  }

  @Test(
    "Whom a session asks: the gateway that was pushed, of either family, a net30 server's own address, or the probe")
  func whom() throws {
    let probe = IPAddress.v4(IPv4Address(172, 20, 0, 1))
    let pushes: [([String], IPAddress?, [UInt8])] = [
      (["topology subnet", "route-gateway 10.8.0.1", "ifconfig 10.8.0.2 255.255.255.0"], nil, [10, 8, 0, 1]),
      (["topology net30", "route 10.8.0.1", "ifconfig 10.8.0.6 10.8.0.5"], nil, [10, 8, 0, 1]),
      (["ifconfig 10.9.0.6 10.9.0.1"], nil, [10, 9, 0, 1]),
      (["ifconfig-ipv6 fd08::1000/64 fd08::1"], nil, [0xfd, 8] + [UInt8](repeating: 0, count: 13) + [1]),
      (["topology subnet", "route-gateway 10.8.0.1", "ifconfig 10.8.0.2 255.255.255.0"], probe, [172, 20, 0, 1]),
    ]
    for (push, target, expected) in pushes {
      let mirror = TestProfile.mirror { $0.pushParts = [push] }
      let talk = try Conversation(TestProfile.client(of: mirror), mirror)
      order(talk, HealthOrder(target: target))
      talk.start()
      #expect(talk.runUntilUp())
      talk.run(for: .seconds(1))
      let packet = try #require(talk.server.echoes.first)
      #expect(Array(packet[0] >> 4 == 4 ? packet[16..<20] : packet[24..<40]) == expected, "\(push)")
    }
  }

  @Test("A stream is given more time, and is found dead all the same")
  func stream() throws {
    let talk = try up { $0.transport = .tcp }
    talk.dataPace = .milliseconds(50)
    talk.run(for: .seconds(5))
    talk.wire.cutTowards = .client
    let begin = talk.now
    #expect(talk.run(for: .seconds(20)) { hasFailed(talk) })
    #expect(talk.now - begin >= .seconds(3) && talk.now - begin <= .seconds(8), "\(talk.now - begin)")
  }
}
