import Base
import Crypto
import DataChannel
import Glibc
import Testing

@Suite("Memory of the lanes", .serialized)
struct AllocationTests {
  /// Counts what the whole process holds, so tests beside this one disturb it: one undisturbed round of several is
  /// proof enough, because a lane that kept anything per packet would keep it in every round.
  @Test("10,000 packets leave nothing behind", arguments: Suite.kinds, [false, true])
  func flat(suite: Suite, usesEpochs: Bool) {
    let format = DataFormat(peerID: 5, usesEpochs: usesEpochs)
    var up = makeUp(suite, .client, format: format)
    var down = makeDown(suite, .server, format: format)
    var plain = Burst(capacity: 1 << 17, maximumCount: 50)
    var sealed = Burst(capacity: 1 << 17, maximumCount: 50)
    let packet = ipv4(1400)
    var least = Int.max
    for _ in 0..<10 {
      let before = heapInUse()
      for _ in 0..<200 {
        plain.reset()
        sealed.reset()
        for _ in 0..<50 { _ = plain.append(copying: packet) }
        up.seal(&plain, into: &sealed)
        for index in 0..<50 { sealed[index].verdict = .fresh }
        down.open(&sealed)
      }
      least = min(least, heapInUse() - before)
      if least < 10_000 { break }
    }
    let packets = down.counters.packets
    #expect(least < 10_000)
    #expect(packets % 10_000 == 0 && packets > 0)
  }

  @Test("10,000 segments of super-packets leave nothing behind", arguments: Suite.kinds)
  func flatSegments(suite: Suite) {
    var up = makeUp(suite, .client)
    var plain = Burst(capacity: 1 << 17, maximumCount: 1)
    // Too few for one packet, so that it is left half cut each time.
    var sealed = Burst(capacity: 1 << 16, maximumCount: 30)
    let packet = SuperPacket.tcp(payload: 70_000 - 40)
    let (bytes, vnet) = (packet.bytes, packet.header.bytes)
    var least = Int.max
    for _ in 0..<10 {
      let before = heapInUse()
      for _ in 0..<200 {
        plain.reset()
        _ = plain.append(bytes, vnet: vnet)
        repeat { sealed.reset() } while !up.seal(&plain, into: &sealed)
      }
      least = min(least, heapInUse() - before)
      if least < 10_000 { break }
    }
    let packets = up.counters.packets
    #expect(least < 10_000)
    #expect(packets % 10_000 == 0 && packets > 0)
  }
}

/// Bytes that malloc handed out in all its arenas, by its own report.
func heapInUse() -> Int {
  typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
  guard let symbol = dlsym(nil, "malloc_info") else { return 0 }
  var text: UnsafeMutablePointer<CChar>?
  var count = 0
  guard let stream = open_memstream(&text, &count) else { return 0 }
  _ = unsafeBitCast(symbol, to: MallocInfo.self)(0, stream)
  fclose(stream)
  defer { free(text) }
  guard let text else { return 0 }
  // The totals of all arenas stand behind the last heap: what is free, and what was taken from the system.
  let totals = String(cString: text).split(separator: "</heap>").last ?? ""
  func sum(_ marker: String) -> Int {
    totals.split(separator: "\n").filter { $0.hasPrefix(marker) }.reduce(0) { total, line in
      let size = line.split(separator: "size=\"").dropFirst().first?.prefix { $0 != "\"" }
      return total + (size.flatMap { Int($0) } ?? 0)
    }
  }
  return sum("<system type=\"current\"") - sum("<total type=\"fast\"") - sum("<total type=\"rest\"")
}
