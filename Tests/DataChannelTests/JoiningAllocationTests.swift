import Base
import DataChannel
import Testing

extension AllocationTests {
  @Test("joining 10,000 segments and parting them again leaves nothing behind")
  func joining() {
    var generator = SeededGenerator(seed: 4)
    var connections = [true, false].map { Connection(isIPv4: $0, size: 1300, using: &generator) }
    let packets = (0..<100).map { connections[$0 / 25 % 2].segment($0 % 10 == 9 ? .push : nil, using: &generator) }
    var coalescer = Coalescer()
    var burst = Burst(capacity: 1 << 18, maximumCount: 100)
    var least = Int.max
    var joined = 0
    for _ in 0..<10 {
      let before = heapInUse()
      for _ in 0..<100 {
        burst.reset()
        burst.forward(packets)
        coalescer.join(&burst)
        for index in 0..<100 where burst[index].verdict == .joined { joined += 1 }
        for index in 0..<100 where burst[index].hasVnetHeader { Coalescer.part(&burst, head: index) }
      }
      least = min(least, heapInUse() - before)
      if least < 10_000 { break }
    }
    #expect(least < 10_000)
    #expect(joined > 0 && joined % 8_900 == 0)
  }
}
