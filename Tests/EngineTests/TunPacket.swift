import Base
import Crypto

/// A packet as it crosses a tun: whole, or a super-packet of TCP with its checksum left undone.
struct TunPacket {
  var bytes: [UInt8]
  /// `nil` = nothing is left undone.
  var segmentSize: Int?

  init(bytes: [UInt8], segmentSize: Int?) {
    self.bytes = bytes
    self.segmentSize = segmentSize
  }

  /// TCP over IPv4 or IPv6, now and then with options, PSH or FIN; a few datagrams of UDP between.
  init(_ random: RandomSource, largest: Int) {
    func any(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(random.uint64() % UInt64(range.count)) }
    let isIPv4 = any(0...1) == 0
    let isUDP = any(0...9) == 0
    let options = isUDP ? 0 : 12 * any(0...1)
    let headers = (isIPv4 ? 20 : 40) + (isUDP ? 8 : 20 + options)
    let segment = any(0...3) == 0 ? any(200...(largest - headers)) : largest - headers
    let isSuper = !isUDP && any(0...3) > 0
    let count = isSuper ? any((segment + 1)...min(45 * segment, 65_000 - headers)) : any(1...segment)
    var upper: [UInt8] = [0x9c, UInt8(any(0...3)), 0x14, 0x51]
    if isUDP {
      upper.append(bigEndian: UInt16(8 + count))
      upper += [0, 0]
    } else {
      upper.append(bigEndian: UInt32(truncatingIfNeeded: random.uint64()))
      upper.append(bigEndian: UInt32(truncatingIfNeeded: random.uint64()))
      let flags: [UInt8] = [0x10, 0x10, 0x10, 0x18, 0x11, 0x90]
      upper += [UInt8(5 + options / 4) << 4, flags[any(0...5)], 0x20, 0, 0, 0, 0, 0]
      if options > 0 { upper += [1, 1, 8, 10] + (0..<8).map { _ in UInt8(any(0...255)) } }
    }
    var ip: [UInt8]
    if isIPv4 {
      ip = [
        0x45, 0, 0, 0, UInt8(any(0...255)), UInt8(any(0...255)), 0x40, 0, 64, isUDP ? 17 : 6, 0, 0, 10, 8, 0, 2, 10, 8,
        0, 1,
      ]
    } else {
      ip =
        [0x60, 0, 0, 0, 0, 0, isUDP ? 17 : 6, 64] + [UInt8](repeating: 0xfd, count: 16)
        + [UInt8](repeating: 0xfc, count: 16)
    }
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
    bytes = Self.finished(ip + upper + payload, isPartial: isSuper)
    segmentSize = isSuper ? segment : nil
  }

  /// What a tun is given: a packet of the burst with all that is joined to it.
  init(_ burst: borrowing Burst, _ index: Int) {
    bytes = burst.copy(index)
    segmentSize = nil
    guard burst[index].hasVnetHeader else { return }
    let header = VnetHeader(reading: burst.base + (Int(burst[index].offset) - VnetHeader.size))
    segmentSize = header.map { Int($0.segmentSize) }
    var next = Int(burst[index].next)
    while next >= 0 {
      bytes += burst.copy(next)
      next = Int(burst[next].next)
    }
  }

  private static func ipSize(_ bytes: [UInt8]) -> Int { bytes[0] >> 4 == 4 ? 20 : 40 }
  private static func isTCP(_ bytes: [UInt8]) -> Bool { bytes[bytes[0] >> 4 == 4 ? 9 : 6] == 6 }
  private static func headerSize(_ bytes: [UInt8]) -> Int {
    ipSize(bytes) + (isTCP(bytes) ? Int(bytes[ipSize(bytes) + 12] >> 4) * 4 : 8)
  }

  /// What the kernel cuts it into; itself when nothing is left undone.
  var segments: [[UInt8]] {
    guard let segmentSize else { return [bytes] }
    let (ip, headers) = (Self.ipSize(bytes), Self.headerSize(bytes))
    let starts = Array(stride(from: headers, to: bytes.count, by: segmentSize))
    return starts.enumerated().map { index, start in
      var piece = Array(bytes[..<headers] + bytes[start..<min(start + segmentSize, bytes.count)])
      if ip == 20 { Self.add(&piece, 4, 2, index) }
      Self.add(&piece, ip + 4, 4, index * segmentSize)
      if index > 0 { piece[ip + 13] &= 0x7f }
      if index < starts.count - 1 { piece[ip + 13] &= 0xf6 }
      return Self.finished(piece, isPartial: false)
    }
  }

  private static func add(_ bytes: inout [UInt8], _ place: Int, _ width: Int, _ value: Int) {
    var carry = value
    for index in stride(from: place + width - 1, through: place, by: -1) {
      carry += Int(bytes[index])
      bytes[index] = UInt8(carry & 0xff)
      carry >>= 8
    }
  }

  private static func sum(_ bytes: some Collection<UInt8>) -> Int {
    var total = 0
    for (index, byte) in bytes.enumerated() { total += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
    while total > 0xffff { total = total & 0xffff + total >> 16 }
    return total
  }

  /// Lengths and checksums put right; partial = the sum of the pseudo header only.
  private static func finished(_ packet: [UInt8], isPartial: Bool) -> [UInt8] {
    var bytes = packet
    func put(_ place: Int, _ value: Int) {
      bytes[place] = UInt8(value >> 8)
      bytes[place + 1] = UInt8(value & 0xff)
    }
    let ip = ipSize(bytes)
    let isTCP = isTCP(bytes)
    put(ip == 20 ? 2 : 4, ip == 20 ? bytes.count : bytes.count - 40)
    if ip == 20 {
      put(10, 0)
      put(10, 0xffff - sum(bytes[..<20]))
    }
    let addresses = Array(ip == 20 ? bytes[12..<20] : bytes[8..<40])
    let length = bytes.count - ip
    let pseudo = addresses + [UInt8(length >> 8), UInt8(length & 0xff), 0, isTCP ? 6 : 17]
    let field = ip + (isTCP ? 16 : 6)
    put(field, 0)
    let value = isPartial ? sum(pseudo) : 0xffff - sum(pseudo + bytes[ip...])
    put(field, value == 0 && !isTCP ? 0xffff : value)
    return bytes
  }

  /// Lists it as a tun's read does.
  func append(to burst: inout Burst) {
    _ = burst.append(copying: bytes)
    guard let segmentSize else { return }
    let index = burst.count - 1
    let isIPv4 = bytes[0] >> 4 == 4
    let header = VnetHeader(
      needsChecksum: true, segmentation: isIPv4 ? .tcpIPv4 : .tcpIPv6, headerLength: UInt16(Self.headerSize(bytes)),
      segmentSize: UInt16(segmentSize), checksumStart: UInt16(Self.ipSize(bytes)), checksumOffset: 16)
    header.write(into: burst.base + (Int(burst[index].offset) - VnetHeader.size))
    burst[index].hasVnetHeader = true
  }
}
