import Base
import Engine
import Testing

@Suite("UDP inside the tunnel")
struct InnerDatagramTests {
  private let body = DNSBytes.udp(from: 53, to: 4000, [1, 2, 3, 4, 5])

  private func find(_ packet: [UInt8]) -> InnerDatagram? { InnerDatagram(packet.span) }

  private func payload(_ packet: [UInt8]) -> [UInt8]? { find(packet).map { Array(packet[$0.payload]) } }

  @Test("IPv4, with and without options")
  func ipv4() throws {
    for options in [0, 1, 10] {
      let packet = DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", options: options, body)
      let datagram = try #require(find(packet))
      #expect(datagram.source.description == "10.8.0.1:53")
      #expect(datagram.destination.description == "10.8.0.2:4000")
      #expect(payload(packet) == [1, 2, 3, 4, 5])
    }
  }

  @Test("IPv6, behind extension headers that are no fragments")
  func ipv6() throws {
    let options: (UInt8, [UInt8]) = (0, Array(repeating: 0, count: 6))
    let routing: (UInt8, [UInt8]) = (43, Array(repeating: 0, count: 14))
    let whole: (UInt8, [UInt8]) = (44, [0, 0, 0, 0, 0, 9])
    let chains: [[(UInt8, [UInt8])]] = [
      [], [options], [options, routing, (60, options.1)], [whole], [options, whole],
    ]
    for extensions in chains {
      let packet = DNSBytes.ipv6(from: "2001:db8::1", to: "2001:db8::2", extensions: extensions, body)
      let datagram = try #require(find(packet))
      #expect(datagram.source.description == "[2001:db8::1]:53")
      #expect(datagram.destination.description == "[2001:db8::2]:4000")
      #expect(payload(packet) == [1, 2, 3, 4, 5])
    }
    let many = DNSBytes.ipv6(
      from: "2001:db8::1", to: "2001:db8::2", extensions: Array(repeating: options, count: 9), body)
    #expect(find(many) == nil)
  }

  @Test("Fragments, other protocols and headers that lie are nothing")
  func others() {
    for fragment in [0x2000, 0x2001, 1, 0x1fff] {
      #expect(find(DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", fragment: fragment, body)) == nil)
    }
    // Don't-fragment is no fragment.
    #expect(find(DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", fragment: 0x4000, body)) != nil)
    // The first of several (more to come), and a later one (at 8).
    let fragments: [[UInt8]] = [[0, 1, 0, 0, 0, 9], [0, 8, 0, 0, 0, 9]]
    for fragment in fragments {
      #expect(find(DNSBytes.ipv6(from: "::1", to: "::2", extensions: [(44, fragment)], body)) == nil)
    }
    let good = DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", body)
    let lies: [(Int, UInt8)] = [(0, 0x44), (0, 0x4f), (0, 0x55), (3, 255), (9, 6), (25, 3), (25, 200)]
    for (place, value) in lies {
      var packet = good
      packet[place] = value
      #expect(find(packet) == nil, "byte \(place) = \(value)")
    }
    #expect(find(DNSBytes.ipv6(from: "::1", to: "::2", extensions: [(51, Array(repeating: 0, count: 6))], body)) == nil)
  }

  @Test("A cut packet is none, and padding behind it is not its own")
  func cuts() {
    for packet in [
      DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", body),
      DNSBytes.ipv6(from: "::1", to: "::2", extensions: [(0, Array(repeating: 0, count: 6))], body),
    ] {
      for count in 0..<packet.count { #expect(find(Array(packet.prefix(count))) == nil) }
      #expect(payload(packet + [9, 9, 9]) == [1, 2, 3, 4, 5])
    }
  }
}
