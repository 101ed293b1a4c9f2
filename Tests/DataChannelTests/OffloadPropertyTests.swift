import Base
import DataChannel
import Testing

@Suite("Properties of lying vnet headers")
struct OffloadPropertyTests {
  /// Whether a lie can be told from the truth or not: nothing is written outside the packet, nothing traps, what is not
  /// sealed is one counted drop.
  @Test("whatever stands in front of a packet ends in sealed packets or in one counted drop")
  func anyHeader() {
    let pair = LanePair()
    for seed in Trials(seed: 2, debug: 400) {
      var generator = SeededGenerator(seed: seed)
      var (bytes, vnet) = Self.lie(&generator)
      let cut = Int.random(in: 0..<4, using: &generator) == 0 ? Int.random(in: 0...bytes.count, using: &generator) : 0
      bytes.removeLast(cut)
      // Sometimes the memory ends with the packet, for a sanitizer to see who reads on.
      let slack = [0, 100].randomElement(using: &generator) ?? 0
      var packets = Burst(capacity: Burst.headroom + bytes.count + slack, maximumCount: 1)
      packets.scrub()
      guard packets.append(bytes, vnet: vnet) else {
        Issue.record("no room")
        return
      }
      let before = packets.outside()
      let old = pair.up.counters
      let passed = pair.pass(
        &packets, sealedRoom: 70_000, sealedCount: .random(in: 1...64, using: &generator))
      let now = pair.up.counters
      let verdict = packets[0].verdict
      let isClean = packets.outside() == before
      let isCounted = now.dropped == old.dropped + (verdict == .dropped ? 1 : 0)
      let isWhole = verdict == .dropped || now.packets > old.packets
      guard passed, isClean, isCounted, isWhole, verdict == .dropped || verdict == .consumed else {
        Issue.record("seed \(seed): \(passed) \(isClean) \(isCounted) \(isWhole) \(verdict) \(Hex.text(vnet))")
        return
      }
    }
  }

  /// A good packet with some bytes of it, or of what stands in front, replaced; or nothing but noise.
  private static func lie(_ generator: inout SeededGenerator) -> ([UInt8], [UInt8]) {
    guard Int.random(in: 0..<8, using: &generator) > 0 else {
      var vnet = generator.bytes(VnetHeader.size)
      vnet[1] = [0, 1, 4, 5, 0x81, 0x84, vnet[1]].randomElement(using: &generator) ?? 0
      return (generator.bytes(.random(in: 0...3000, using: &generator)), vnet)
    }
    var packet = SuperPacket(random: &generator)
    packet.payload = Array(packet.payload.prefix(5000))
    var (bytes, vnet) = (packet.bytes, packet.header.bytes)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let at = Int.random(in: 0..<VnetHeader.size, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: vnet[at] = generator.bytes(1)[0]
      case 1:
        let value = UInt16(
          [0, 1, 19, 20, 39, 40, bytes.count - 1, bytes.count, 65_535].randomElement(using: &generator) ?? 0)
        vnet[at & ~1] = UInt8(value & 0xff)
        vnet[at & ~1 | 1] = UInt8(value >> 8)
      case 2: bytes[0] = generator.bytes(1)[0]
      default: bytes[.random(in: 0..<min(bytes.count, 100), using: &generator)] = generator.bytes(1)[0]
      }
    }
    return (bytes, vnet)
  }
}
