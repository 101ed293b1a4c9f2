extension SuperPacket {
  /// Of every shape that a kernel may hand out, and some more.
  init(random generator: inout SeededGenerator) {
    isIPv4 = Bool.random(using: &generator)
    isTCP = Int.random(in: 0..<5, using: &generator) > 0
    if isIPv4 { makeIPv4(&generator) } else { makeIPv6(&generator) }
    if isTCP { makeTCP(&generator) } else { transport = generator.bytes(4) + [0, 0, 0, 0] }
    // Devices may be told to make them longer than any IP packet.
    let most = 66_000 - network.count - transport.count
    let count: Int
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<60: count = .random(in: 1...4000, using: &generator)
    case 60..<97: count = .random(in: 1...20_000, using: &generator)
    case 97: count = most
    default: count = .random(in: 1...most, using: &generator)
    }
    switch Int.random(in: 0..<10, using: &generator) {
    case 0 where count < 20_000:
      // Shorter than the header, so that the headers of neighbours lie across each other.
      segmentSize = .random(in: 1...48, using: &generator)
    case 1: segmentSize = count
    case 2: segmentSize = count + .random(in: 1...100, using: &generator)
    case 3: segmentSize = max(1, count / .random(in: 1...10, using: &generator))
    default: segmentSize = .random(in: 400...1460, using: &generator)
    }
    // A segment has to fit a datagram.
    segmentSize = min(segmentSize, 65_000)
    payload = generator.bytes(count)
    // Words of ones and of zeros are where sums of ones' complement go wrong.
    if Int.random(in: 0..<20, using: &generator) == 0 {
      payload = Array(repeating: Bool.random(using: &generator) ? 0xff : 0, count: count)
    }
  }

  private mutating func makeIPv4(_ generator: inout SeededGenerator) {
    let options = Int.random(in: 0..<8, using: &generator) == 0 ? Int.random(in: 1...10, using: &generator) : 0
    network = generator.bytes(20 + 4 * options)
    network[0] = UInt8(0x45 + options)
    put16(&network, 2, 0)
    put16(&network, 10, 0)
    if Int.random(in: 0..<4, using: &generator) == 0 {
      put16(&network, 4, .random(in: 0xffd0...0xffff, using: &generator))
    }
    network[9] = isTCP ? 6 : 17
    destination = Array(network[16..<20])
  }

  private mutating func makeIPv6(_ generator: inout SeededGenerator) {
    network = generator.bytes(40)
    network[0] = 0x60 | network[0] & 0xf
    put16(&network, 4, 0)
    destination = Array(network[24..<40])
    var next = 6
    if Int.random(in: 0..<4, using: &generator) == 0 {
      // Hop by hop, routing, destination options.
      for kind in [0, 43, 60] as [UInt8] where Bool.random(using: &generator) {
        network[next] = kind
        next = network.count
        var extra = generator.bytes(kind == 43 ? 24 : 8 * .random(in: 1...3, using: &generator))
        extra[1] = UInt8(extra.count / 8 - 1)
        if kind == 43 {
          // Type 2 with one address left: where the packet goes in the end (RFC 8200, 8.1).
          extra.replaceSubrange(2..<4, with: [2, 1])
          destination = Array(extra[8...])
        }
        network += extra
      }
    }
    network[next] = isTCP ? 6 : 17
  }

  private mutating func makeTCP(_ generator: inout SeededGenerator) {
    transport = generator.bytes(20)
    if Int.random(in: 0..<4, using: &generator) == 0 { transport.replaceSubrange(4..<7, with: [0xff, 0xff, 0xf0]) }
    put16(&transport, 16, 0)
    let timestamps: [UInt8] = [1, 1, 8, 10] + generator.bytes(8)
    let blocks = Int.random(in: 1...3, using: &generator)
    let selective: [UInt8] = [1, 1, 5, UInt8(2 + 8 * blocks)] + generator.bytes(8 * blocks)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: break
    case 1: transport += timestamps + selective
    case 2: transport += selective
    default: transport += timestamps
    }
    transport[12] = UInt8(transport.count / 4) << 4 | transport[12] & 0xf
    // Any flags at all one time in four, otherwise what a sender of much sets.
    transport[13] = Int.random(in: 0..<4, using: &generator) == 0 ? transport[13] : 0x10 | transport[13] & 0b1100_1001
  }
}

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      var at = 0
      while at < count {
        var word = next()
        for _ in 0..<min(8, count - at) {
          buffer.initializeElement(at: at, to: UInt8(truncatingIfNeeded: word))
          word >>= 8
          at += 1
        }
      }
      filled = count
    }
  }
}
