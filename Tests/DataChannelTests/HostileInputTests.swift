import Base
import Crypto
import DataChannel
import Testing

@Suite("Hostile data packets")
struct HostileInputTests {
  @Test("random bytes of every length end in one counted drop, or go to the session", arguments: Suite.kinds)
  func randomBytes(suite: Suite) {
    let random = RandomSource.seeded(3)
    for compression in CompressionFraming.allCases {
      var down = makeDown(suite, .client, format: DataFormat(peerID: 5, compression: compression))
      for length in 0...100 {
        for first in [nil, 0x30, 0x31, 0x48, 0x49, 0x08] as [UInt8?] {
          var bytes = random.bytes(length)
          if let first, !bytes.isEmpty { bytes[0] = first }
          let before = down.counters.dropped
          let outcome = down.open(bytes)
          let after = down.counters.dropped
          let isControl = outcome.verdict == .control
          #expect(isControl ? before == after : outcome.verdict == .dropped && after == before + 1)
          #expect(!isControl || outcome.bytes == bytes)
        }
      }
      let life = down.authenticated
      #expect(life == 0)
    }
  }

  @Test("no packet survives a flipped bit, and none counts as life", arguments: Suite.all)
  func everyBit(suite: Suite) {
    var up = makeUp(suite, .server)
    var down = makeDown(suite, .client)
    let good = up.seal(message: ipv4(40)) ?? []
    // The bits of opcode and key id lead elsewhere; the peer id of a CBC packet nobody authenticates.
    for bit in 8 * (suite.cipher.isAEAD ? 1 : 4)..<8 * good.count {
      var bad = good
      bad[bit / 8] ^= 1 << (bit % 8)
      let reason = down.dropReason(bad)
      let isID = suite.cipher.isAEAD && (32..<64).contains(bit)
      #expect(reason == .badTag || isID && reason == .replayed, "bit \(bit): \(String(describing: reason))")
    }
    for bit in 0..<8 {
      let verdict = down.open([good[0] ^ 1 << bit] + good.dropFirst()).verdict
      #expect(verdict == .dropped || verdict == .control)
    }
    let life = down.authenticated
    #expect(life == 0)
    let verdict = down.open(good).verdict
    #expect(verdict == .forward)
  }

  @Test("a packet cut or lengthened anywhere is dropped", arguments: Suite.all)
  func everyCut(suite: Suite) {
    var up = makeUp(suite, .server)
    var down = makeDown(suite, .client)
    let good = up.seal(message: ipv4(40)) ?? []
    for length in 0..<good.count {
      let reason = down.dropReason(Array(good.prefix(length)))
      #expect(reason == .tooShort || reason == .badTag, "\(length)")
    }
    for extra in 1...33 {
      let reason = down.dropReason(good + Array(repeating: 0, count: extra))
      #expect(reason == .tooShort || reason == .badTag, "\(extra)")
    }
    let verdict = down.open(good).verdict
    #expect(verdict == .forward)
  }

  @Test("replays are dropped, reordering within the window is not", arguments: Suite.kinds)
  func replays(suite: Suite) {
    var up = makeUp(suite, .server)
    var down = makeDown(suite, .client)
    let packets = (0..<200).map { _ in up.seal(message: ipv4(40)) ?? [] }
    let order = Array(0..<64).reversed() + [100, 100, 37, 36, 37, 199, 136, 135, 199]
    let verdicts = order.map { down.open(packets[$0]).verdict }
    let expected =
      Array(repeating: Burst.Verdict.forward, count: 64)
      + [.forward, .dropped, .dropped, .dropped, .dropped, .forward, .forward, .dropped, .dropped]
    #expect(verdicts == expected)
    let (replayed, life) = (down.counters[.replayed], down.authenticated)
    #expect(replayed == 6 && life == 67)
  }

  @Test("a forged id from the future does not move the window")
  func forgedID() {
    var up = makeUp(Suite(.aes256GCM), .server)
    var down = makeDown(Suite(.aes256GCM), .client)
    var forged = up.seal(message: ipv4(40)) ?? []
    let good = forged
    forged.replaceSubrange(4..<8, with: [0xff, 0xff, 0xff, 0xff])
    let reason = down.dropReason(forged)
    let verdict = down.open(good).verdict
    #expect(reason == .badTag && verdict == .forward)
  }

  @Test("id 0 is never opened")
  func zeroID() {
    for suite in Suite.kinds {
      var up = makeUp(suite, .server, firstPacketID: 0)
      var down = makeDown(suite, .client)
      let reason = down.dropReason(up.seal(message: ipv4(40)) ?? [])
      #expect(reason == .replayed)
    }
  }

  @Test("what is authentic but no packet of ours ends in a counted drop too", arguments: Suite.kinds)
  func authenticRubbish(suite: Suite) {
    let random = RandomSource.seeded(5)
    for compression in CompressionFraming.allCases {
      // The sealing side frames nothing, so every byte of the payload is the attacker's choice.
      var up = makeUp(suite, .server)
      var down = makeDown(suite, .client, format: DataFormat(peerID: 5, compression: compression, largestPayload: 300))
      for length in 1...100 {
        for code in [nil, 0x66, 0x69, 0xfa, 0xfb, 0x50, 0x45, 0x60] as [UInt8?] {
          var payload = random.bytes(length)
          if let code { payload[0] = code }
          if code == 0x50, length > 1, length % 3 > 0 { payload[1] = UInt8(length % 3) }
          let before = down.counters
          let outcome = down.open(up.seal(message: payload) ?? [])
          let after = down.counters
          switch outcome.verdict {
          case .forward: #expect(outcome.bytes.count <= 300 && after.packets == before.packets + 1)
          case .dropped: #expect(after.dropped == before.dropped + 1)
          case .fresh, .control, .consumed, .joined: Issue.record("\(outcome)")
          }
        }
      }
    }
  }
}
