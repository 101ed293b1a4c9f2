import Base

/// A random packet as a tun with segmentation hands it out, and what it must be cut into.
///
/// The reference is written the long way round: from the addresses and byte by byte, where the room works from the
/// checksum field and in place.
struct SuperPacket {
  var isIPv4 = true
  var isTCP = true
  /// IP header with its extensions, then the transport header, in which lengths and checksums are still zero.
  var network: [UInt8] = []
  var transport: [UInt8] = []
  var payload: [UInt8] = []
  var segmentSize = 1400
  /// Into which the checksum looks; a routing header makes it another than the header's.
  var destination: [UInt8] = []

  var header: VnetHeader {
    VnetHeader(
      needsChecksum: true, segmentation: isTCP ? (isIPv4 ? .tcpIPv4 : .tcpIPv6) : .udp,
      headerLength: UInt16(network.count + transport.count), segmentSize: UInt16(segmentSize),
      checksumStart: UInt16(network.count), checksumOffset: isTCP ? 16 : 6)
  }

  /// As it comes out of the tun: one packet, with the sum of the pseudo header where the checksum goes.
  var bytes: [UInt8] {
    var whole = packet(payload, at: 0, isFirst: true, isLast: true)
    let field = network.count + (isTCP ? 16 : 6)
    let sum = wordSum(pseudoHeader(transport.count + payload.count))
    whole[field] = UInt8(sum >> 8)
    whole[field + 1] = UInt8(sum & 0xff)
    return whole
  }

  var segments: [[UInt8]] {
    let starts = Array(stride(from: 0, to: payload.count, by: segmentSize))
    return starts.enumerated().map { index, start in
      let piece = payload[start..<min(start + segmentSize, payload.count)]
      return packet(
        Array(piece), at: index, isFirst: index == 0, isLast: index == starts.count - 1)
    }
  }

  private func packet(_ piece: [UInt8], at index: Int, isFirst: Bool, isLast: Bool) -> [UInt8] {
    var ip = network
    var upper = transport
    let length = ip.count + upper.count + piece.count
    if isIPv4 {
      put16(&ip, 2, length)
      put16(&ip, 4, get16(ip, 4) + index)
      put16(&ip, 10, 0xffff - wordSum(ip))
    } else {
      put16(&ip, 4, length - 40)
    }
    if isTCP {
      let sequence = UInt32(get16(upper, 4)) << 16 | UInt32(get16(upper, 6))
      let moved = sequence &+ UInt32(index * segmentSize)
      put16(&upper, 4, Int(moved >> 16))
      put16(&upper, 6, Int(moved & 0xffff))
      if !isFirst { upper[13] &= 0b0111_1111 }
      if !isLast { upper[13] &= 0b1111_0110 }
    } else {
      put16(&upper, 4, upper.count + piece.count)
    }
    let field = isTCP ? 16 : 6
    let sum = 0xffff - wordSum(pseudoHeader(upper.count + piece.count) + upper + piece)
    put16(&upper, field, sum == 0 && !isTCP ? 0xffff : sum)
    return ip + upper + piece
  }

  private func pseudoHeader(_ length: Int) -> [UInt8] {
    let source = Array(isIPv4 ? network[12..<16] : network[8..<24])
    let high = [
      UInt8(length >> 24 & 0xff), UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff),
    ]
    // This is the form of IPv6; that of IPv4 gives the same sum.
    let last: [UInt8] = [0, 0, 0, isTCP ? 6 : 17]
    return source + destination + high + last
  }
}

/// RFC 1071, word by word.
func wordSum(_ bytes: [UInt8]) -> Int {
  var sum = 0
  bytes.withUnsafeBufferPointer { bytes in
    var at = 0
    while at < bytes.count {
      sum += Int(bytes[at]) << 8 + (at + 1 < bytes.count ? Int(bytes[at + 1]) : 0)
      at += 2
    }
  }
  while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
  return sum
}

func get16(_ bytes: [UInt8], _ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }

func put16(_ bytes: inout [UInt8], _ at: Int, _ value: Int) {
  bytes[at] = UInt8(value >> 8 & 0xff)
  bytes[at + 1] = UInt8(value & 0xff)
}
