import Base
import Crypto
import Exchange
import Profile
import Session
import TestKit
import Testing

#if DEBUG
  private let seeds: UInt64 = 40
#else
  private let seeds: UInt64 = 1_000
#endif

/// What one seed plays.
private struct Play {
  let mirror: MirrorSetup
  let client: SessionSetup
  let wire: LossyWire
  let name: String

  init(seed: UInt64) {
    var random = RandomSource.seeded(seed &* 77 &+ 5)
    let wrapping = Wrapping.allCases[Int(seed) % Wrapping.allCases.count]
    let byServer = seed % 2 == 0
    let cipher = DataCipher.allCases[Int(seed / 5) % DataCipher.allCases.count]
    let isDynamic = seed % 3 == 0
    mirror = TestProfile.mirror {
      $0.wrap = wrapping.wrap
      $0.cipher = cipher
      $0.exportsKeys = seed % 4 < 2
      $0.dynamicTLSCrypt = isDynamic
      $0.pushesUnasked = seed % 5 != 0
      if byServer { $0.renegotiateAfter = .seconds(20) }
    }
    client = TestProfile.client(of: mirror) {
      if !byServer { $0.profile.timers.renegotiateAfter = .seconds(20) }
    }
    var wire = LossyWire(seed: seed)
    wire.loss = Int.random(in: 0...150, using: &random)
    wire.repetition = Int.random(in: 0...200, using: &random)
    wire.corruption = Int.random(in: 0...30, using: &random)
    wire.delay = 5...Int.random(in: 5...120, using: &random)
    // Nothing tells an altered packet from a true one when nothing wraps the control channel.
    if wrapping == .none { wire.corruption = 0 }
    self.wire = wire
    name = "seed \(seed) \(wrapping) \(cipher) loss \(wire.loss) dynamic \(isDynamic) server \(byServer)"
  }
}

@Suite("Lossy wire")
struct LossyTests {
  /// The seeds are dealt out to tests that run beside each other, one for each core of a larger machine.
  private static let hands: UInt64 = 8

  @Test("The session always comes up, renegotiates without a gap, and never traps", arguments: 1...hands)
  func all(hand: UInt64) throws {
    for seed in stride(from: hand, through: seeds, by: Int(Self.hands)) {
      let play = Play(seed: seed)
      let talk = try Conversation(play.client, play.mirror, seed: seed, wire: play.wire)
      talk.start()
      #expect(talk.runUntilUp(), "\(play.name): \(String(describing: talk.ending?.fault))")
      guard talk.isUp else { continue }
      talk.dataPace = .milliseconds(50)
      talk.run(for: .seconds(180)) { talk.ending != nil || talk.renegotiations >= 2 }
      // The old keys fade while data goes on.
      talk.run(for: .seconds(5)) { talk.ending != nil }
      #expect(talk.ending == nil, "\(play.name): \(String(describing: talk.ending?.fault))")
      #expect(talk.renegotiations >= 2, "\(play.name): \(talk.renegotiations)")
      let drought = max(talk.drought[.client] ?? .seconds(99), talk.drought[.server] ?? .seconds(99))
      #expect(drought < .milliseconds(1_000), "\(play.name): \(drought) \(talk.drought)")
      #expect(talk.spins == 0, "\(play.name)")
    }
  }
}
