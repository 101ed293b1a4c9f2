package import Base

/// An unfragmented UDP datagram inside an IP packet of the tunnel: where it comes from, where it goes, and where its
/// payload lies.
///
/// Nothing is believed of what the headers say: every length is checked against the packet.
package struct InnerDatagram: Hashable {
  package var source: Endpoint
  package var destination: Endpoint
  /// Within the packet.
  package var payload: Range<Int>

  /// More extension headers than any honest sender uses are not followed.
  private static let mostExtensions = 8
  private static let udp: UInt8 = 17

  /// Finds out with a few comparisons whether the packet is UDP at all: this runs for every packet of a burst.
  package init?(_ packet: Span<UInt8>) {
    guard packet.count >= 28 else { return nil }
    switch packet[0] >> 4 {
    case 4:
      guard packet[9] == Self.udp else { return nil }
      self.init(ipv4: packet)
    case 6: self.init(ipv6: packet)
    default: return nil
    }
  }

  private init?(ipv4 packet: Span<UInt8>) {
    let header = Int(packet[0] & 0x0f) * 4
    let total = Int(packet.word(at: 2))
    // More fragments, or a later fragment: the datagram is not whole.
    guard header >= 20, total <= packet.count, packet.word(at: 6) & 0x3fff == 0 else { return nil }
    let source = IPAddress.v4(IPv4Address(packet[12], packet[13], packet[14], packet[15]))
    let destination = IPAddress.v4(IPv4Address(packet[16], packet[17], packet[18], packet[19]))
    self.init(packet, at: header, end: total, source, destination)
  }

  private init?(ipv6 packet: Span<UInt8>) {
    guard packet.count >= 48 else { return nil }
    let end = 40 + Int(packet.word(at: 4))
    guard end <= packet.count else { return nil }
    var next = packet[6]
    var offset = 40
    var left = Self.mostExtensions
    while next != Self.udp {
      guard left > 0, offset + 8 <= end else { return nil }
      left -= 1
      switch next {
      // Hop-by-hop options, routing, destination options.
      case 0, 43, 60:
        next = packet[offset]
        offset += 8 + Int(packet[offset + 1]) * 8
      // A fragment header on a packet that is whole (RFC 6946).
      case 44 where packet.word(at: offset + 2) & 0xfff9 == 0:
        next = packet[offset]
        offset += 8
      default: return nil
      }
    }
    let source = IPv6Address(high: packet.quad(at: 8), low: packet.quad(at: 16))
    let destination = IPv6Address(high: packet.quad(at: 24), low: packet.quad(at: 32))
    self.init(packet, at: offset, end: end, .v6(source), .v6(destination))
  }

  private init?(_ packet: Span<UInt8>, at offset: Int, end: Int, _ source: IPAddress, _ destination: IPAddress) {
    guard offset + 8 <= end else { return nil }
    let length = Int(packet.word(at: offset + 4))
    guard length >= 8, offset + length <= end else { return nil }
    self.source = Endpoint(address: source, port: packet.word(at: offset))
    self.destination = Endpoint(address: destination, port: packet.word(at: offset + 2))
    payload = offset + 8..<offset + length
  }
}

extension Span<UInt8> {
  /// Two bytes, most significant first.
  func word(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

  func long(at offset: Int) -> UInt32 { UInt32(word(at: offset)) << 16 | UInt32(word(at: offset + 2)) }

  func quad(at offset: Int) -> UInt64 { UInt64(long(at: offset)) << 32 | UInt64(long(at: offset + 4)) }
}
