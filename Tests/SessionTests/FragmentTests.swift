import Base
import Exchange
import Profile
import Session
import TestKit
import Testing

@Suite("A session with fragment")
struct FragmentTests {
  private func talk(
    fragment: Int, includesHeaders: Bool = false, _ change: (inout MirrorSetup) -> Void = { _ in },
    client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror {
      $0.fragment = includesHeaders ? fragment - 28 : fragment
      change(&$0)
    }
    let setup = TestProfile.client(of: mirror) {
      $0.remote.fragment = FragmentLimit(size: fragment, includesHeaders: includesHeaders)
      client(&$0)
    }
    let talk = try Conversation(setup, mirror)
    talk.start()
    #expect(talk.runUntilUp())
    // The server has its keys a moment later.
    talk.run(for: .seconds(1))
    return talk
  }

  @Test(
    "O-28 packets of every size get through both ways, none larger outside than was asked",
    arguments: [DataCipher.aes256GCM, .aes256CBC], [false, true])
  func through(cipher: DataCipher, includesHeaders: Bool) throws {
    for (epochs, compression) in [(false, CompressionFraming.none), (true, .none), (false, .stub)] {
      let talk = try talk(
        fragment: 600, includesHeaders: includesHeaders,
        {
          $0.cipher = cipher
          $0.usesEpochs = epochs && cipher.isAEAD
          $0.compression = compression
          if compression == .stub { $0.pushParts[0].append("compress stub") }
        })
      let sizes = [28, 500, 543, 544, 545, 571, 572, 573, 574, 1144, 1145, 1300, 1500]
      let handshake = talk.sent.count
      for (number, size) in sizes.enumerated() {
        talk.send(InnerPacket.make(UInt64(number), size: size))
        talk.server.send(InnerPacket.make(UInt64(number), size: size), at: talk.now)
        talk.run(for: .seconds(1))
      }
      #expect(talk.server.received.map(\.count) == sizes && talk.received.map(\.count) == sizes)
      #expect(talk.received.map(InnerPacket.number) == talk.server.received.map(InnerPacket.number))
      let data = talk.sent.dropFirst(handshake).filter { $0[0] >> 3 == 9 || $0[0] >> 3 == 6 }
      let most = includesHeaders ? 572 : 600
      #expect(data.allSatisfy { $0.count <= most } && data.contains { $0.count > most - 60 })
      #expect(data.count > sizes.count)
      #expect(talk.counters.drops.isEmpty)
    }
  }

  @Test("O-28 the options string says so, under the old name")
  func options() throws {
    let talk = try talk(fragment: 1300)
    #expect(
      talk.server.clientKey?.options.contains("link-mtu 1553,tun-mtu 1500,proto UDPv4,mtu-dynamic,cipher") == true)
  }

  @Test("Pings, echoes and the goodbye travel with the header, and a tunnel at rest stays up")
  func messages() throws {
    let talk = try talk(
      fragment: 600,
      {
        $0.pushParts[0] += ["ping 5", "ping-restart 20"]
        $0.ping = .seconds(5)
        $0.controlChannelExit = false
      }, client: { $0.remote.explicitExitNotify = 1 })
    talk.run(for: .seconds(120))
    #expect(talk.ending == nil && !talk.server.echoes.isEmpty)
    // The tunnel makes what fits, whatever the path: nothing is measured.
    talk.with { session, outbox in session.measure(ceiling: 1500, start: nil, at: talk.now, into: &outbox) }
    talk.run(for: .seconds(5))
    #expect(!talk.events.contains { if case .mtu = $0 { true } else { false } })
    talk.with { session, outbox in session.stop(at: talk.now, into: &outbox) }
    talk.run(for: .seconds(5))
    #expect(talk.server.sawExit)
  }

  @Test(
    "With loss and reordering, over key changes, what comes out is whole packets that were sent", arguments: [1, 2])
  func lossy(seed: UInt64) throws {
    let mirror = TestProfile.mirror {
      $0.fragment = 400
      $0.renegotiateAfter = .seconds(10)
    }
    let setup = TestProfile.client(of: mirror) {
      $0.remote.fragment = FragmentLimit(size: 400, includesHeaders: false)
    }
    var wire = LossyWire(seed: seed)
    wire.loss = 50
    wire.delay = 5...10
    let talk = try Conversation(setup, mirror, seed: seed, wire: wire)
    talk.dataSize = 1400
    talk.dataPace = .milliseconds(20)
    talk.start()
    #expect(talk.runUntilUp())
    talk.run(for: .seconds(60))
    #expect(talk.ending == nil && talk.renegotiations >= 4)
    for packets in [talk.received, talk.server.received] {
      let numbers = packets.map(InnerPacket.number)
      #expect(Set(numbers).count == numbers.count && packets.allSatisfy { $0.count == 1400 })
      // Four pieces each, of which one in twenty is lost.
      #expect(numbers.count > 2_000)
    }
    let drops = talk.counters.drops.map(\.reason)
    #expect(drops.contains("data_fragment_lost") && !drops.contains("data_bad_fragment"))
  }
}
