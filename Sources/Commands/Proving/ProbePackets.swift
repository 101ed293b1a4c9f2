package import Base

/// Writes the packets of a probe, from the IP header on.
package struct ProbePackets {
  let source: IPAddress
  /// Of the client's device.
  let mtu: Int

  package init(source: IPAddress, mtu: Int) {
    self.source = source
    self.mtu = mtu
  }

  private enum Number {
    static let icmp: UInt8 = 1
    static let tcp: UInt8 = 6
    static let udp: UInt8 = 17
    static let fragment: UInt8 = 44
    static let icmpv6: UInt8 = 58
  }

  /// An echo's data beyond a first fragment of this size.
  private static let secondFragment = 512

  package func packets(of probe: Probe) -> [[UInt8]] {
    switch probe.kind {
    case .dnsUDP: [whole(probe, Number.udp, udp(probe, query(probe)))]
    case .quic: [whole(probe, Number.udp, udp(probe, initial(probe)))]
    case .dnsTCP, .dnsTLS, .https: [whole(probe, Number.tcp, opening(probe))]
    case .echo: [whole(probe, echoProtocol, echo(probe, dataCount: 56))]
    case .large: [whole(probe, echoProtocol, echo(probe, dataCount: mtu - headerCount - 8), mayNotFragment: true)]
    case .fragments: fragments(probe)
    }
  }

  private var headerCount: Int { source.family == .ipv4 ? 20 : 40 }
  private var echoProtocol: UInt8 { source.family == .ipv4 ? Number.icmp : Number.icmpv6 }

  // MARK: IP

  private func whole(_ probe: Probe, _ number: UInt8, _ payload: [UInt8], mayNotFragment: Bool = false) -> [UInt8] {
    header(probe, number, payload.count, fragmentField: mayNotFragment ? 0x4000 : 0) + payload
  }

  /// - Parameter fragmentField: of IPv4: flags and offset.
  private func header(_ probe: Probe, _ number: UInt8, _ count: Int, fragmentField: UInt16) -> [UInt8] {
    guard source.family == .ipv4 else {
      return [0x60, 0, 0, 0] + big(UInt16(count)) + [number, 64] + source.bytes + probe.destination.bytes
    }
    var header: [UInt8] = [0x45, 0] + big(UInt16(20 + count)) + probe.token[..<2] + big(fragmentField) + [64, number]
    header += [0, 0] + source.bytes + probe.destination.bytes
    header.replaceSubrange(10..<12, with: big(checksum(header)))
    return header
  }

  private func fragments(_ probe: Probe) -> [[UInt8]] {
    let first = (mtu - headerCount - 8) & ~7
    let message = echo(probe, dataCount: first - 8 + Self.secondFragment)
    let parts = [(0, Array(message[..<first])), (first, Array(message[first...]))]
    return parts.map { offset, part in
      let isLast = offset > 0
      guard source.family == .ipv6 else {
        // More fragments (RFC 791), then the offset in units of eight.
        let field = UInt16(offset / 8) | (isLast ? 0 : 0x2000)
        return header(probe, echoProtocol, part.count, fragmentField: field) + part
      }
      // RFC 8200, 4.5.
      let field = UInt16(offset) | (isLast ? 0 : 1)
      let fragment = [echoProtocol, 0] + big(field) + probe.token[..<4]
      return header(probe, Number.fragment, fragment.count + part.count, fragmentField: 0) + fragment + part
    }
  }

  // MARK: Above

  /// The token is sequence and acknowledgement number, which no address translation changes.
  private func opening(_ probe: Probe) -> [UInt8] {
    var segment = big(probe.sourcePort) + big(probe.kind.port ?? 0) + probe.token
    // Six words long, SYN; then the largest segment (RFC 9293).
    segment += [0x60, 0x02] + big(64240) + [0, 0, 0, 0, 2, 4] + big(1440)
    return sealed(segment, at: 16, probe, Number.tcp)
  }

  private func udp(_ probe: Probe, _ data: [UInt8]) -> [UInt8] {
    let datagram = big(probe.sourcePort) + big(probe.kind.port ?? 0) + big(UInt16(8 + data.count)) + [0, 0] + data
    return sealed(datagram, at: 6, probe, Number.udp)
  }

  /// A query for an address of TOKEN.adit-prove.invalid; no such name can exist (RFC 6761).
  private func query(_ probe: Probe) -> [UInt8] {
    let header: [UInt8] = probe.token[..<2] + [0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]
    let labels = [probe.token, Array("adit-prove".utf8), Array("invalid".utf8)]
    return header + labels.flatMap { [UInt8($0.count)] + $0 } + [0, 0, 1, 0, 1]
  }

  /// The form of a QUIC version 1 Initial (RFC 9000, 17.2.2), padded to 1200 bytes; the token is its connection id.
  private func initial(_ probe: Probe) -> [UInt8] {
    let header: [UInt8] = [0xc3, 0, 0, 0, 1, 8] + probe.token + [0, 0, 0x44, 0x9e]
    return header + [UInt8](repeating: 0, count: 1200 - header.count)
  }

  /// Filled with the token, so that every fragment has it.
  private func echo(_ probe: Probe, dataCount: Int) -> [UInt8] {
    let type: UInt8 = source.family == .ipv4 ? 8 : 128
    let data = (0..<dataCount).map { probe.token[$0 % probe.token.count] }
    return sealed([type, 0, 0, 0] + big(probe.sourcePort) + [0, 1] + data, at: 2, probe, echoProtocol)
  }

  // MARK: Checksums

  /// With the checksum in place; over the pseudo-header too, which ICMP of IPv4 has none of.
  private func sealed(_ payload: [UInt8], at place: Int, _ probe: Probe, _ number: UInt8) -> [UInt8] {
    var pseudo: [UInt8] = []
    if number != Number.icmp {
      pseudo = source.bytes + probe.destination.bytes + big(UInt16(payload.count)) + [0, number]
    }
    var payload = payload
    let sum = checksum(pseudo + payload)
    // Zero would mean none to UDP (RFC 768).
    payload.replaceSubrange(place..<place + 2, with: big(sum == 0 && number == Number.udp ? 0xffff : sum))
    return payload
  }

  private func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt32 = 0
    for (index, byte) in bytes.enumerated() { sum += UInt32(byte) << (index.isMultiple(of: 2) ? 8 : 0) }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    return ~UInt16(sum)
  }

  private func big(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
}
