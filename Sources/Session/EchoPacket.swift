internal import Base

/// The bytes of an ICMP echo and of its answer.
package enum EchoPacket {
  private static let icmp: UInt8 = 1
  private static let icmpv6: UInt8 = 58
  private static let hops: UInt8 = 64

  /// - Parameter size: at least `InnerEcho.smallest`.
  static func request(
    from source: IPAddress, to target: IPAddress, size: Int, isWhole: Bool, identifier: UInt16, sequence: UInt16,
    mark: UInt64
  ) -> [UInt8] {
    let isV4 = source.family == .ipv4
    let headerSize = isV4 ? 20 : 40
    var message: [UInt8] = [isV4 ? 8 : 128, 0, 0, 0]
    message.append(bigEndian: identifier)
    message.append(bigEndian: sequence)
    message.append(bigEndian: mark)
    message += [UInt8](repeating: 0, count: max(size - headerSize - message.count, 0))
    var pseudo: [UInt8] = []
    if !isV4 {
      pseudo = source.bytes + target.bytes
      pseudo.append(bigEndian: UInt32(message.count))
      pseudo += [0, 0, 0, icmpv6]
    }
    message.write(checksum(pseudo + message), at: 2)
    var header: [UInt8] = []
    if isV4 {
      header += [0x45, 0]
      header.append(bigEndian: UInt16(headerSize + message.count))
      header.append(bigEndian: sequence)
      header += [isWhole ? 0x40 : 0, 0, hops, icmp, 0, 0]
      header += source.bytes + target.bytes
      header.write(checksum(header), at: 10)
    } else {
      header += [0x60, 0, 0, 0]
      header.append(bigEndian: UInt16(message.count))
      header += [icmpv6, hops]
      header += source.bytes + target.bytes
    }
    return header + message
  }

  /// RFC 1071.
  package static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt32 = 0
    var index = 0
    while index < bytes.count {
      sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
      index += 2
    }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    return ~UInt16(truncatingIfNeeded: sum)
  }

  /// An echo answer in one piece.
  struct Reply {
    var source: IPAddress
    var identifier: UInt16
    var sequence: UInt16
    var mark: UInt64

    init?(_ packet: Span<UInt8>) {
      guard packet.count >= 36 else { return nil }
      let offset: Int
      switch packet[0] >> 4 {
      case 4:
        offset = Int(packet[0] & 0x0f) * 4
        // More fragments, or a later one: the answer is not whole.
        guard packet[9] == EchoPacket.icmp, packet.word(at: 6) & 0x3fff == 0, offset >= 20,
          offset + 16 <= packet.count, packet[offset] == 0
        else { return nil }
        source = .v4(IPv4Address(packet[12], packet[13], packet[14], packet[15]))
      case 6:
        offset = 40
        guard packet[6] == EchoPacket.icmpv6, offset + 16 <= packet.count, packet[offset] == 129 else { return nil }
        source = .v6(IPv6Address(high: packet.quad(at: 8), low: packet.quad(at: 16)))
      default: return nil
      }
      identifier = packet.word(at: offset + 4)
      sequence = packet.word(at: offset + 6)
      mark = packet.quad(at: offset + 8)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func write(_ value: UInt16, at offset: Int) {
    self[offset] = UInt8(value >> 8)
    self[offset + 1] = UInt8(truncatingIfNeeded: value)
  }
}

extension Span<UInt8> {
  fileprivate func word(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

  fileprivate func quad(at offset: Int) -> UInt64 {
    (offset..<offset + 8).reduce(0) { $0 << 8 | UInt64(self[$1]) }
  }
}
