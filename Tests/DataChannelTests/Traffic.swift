/// What may come out of a tunnel in one burst: some connections, each mostly regular, between all the rest.
struct Traffic {
  private var generator: SeededGenerator
  private var connections: [Connection] = []
  private var current = 0
  private var packets: [[UInt8]] = []

  static let mostPackets = 160

  static func burst(seed: UInt64) -> [[UInt8]] {
    var traffic = Traffic(generator: SeededGenerator(seed: seed))
    traffic.make()
    return traffic.packets
  }

  private init(generator: SeededGenerator) { self.generator = generator }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private mutating func make() {
    // Most have few connections; some have more than are kept open.
    let count = below(8) == 0 ? 12 + below(14) : 1 + below(4)
    let isRegular = below(4) == 0
    // Rarely enough small ones for the most segments, or such large ones that 65,535 bytes come first.
    let isLong = below(24) == 0
    for _ in 0..<count {
      let size = isLong ? [1, 8, 300, 4000][below(4)] : [1, 20, 100, 536, 1000, 1400, 1448][below(7)]
      connections.append(
        below(3) == 0
          ? Connection(datagramsOf: size, isIPv4: below(3) > 0, using: &generator)
          : Connection(isIPv4: below(3) > 0, size: size, hasTimestamps: below(3) > 0, using: &generator))
    }
    let oddOneIn = isRegular ? 100 : [3, 10, 30][below(3)]
    let wanted = isLong ? 80 + below(70) : 2 + below(28)
    while packets.count < wanted {
      if below(isLong ? 40 : 5) == 0 { current = below(count) }
      if below(oddOneIn) > 0 {
        packets.append(connections[current].segment(using: &generator))
      } else {
        addOddity()
      }
    }
  }

  private mutating func addOddity() {
    switch below(8) {
    case 0: addOther()
    case 1: packets.append(packets.last ?? generator.bytes(30))
    case 2:
      if packets.count > 1 { packets.swapAt(packets.count - 1, packets.count - 2 - below(min(4, packets.count - 1))) }
    default:
      let oddity = Connection.Oddity.allCases[below(Connection.Oddity.allCases.count)]
      packets.append(connections[current].segment(oddity, lasts: below(2) == 0, using: &generator))
    }
  }

  /// Of another protocol between the same hosts, or of none.
  private mutating func addOther() {
    var other = connections[current].segment(using: &generator)
    let number = connections[current].isIPv4 ? 9 : 6
    switch below(4) {
    case 0: other[number] = other[number] == 6 ? 17 : 6
    case 1: other[number] = [1, 58, 0, 43, 44, 51, 60, 135][below(8)]
    case 2:
      other = generator.bytes(20 + below(60))
      other[0] = 0x40 | other[0] & 0x2f
      if below(2) == 0 { other[0] = 0x45 }
      if below(2) == 0 { other[9] = 6 }
    default: other = generator.bytes(1 + below(60))
    }
    packets.append(other)
  }
}
