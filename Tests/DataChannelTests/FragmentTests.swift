import Base
import Crypto
import DataChannel
import Testing

@Suite("Packets in pieces")
struct FragmentTests {
  private func header(_ kind: FragmentHeader.Kind, _ sequence: UInt8 = 0, _ index: Int = 0, _ size: Int = 0) -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0, count: 4)
    let header = FragmentHeader(kind: kind, sequence: sequence, index: index, pieceSize: size)
    header.write(into: &bytes)
    return bytes
  }

  private func take(_ piece: [UInt8], _ reassembler: inout Reassembler, _ counters: inout LaneCounters) -> [UInt8]? {
    let outcome = reassembler.take(piece, count: piece.count, counters: &counters)
    switch outcome {
    case .whole: return Array(piece.dropFirst(4))
    case .kept: return nil
    case .complete(let offset, let count):
      return Array(UnsafeRawBufferPointer(start: reassembler.base + offset, count: count))
    case .drop(let drop):
      counters.count(drop)
      return nil
    }
  }

  /// All pieces of a payload, as they travel.
  private func pieces(_ payload: [UInt8], largest: Int, sequence: UInt8) -> [[UInt8]] {
    guard let cut = Fragmenter.cut(payload.count, largest: largest) else { return [] }
    return (0..<cut.pieces).map { index in
      let header = Fragmenter.header(cut, index: index, sequence: sequence)
      let start = index * cut.size
      return self.header(header.kind, sequence, index, header.pieceSize)
        + payload[start..<start + cut.length(of: index)]
    }
  }

  @Test("the vectors of protocol.md section 10.1, written and read")
  func vectors() {
    #expect(Hex.text(header(.part, 5)) == "00000015")
    #expect(Hex.text(header(.part, 5, 1)) == "00000415")
    #expect(Hex.text(header(.last, 5, 2, 1200)) == "00960816")
    #expect(Hex.text(header(.part, 16)) == "00000041")
    #expect(Hex.text(header(.last, 16, 1, 572)) == "00478442")
    #expect(Hex.text(header(.whole)) == "00000000")
    let read = [0, 0x15, 0x415, 0x0096_0816, 0x0047_8442].map { FragmentHeader($0) }
    #expect(
      read == [
        .whole, .init(kind: .part, sequence: 5), .init(kind: .part, sequence: 5, index: 1),
        .init(kind: .last, sequence: 5, index: 2, pieceSize: 1200),
        .init(kind: .last, sequence: 16, index: 1, pieceSize: 572),
      ])
    // Type 3, bits without a meaning, a size where none belongs, a whole packet with a sequence.
    for value: UInt32 in [3, 7, 1 << 29, 1 << 31 | 1, 0x8001, 4, 0x400, 0x8000] {
      #expect(FragmentHeader(value) == nil, "\(value)")
    }
  }

  @Test("what a server of 2.6 sent: 1028 bytes in 572 and 456")
  func live() {
    var reassembler = Reassembler(capacity: 1500)
    var counters = LaneCounters()
    let payload = RandomSource.seeded(1).bytes(1028)
    let first = take([0, 0, 0, 0x41] + payload[..<572], &reassembler, &counters)
    let second = take([0, 0x47, 0x84, 0x42] + payload[572...], &reassembler, &counters)
    #expect(first == nil && second == payload && counters.dropped == 0)
  }

  @Test("every length is cut into pieces that fit, of equal length in fours but for the last")
  func cuts() throws {
    for largest in [4, 7, 100, 571, 572, 573, 1300] {
      for count in 1...4000 {
        guard let cut = Fragmenter.cut(count, largest: largest) else {
          #expect(count > largest / 4 * 4 * 31)
          continue
        }
        let lengths = (0..<cut.pieces).map { cut.length(of: $0) }
        #expect(lengths.reduce(0, +) == count && lengths.allSatisfy { (1...largest).contains($0) })
        #expect(cut.pieces <= 32 && (cut.pieces == 1) == (count <= largest))
        if cut.pieces > 1 { #expect(cut.size % 4 == 0 && lengths.dropLast().allSatisfy { $0 == cut.size }) }
      }
    }
    #expect(Fragmenter.cut(1028, largest: 572) == .init(pieces: 2, size: 516, count: 1028))
    #expect(Fragmenter.cut(32 * 572, largest: 572)?.pieces == 32)
    #expect(Fragmenter.cut(32 * 572 + 1, largest: 572) == nil)
    for largest in [-100, 0, 3] { #expect(Fragmenter.cut(10, largest: largest) == nil) }
  }

  @Test("pieces of many packets, mixed within the window and in any order, become what they were")
  func anyOrder() {
    let random = RandomSource.seeded(7)
    var reassembler = Reassembler(capacity: 1502)
    var counters = LaneCounters()
    var sequence: UInt8 = 240
    for _ in 0..<60 {
      let payloads = (0..<12).map { _ in random.bytes(1 + Int(random.uint64() % 1502)) }
      var travelling: [[UInt8]] = []
      for payload in payloads {
        travelling += pieces(payload, largest: 100 + Int(random.uint64() % 500), sequence: sequence)
        sequence &+= 1
      }
      for index in travelling.indices.dropFirst().reversed() {
        travelling.swapAt(index, Int(random.uint64() % UInt64(index + 1)))
      }
      let arrived = travelling.compactMap { take($0, &reassembler, &counters) }
      #expect(Set(arrived) == Set(payloads) && arrived.count == payloads.count)
    }
    #expect(counters.dropped == 0)
  }

  @Test("a packet that misses a piece is given up after 25 newer ones, and counted")
  func window() {
    var reassembler = Reassembler(capacity: 1000)
    var counters = LaneCounters()
    let lost = pieces(ipv4(200), largest: 100, sequence: 250)
    _ = take(lost[0], &reassembler, &counters)
    for step in UInt8(1)...24 {
      for piece in pieces(ipv4(200), largest: 100, sequence: 250 &+ step) { _ = take(piece, &reassembler, &counters) }
    }
    #expect(counters.dropped == 0)
    // In time, just so.
    #expect(take(lost[1], &reassembler, &counters) == ipv4(200))
    _ = take(lost[0], &reassembler, &counters)
    for step in UInt8(25)...26 {
      for piece in pieces(ipv4(200), largest: 100, sequence: 250 &+ step) { _ = take(piece, &reassembler, &counters) }
    }
    #expect(counters[.fragmentLost] == 1 && counters.dropped == 1)
    // A sequence far away, be it a sender that began anew or a long gap, is followed at once.
    _ = take(pieces(ipv4(200), largest: 100, sequence: 100)[0], &reassembler, &counters)
    for sequence: UInt8 in [200, 10, 9] {
      let arrived = pieces(ipv4(200), largest: 100, sequence: sequence).compactMap { take($0, &reassembler, &counters) }
      #expect(arrived == [ipv4(200)])
    }
    #expect(counters[.fragmentLost] == 2)
  }

  @Test("pieces are kept for a lifetime at least, and for two at most")
  func age() {
    var reassembler = Reassembler(capacity: 1000)
    var counters = LaneCounters()
    let start = Instant(nanoseconds: 5_000_000_000)
    let two = pieces(ipv4(200), largest: 100, sequence: 1)
    reassembler.age(at: start, counters: &counters)
    _ = take(two[0], &reassembler, &counters)
    // A caller who was away for long does not know when the piece came.
    reassembler.age(at: start + .seconds(100), counters: &counters)
    reassembler.age(at: start + .seconds(109), counters: &counters)
    #expect(counters.dropped == 0)
    reassembler.age(at: start + .seconds(110), counters: &counters)
    #expect(counters[.fragmentLost] == 1)
    #expect(take(two[1], &reassembler, &counters) == nil)
  }

  @Test("a piece that contradicts the others begins the packet anew; it never becomes a mixture")
  func contradictions() {
    var reassembler = Reassembler(capacity: 4000)
    var counters = LaneCounters()
    let old = pieces(ipv4(300, fill: 1), largest: 100, sequence: 9)
    let new = pieces(ipv4(500, fill: 2), largest: 200, sequence: 9)
    _ = take(old[0], &reassembler, &counters)
    _ = take(old[1], &reassembler, &counters)
    let arrived = new.compactMap { take($0, &reassembler, &counters) }
    #expect(arrived == [ipv4(500, fill: 2)] && counters[.fragmentLost] == 1)
    // Of the same size, but another end, or a piece behind the end.
    _ = take(header(.last, 20, 2, 100) + ipv4(50), &reassembler, &counters)
    _ = take(header(.last, 20, 3, 100) + ipv4(50), &reassembler, &counters)
    _ = take(header(.part, 20, 4) + ipv4(100), &reassembler, &counters)
    #expect(counters[.fragmentLost] == 3)
    _ = take(header(.last, 20, 3, 100) + ipv4(50), &reassembler, &counters)
    #expect(counters[.fragmentLost] == 4 && counters[.badFragment] == 0)
  }

  @Test("pieces that lie are counted drops")
  func lies() {
    var reassembler = Reassembler(capacity: 1502)
    var counters = LaneCounters()
    let lies: [[UInt8]] = [
      [], [0], [0, 0, 0], [0, 0, 0, 0], header(.part), header(.last, 1, 0, 4), [0, 0, 0, 3] + ipv4(40),
      // Not in fours; longer than said; of no size; beyond the capacity; beyond 32 pieces.
      header(.part, 1) + ipv4(41), header(.last, 1, 1, 40) + ipv4(44), header(.last, 1, 1, 0) + ipv4(40),
      header(.part, 1) + ipv4(1504), header(.part, 1, 15) + ipv4(100), header(.last, 1, 31, 16_383 * 4) + ipv4(100),
      header(.part, 1, 31) + ipv4(20), [0xff, 0xff, 0xff, 0xff] + ipv4(40), [0, 0, 0x80, 0x01] + ipv4(40),
    ]
    for lie in lies where !lie.isEmpty { #expect(take(lie, &reassembler, &counters) == nil) }
    #expect(counters[.badFragment] == UInt64(lies.count - 1) && counters.dropped == UInt64(lies.count - 1))
  }

  @Test("random pieces leave the memory as it is: every one has an outcome")
  func random() {
    let random = RandomSource.seeded(11)
    var reassembler = Reassembler(capacity: 600)
    var counters = LaneCounters()
    for _ in 0..<50_000 {
      let kinds: [FragmentHeader.Kind] = [.part, .part, .last]
      var piece = header(
        kinds[Int(random.uint64() % 3)], UInt8(random.uint64() % 40), Int(random.uint64() % 32),
        Int(random.uint64() % 40) * 4)
      if random.uint64() % 8 == 0 { piece[Int(random.uint64() % 4)] ^= UInt8(random.uint64() % 256) }
      piece += random.bytes(Int(random.uint64() % 160))
      if let packet = take(piece, &reassembler, &counters), piece[3] & 3 != 0 {
        #expect((1...600).contains(packet.count))
      }
    }
    #expect(counters[.badFragment] > 0 && counters[.fragmentLost] > 0)
  }
}
