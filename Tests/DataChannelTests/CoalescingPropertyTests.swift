import Base
import DataChannel
import Testing

@Suite("Coalescer under mixed traffic")
struct CoalescingPropertyTests {
  /// Packets of a connection, and those that may belong to any, must come out in the order in which they went in.
  private static func keys(of packet: [UInt8]) -> [UInt8]? {
    switch packet[0] {
    case 0x45 where packet.count >= 28: Array(packet[9..<10] + packet[12..<24])
    case 0x60...0x6f where packet.count >= 48: Array(packet[6..<7] + packet[8..<44])
    default: nil
    }
  }

  @Test("what is joined and cut again is what went in, in its order, and what is parted too")
  func roundTrips() throws {
    var coalescer = Coalescer()
    var burst = Burst(capacity: 1 << 20, maximumCount: Traffic.mostPackets)
    for seed in Trials(seed: 0x4a4f, debug: 300) {
      let packets = Traffic.burst(seed: seed)
      let joined = JoinedBurst(packets, with: &coalescer, in: &burst)
      try #require(joined.chains.flatMap { $0 }.sorted() == Array(packets.indices), "seed \(seed)")
      try #require(joined.parted == packets, "seed \(seed)")
      for (chain, (bytes, header)) in zip(joined.chains, zip(joined.supers, joined.headers)) {
        guard let header else {
          try #require(chain.count == 1 && bytes == packets[chain[0]], "seed \(seed), \(chain)")
          continue
        }
        let cut = SuperPacket(bytes, header: header)?.segments
        try #require(cut == chain.map { packets[$0] }, "seed \(seed), \(chain)")
      }
      var latest: [[UInt8]: Int] = [:]
      for index in joined.chains.joined() {
        guard let key = Self.keys(of: packets[index]) else { continue }
        try #require(latest[key, default: -1] < index, "seed \(seed), \(index) was overtaken")
        latest[key] = index
      }
      // Beyond 16 connections it is open which run ends early.
      if Set(packets.compactMap(Self.keys)).count <= 16 {
        try #require(joined.chains == ReferenceJoiner.chains(of: packets), "seed \(seed)")
      }
    }
  }
}
