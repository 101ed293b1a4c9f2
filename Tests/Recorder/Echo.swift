import Base

/// An ICMP echo request to the server's end of the tunnel.
enum Echo {
  static let server = IPv4Address(10, 8, 0, 1)

  static func request(from source: IPv4Address, sequence: UInt16, payload: [UInt8]) -> [UInt8] {
    var message: [UInt8] = [8, 0, 0, 0]
    message.append(bigEndian: UInt16(0xad17))
    message.append(bigEndian: sequence)
    message += payload
    put(checksum(message), into: &message, at: 2)
    var header: [UInt8] = [0x45, 0]
    header.append(bigEndian: UInt16(20 + message.count))
    header.append(bigEndian: sequence)
    header += [0, 0, 64, 1, 0, 0]
    header += source.bytes + server.bytes
    put(checksum(header), into: &header, at: 10)
    return header + message
  }

  /// One that no compressor gets hold of, one that any does, and one of odd length.
  static var payloads: [[UInt8]] {
    var state: UInt32 = 1
    let noise = (0..<64).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    return [noise, Array("Plenty of words, plenty of words. ".utf8.cycled(160)), [0x2a]]
  }

  private static func put(_ sum: UInt16, into bytes: inout [UInt8], at offset: Int) {
    bytes[offset] = UInt8(sum >> 8)
    bytes[offset + 1] = UInt8(sum & 255)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt32 = 0
    for index in bytes.indices { sum += UInt32(bytes[index]) << (index % 2 == 0 ? 8 : 0) }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    return ~UInt16(sum)
  }
}

extension Collection<UInt8> {
  fileprivate func cycled(_ count: Int) -> [UInt8] {
    let bytes = Array(self)
    return (0..<count).map { bytes[$0 % bytes.count] }
  }
}
