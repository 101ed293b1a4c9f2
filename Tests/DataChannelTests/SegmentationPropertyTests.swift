import Base
import DataChannel
import Testing

@Suite("Properties of segmentation")
struct SegmentationPropertyTests {
  @Test("random super-packets become what the reference makes of them, sealed and opened, in whatever room")
  func reference() {
    let pairs = LanePair.all()
    var packets = Burst(capacity: 4 * 67_000, maximumCount: 4)
    for seed in Trials(seed: 1, debug: 400) {
      var generator = SeededGenerator(seed: seed)
      guard let pair = pairs.randomElement(using: &generator) else { return }
      var expected: [[UInt8]] = []
      packets.reset()
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let packet = SuperPacket(random: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
          // A neighbour that is whole.
          let whole = Array(packet.segments[0])
          _ = packets.append(copying: whole)
          expected.append(whole)
        case 1:
          // One that only lacks its checksum.
          var single = packet
          single.payload = Array(packet.payload.prefix(1400))
          single.segmentSize = 1400
          var header = single.header
          header.segmentation = .none
          header.segmentSize = 0
          _ = packets.append(single.bytes, header: header)
          var whole = single.segments[0]
          // The kernel's own completion writes ones for zero whatever the protocol, its cutting does so for UDP alone.
          let field = single.network.count + Int(header.checksumOffset)
          if get16(whole, field) == 0 { put16(&whole, field, 0xffff) }
          expected.append(whole)
        default:
          _ = packets.append(packet.bytes, header: packet.header)
          expected += packet.segments
        }
      }
      let before = packets.outside()
      let largest = (expected.map(\.count).max() ?? 0) + 200
      let passed = pair.pass(
        &packets, sealedRoom: .random(in: largest...largest * 3, using: &generator),
        sealedCount: .random(in: 1...64, using: &generator))
      let isClean = packets.outside() == before
      let verdicts = (0..<packets.count).allSatisfy { packets[$0].verdict == .consumed }
      guard passed, isClean, verdicts, pair.opened == expected else {
        Issue.record(
          "seed \(seed): \(passed) \(isClean) \(verdicts), \(pair.opened.count) of \(expected.count) packets")
        return
      }
    }
  }
}
