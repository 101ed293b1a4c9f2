package import Base

/// What came back to the client.
package enum ProbeAnswer: Hashable, Sendable {
  case reset
  /// ICMP: refused by a router, in words.
  case refused(String)
  case tooLarge
  /// By whoever it was meant for, or who stands in for it.
  case answered

  package var words: String {
    switch self {
    case .reset: "refused: TCP reset"
    case .refused(let words): "refused: \(words)"
    case .tooLarge: "refused: too large for the way"
    case .answered: "answered"
    }
  }

  /// - Parameter packet: as it came in by the client's device, from the IP header on.
  package init?(_ packet: [UInt8], to probe: Probe) {
    guard let (number, start) = Self.payload(packet, probe.family) else { return nil }
    let rest = packet[start...]
    func word(_ offset: Int) -> UInt16? {
      guard rest.count >= offset + 2 else { return nil }
      return UInt16(rest[start + offset]) << 8 | UInt16(rest[start + offset + 1])
    }
    switch number {
    case 6:
      guard [.dnsTCP, .dnsTLS, .https].contains(probe.kind), word(2) == probe.sourcePort, rest.count >= 20 else {
        return nil
      }
      // RST of RFC 9293.
      self = rest[start + 13] & 0x04 != 0 ? .reset : .answered
    case 17:
      guard [.dnsUDP, .quic].contains(probe.kind), word(2) == probe.sourcePort else { return nil }
      self = .answered
    case 1, 58:
      // An echo's identifier is in the answer at the place of a port's.
      let isEcho = [.echo, .large, .fragments].contains(probe.kind)
      guard rest.count >= 8,
        isEcho && word(4) == probe.sourcePort || Self.quotes(Array(rest.dropFirst(8)), probe)
      else {
        return nil
      }
      guard let answer = Self.icmp(rest[start], rest[start + 1], isIPv6: number == 58) else { return nil }
      self = answer
    default: return nil
    }
  }

  private static func icmp(_ type: UInt8, _ code: UInt8, isIPv6: Bool) -> ProbeAnswer? {
    switch (isIPv6, type, code) {
    case (false, 0, _), (true, 129, _): .answered
    case (false, 3, 4), (true, 2, _): .tooLarge
    case (false, 3, 9), (false, 3, 10), (false, 3, 13), (true, 1, 1): .refused("administratively prohibited")
    case (false, 3, 3), (true, 1, 4): .refused("port unreachable")
    case (false, 3, 0), (true, 1, 0): .refused("no way there")
    case (false, 3, _), (true, 1, _): .refused("unreachable")
    case (false, 11, _), (true, 3, _): .refused("too many hops")
    default: nil
    }
  }

  /// A router may quote no more than eight bytes behind the header (RFC 792): the ports of a segment, or an echo's
  /// identifier. Of a second fragment it quotes nothing that is known.
  private static func quotes(_ quoted: [UInt8], _ probe: Probe) -> Bool {
    guard destination(quoted) == probe.destination, let (number, start) = payload(quoted, probe.family) else {
      return false
    }
    // The identification of IPv6's fragments is the token's beginning.
    if number == 44 {
      return quoted.count >= start + 8 && Array(quoted[start + 4..<start + 8]) == Array(probe.token[..<4])
    }
    let place = start + (probe.kind.port == nil ? 4 : 0)
    guard quoted.count >= place + 2 else { return false }
    return UInt16(quoted[place]) << 8 | UInt16(quoted[place + 1]) == probe.sourcePort
  }

  /// The protocol and where it begins. Extension headers do not occur in what we ask about.
  static func payload(_ packet: [UInt8], _ family: AddressFamily) -> (number: UInt8, start: Int)? {
    guard let first = packet.first, first >> 4 == family.rawValue else { return nil }
    guard family == .ipv4 else { return packet.count >= 40 ? (packet[6], 40) : nil }
    let start = Int(first & 0x0f) * 4
    return packet.count >= start && start >= 20 ? (packet[9], start) : nil
  }

  /// Where the packet goes; `nil` for what is no IP.
  package static func destination(_ packet: [UInt8]) -> IPAddress? {
    switch packet.first.map({ $0 >> 4 }) {
    case 4 where packet.count >= 20: IPAddress(bytes: Array(packet[16..<20]))
    case 6 where packet.count >= 40: IPAddress(bytes: Array(packet[24..<40]))
    default: nil
    }
  }
}
