import Base
import Crypto
import DataChannel
import Exchange
import Profile
import Session
import TestKit
import Testing

@Suite("What the formats limit")
struct LimitTests {
  private struct Missing: Error {}

  private func up(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    #expect(talk.runUntilUp())
    // The server has its keys a moment later.
    talk.run(for: .seconds(1))
    return talk
  }

  /// Puts lanes in place of the client's that have done much already under the same key.
  private func age(
    _ talk: Conversation, firstPacketID: UInt32 = 1000, sent: KeyUsage = KeyUsage(), received: KeyUsage? = nil
  )
    throws
  {
    var key = try #require(talk.server.keys.last)
    key.role = .client
    guard let format = talk.session.up?.format else { throw Missing() }
    var up = UpLane(format: format, random: .seeded(3))
    let isReady = up.install(key, firstPacketID: firstPacketID, usage: sent)
    #expect(isReady)
    up.send(with: key.keyID)
    talk.session.up = consume up
    guard let received else { return }
    var down = DownLane(format: format)
    let opens = down.install(key, usage: received)
    #expect(opens)
    talk.session.down = consume down
  }

  private enum Wear: CaseIterable {
    case packetIDs, sentBlocks, receivedBlocks, forgeries, epochs
  }

  @Test("A key that runs out is replaced in time, and no packet is lost over it", arguments: Wear.allCases)
  private func worn(by wear: Wear) throws {
    for cipher in [DataCipher.aes256GCM, .aes256CBC] {
      guard cipher.isAEAD || wear == .packetIDs else { continue }
      let talk = try up({
        $0.cipher = cipher
        $0.usesEpochs = wear == .epochs
      })
      talk.run(for: .seconds(1))
      var usage = KeyUsage()
      switch wear {
      case .packetIDs: try age(talk, firstPacketID: KeyUsage.packetIDWarning - 20)
      case .sentBlocks:
        usage.blocks = KeyUsage.gcmWarning - 100
        try age(talk, sent: usage)
      case .receivedBlocks:
        usage.blocks = KeyUsage.gcmWarning - 100
        try age(talk, received: usage)
      case .forgeries:
        usage.failures = KeyUsage.failureWarning - 1
        try age(talk, received: usage)
      case .epochs:
        try age(talk)
        talk.session.up?.reach(epoch: 16, keyID: 0)
      }
      talk.run(for: .seconds(20))
      #expect(talk.renegotiations == 0, "idle, it is good for a long time yet")
      talk.dataPace = .milliseconds(20)
      if wear == .forgeries {
        talk.server.send(InnerPacket.make(0), at: talk.now)
        guard var forged = talk.server.packets.popLast() else { throw Missing() }
        forged[forged.count - 1] ^= 1
        talk.receive(forged)
      }
      if wear == .epochs {
        // Where no id is left to go on with: all that is sent now goes nowhere, until the new key.
        talk.session.up?.reach(epoch: 0xf000, keyID: 0)
      }
      talk.run(for: .seconds(60)) { talk.renegotiations == 1 }
      #expect(talk.renegotiations == 1)
      talk.run(for: .seconds(20))
      #expect(talk.renegotiations == 1 && talk.ending == nil && talk.sendingKeyID == 1)
      talk.dataPace = nil
      talk.run(for: .seconds(1))
      let numbers = talk.server.received.map(InnerPacket.number)
      if wear != .epochs { #expect(numbers == Array(1...UInt64(numbers.count))) }
      let isWhole = numbers.suffix(500) == ArraySlice((numbers.last ?? 0) - 499...(numbers.last ?? 0))
      #expect(isWhole && numbers.count > 500)
      #expect(talk.notes.contains { $0.sentence.contains("the keys are used up") })
    }
  }

  @Test("A key whose ids are all gone seals nothing more, and the session is not lost over it")
  func lastIDs() throws {
    let talk = try up()
    talk.run(for: .seconds(1))
    try age(talk, firstPacketID: .max - 9)
    for number in 0..<20 as Range<UInt64> { talk.send(InnerPacket.make(number)) }
    talk.run(for: .seconds(30)) { talk.renegotiations == 1 }
    #expect(talk.server.received.count == 10 && talk.renegotiations == 1)
    #expect(talk.counters.drops.contains { $0.reason == "data_ids_exhausted" && $0.count >= 10 })
    talk.run(for: .seconds(70))
    talk.send(InnerPacket.make(99))
    talk.run(for: .seconds(1))
    #expect(talk.server.received.last.map(InnerPacket.number) == 99)
  }

  @Test("reneg-bytes and reneg-pkts of one end, reneg-sec of the other: each begins, none disturbs")
  func allTriggers() throws {
    let talk = try up({ $0.renegotiateAfter = .seconds(15) }) {
      $0.profile.timers.renegotiatePackets = 400
      $0.profile.timers.renegotiateBytes = 100_000
    }
    talk.dataSize = 200
    talk.dataPace = .milliseconds(20)
    talk.run(for: .seconds(60))
    #expect(talk.ending == nil && talk.renegotiations >= 3)
    #expect(talk.counters.drops.isEmpty)
  }

  @Test("replay-window: how far behind a packet may come is the profile's choice", arguments: [8, 64, 512])
  func replayWindow(size: Int) throws {
    let talk = try up(client: { $0.profile.replayWindow = size })
    for number in 1...600 as ClosedRange<UInt64> { talk.server.send(InnerPacket.make(number), at: talk.now) }
    let packets = talk.server.packets
    talk.server.packets = []
    // The newest first.
    for packet in [packets[599]] + packets[..<599] { talk.receive(packet) }
    #expect(talk.received.count == size)
    #expect(talk.counters.drops.first { $0.reason == "data_replayed" }?.count == UInt64(600 - size))
    // None comes twice.
    for packet in packets { talk.receive(packet) }
    #expect(talk.received.count == size)
  }

  @Test("replay-window's seconds: what is later than that is taken no more")
  func replayTime() throws {
    for (seconds, isTaken) in [(5, false), (600, true), (0, true)] {
      let talk = try up({ $0.ping = .seconds(2) }, client: { $0.profile.replayTime = .seconds(seconds) })
      talk.server.send(InnerPacket.make(1), at: talk.now)
      guard let late = talk.server.packets.popLast() else { throw Missing() }
      talk.server.send(InnerPacket.make(2), at: talk.now)
      talk.run(for: .seconds(3))
      talk.server.send(InnerPacket.make(3), at: talk.now)
      talk.run(for: .seconds(25))
      talk.receive(late)
      #expect(talk.received.map(InnerPacket.number) == (isTaken ? [2, 3, 1] : [2, 3]), "\(seconds)")
      #expect(talk.counters.drops.contains { $0.reason == "data_replayed" } == !isTaken)
    }
  }

  @Test("replay-window 0 on a stream takes the next id alone")
  func strict() throws {
    let talk = try up({ $0.transport = .tcp }, client: { $0.profile.replayWindow = 0 })
    for number in 1...3 as ClosedRange<UInt64> { talk.server.send(InnerPacket.make(number), at: talk.now) }
    let packets = talk.server.packets
    talk.server.packets = []
    for packet in [packets[0], packets[2], packets[1]] { talk.receive(packet) }
    #expect(talk.received.map(InnerPacket.number) == [1, 2])
  }

  @Test("tun-mtu, the profile's or pushed: what is larger than the buffers were made for is dropped and counted")
  func tunMTU() throws {
    for (own, most, pushed, longest) in [
      (1500, 1600, nil, 1600), (1500, 1600, 1400, 1600), (3000, 3000, nil, 3000), (1500, 3000, 2800, 3000),
      (1500, 1600, 3000, 1600),
    ] as [(Int, Int, Int?, Int)] {
      let talk = try up({
        if let pushed { $0.pushParts[0].append("tun-mtu \(pushed)") }
      }) {
        $0.remote.tunMTU = own
        $0.remote.tunMTUMaximum = most
        $0.profile.remotes = [$0.remote]
      }
      for (number, size) in [(1, longest), (2, longest + 1)] as [(UInt64, Int)] {
        talk.server.send(InnerPacket.make(number, size: size), at: talk.now)
        talk.run(for: .seconds(1))
      }
      #expect(talk.received.map(\.count) == [longest], "\(own) \(most) \(pushed ?? 0)")
      #expect(talk.counters.drops.map(\.reason) == ["data_too_large"])
      let isClipped = talk.notes.contains { $0.sentence.contains("`tun-mtu-max` allows") }
      #expect(isClipped == (pushed ?? 0 > most))
    }
  }

  @Test("Every kind of drop that a peer can bring about has its own counter in the status")
  func drops() throws {
    let talk = try up {
      $0.cipher = .aes128GCM
      $0.fragment = nil
    }
    func sealed(_ payload: [UInt8]) throws -> [UInt8] {
      let packet = talk.server.up?.seal(message: payload)
      return try #require(packet)
    }
    let good = try sealed(InnerPacket.make(1))
    var forged = try sealed(InnerPacket.make(2))
    forged[forged.count - 1] ^= 1
    let large = try sealed([0x45] + [UInt8](repeating: 0, count: 1700))
    let expected: [(String, [UInt8])] = [
      ("data_too_short", [0x48, 0, 0, 5]), ("data_unknown_key", [0x4f] + good.dropFirst()),
      ("data_bad_tag", forged), ("data_not_ip", try sealed([1, 2, 3])), ("data_too_large", large),
    ]
    for (_, packet) in expected { talk.receive(packet) }
    talk.receive(good)
    talk.receive(good)
    let counters = talk.counters
    #expect(Set(counters.drops.map(\.reason)) == Set(expected.map(\.0) + ["data_replayed"]))
    #expect(counters.drops.allSatisfy { $0.count == 1 } && counters.tunReceivedPackets == 1)
  }
}
