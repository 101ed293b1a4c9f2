package import Base

/// One thing that a device of a LAN does: where to, how, and by what its packets are known wherever they turn up.
package struct Probe: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case dnsUDP = "dns_udp"
    case dnsTCP = "dns_tcp"
    case dnsTLS = "dns_tls"
    case https
    case quic
    case echo
    /// As large as the LAN allows, and not to be fragmented.
    case large
    /// One datagram in two fragments.
    case fragments

    package var words: String {
      switch self {
      case .dnsUDP: "DNS over UDP, port 53"
      case .dnsTCP: "DNS over TCP, port 53"
      case .dnsTLS: "DNS over TLS, port 853"
      case .https: "TCP, port 443"
      case .quic: "QUIC, UDP port 443"
      case .echo: "ICMP echo"
      case .large: "a packet of full size"
      case .fragments: "a packet in fragments"
      }
    }

    var port: UInt16? {
      switch self {
      case .dnsUDP, .dnsTCP: 53
      case .dnsTLS: 853
      case .https, .quic: 443
      case .echo, .large, .fragments: nil
      }
    }
  }

  package var kind: Kind
  package var destination: IPAddress
  /// Eight letters and digits. They stand in every packet of it, and are the same in capitals: resolvers may change that.
  package var token: [UInt8]
  /// Tells its answers from others'.
  package var sourcePort: UInt16

  package var family: AddressFamily { destination.family }

  /// - Parameters:
  ///   - marks: of this run.
  ///   - number: among the probes of the run.
  package init(_ kind: Kind, to destination: IPAddress, number: Int, marks: ProbeMarks) {
    self.kind = kind
    self.destination = destination
    token = marks.token(number)
    sourcePort = Self.firstPort + UInt16(truncatingIfNeeded: number)
  }

  private static let firstPort: UInt16 = 21_000
}

/// How the packets of one run are known: the same five letters in all of them, and three more for each probe.
package struct ProbeMarks: Hashable, Sendable {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  private let session: [UInt8]

  package init(random: UInt64) { session = (0..<5).map { Self.letter(random >> (UInt64($0) * 5)) } }

  private static func letter(_ value: UInt64) -> UInt8 { alphabet[Int(value & 31)] }

  func token(_ number: Int) -> [UInt8] {
    session + (0..<3).map { Self.letter(UInt64(truncatingIfNeeded: number) >> (UInt64($0) * 5)) }
  }

  /// The number of the probe that the packet belongs to, at whatever layer it is carried.
  package func number(in packet: [UInt8]) -> Int? {
    var start = 0
    while start + 8 <= packet.count {
      var matched = 0
      while matched < 5, Self.lowercased(packet[start + matched]) == session[matched] { matched += 1 }
      if matched == 5, let number = Self.number(packet[start + 5..<start + 8]) { return number }
      start += 1
    }
    return nil
  }

  private static func number(_ letters: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for letter in letters.reversed() {
      guard let digit = alphabet.firstIndex(of: lowercased(letter)) else { return nil }
      number = number << 5 | digit
    }
    return number
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 0x20 : byte }
}
