import Base
import DataChannel
import Testing

@Suite("Checksum")
struct ChecksumTests {
  /// RFC 1071 as it reads: 16-bit words in network order, carries added at the end.
  private static func plainSum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var total: UInt64 = 0
    for (index, byte) in bytes.enumerated() { total += UInt64(byte) << (index % 2 == 0 ? 8 : 0) }
    while total > 0xffff { total = (total >> 16) + (total & 0xffff) }
    return UInt16(total)
  }

  @Test("The example of RFC 1071 sums up")
  func example() {
    let bytes: [UInt8] = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]
    #expect(Checksum.fold(Checksum.sum(bytes, count: bytes.count)).bigEndian == 0xddf2)
  }

  @Test("Any length at any offset sums as a plain loop does")
  func lengths() {
    var random = SeededGenerator(seed: 1)
    let bytes = (0..<2200).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return }
      for count in Array(0...200) + [255, 256, 1447, 1448, 1500, 2047] {
        for offset in [0, 1, 2, 3, 7, 8, 31, 63, 100] {
          let folded = Checksum.fold(Checksum.sum(base + offset, count: count)).bigEndian
          #expect(folded == Self.plainSum(bytes[offset..<offset + count]), "\(count) bytes at \(offset)")
        }
      }
    }
  }

  @Test("64 KiB of ones do not overflow, zeros give zero")
  func extremes() {
    let ones = [UInt8](repeating: 0xff, count: 65_535)
    #expect(Checksum.fold(Checksum.sum(ones, count: ones.count)).bigEndian == Self.plainSum(ones))
    let zeros = [UInt8](repeating: 0, count: 65_535)
    #expect(Checksum.fold(Checksum.sum(zeros, count: zeros.count)) == 0)
    #expect(Checksum.fold(.max) == 0xffff)
    #expect(Checksum.fold(0) == 0)
  }

  @Test("Parts of even length add up to the whole")
  func parts() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 1...1500, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let cut = Int.random(in: 0...bytes.count / 2, using: &random) * 2
      let both = Checksum.sum(Array(bytes[cut...]), count: bytes.count - cut, onto: Checksum.sum(bytes, count: cut))
      #expect(Checksum.fold(both).bigEndian == Self.plainSum(bytes))
    }
  }

  @Test("Pseudo headers sum as their bytes do")
  func pseudoHeaders() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let header = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
      let count = Int.random(in: 0...65_535, using: &random)
      let high = UInt8(count >> 8)
      let low = UInt8(count & 0xff)
      #expect(
        Checksum.fold(Checksum.pseudoHeader(ipv4: header, protocol: 6, count: count)).bigEndian
          == Self.plainSum(Array(header[12..<20]) + [0, 6, high, low]))
      #expect(
        Checksum.fold(Checksum.pseudoHeader(ipv6: header, protocol: 17, count: count)).bigEndian
          == Self.plainSum(Array(header[8..<40]) + [0, 0, high, low, 0, 0, 0, 17]))
    }
  }
}
