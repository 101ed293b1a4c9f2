/// A protocol above IP by its number (IANA), with the names that people and nft use.
package struct IPProtocol: Hashable, Sendable, CustomStringConvertible {
  package var number: UInt8

  package static let icmp = IPProtocol(number: 1)
  package static let igmp = IPProtocol(number: 2)
  package static let tcp = IPProtocol(number: 6)
  package static let udp = IPProtocol(number: 17)
  package static let gre = IPProtocol(number: 47)
  package static let esp = IPProtocol(number: 50)
  package static let icmpv6 = IPProtocol(number: 58)

  private static let names: [(name: String, value: IPProtocol)] = [
    ("icmp", icmp), ("igmp", igmp), ("tcp", tcp), ("udp", udp), ("gre", gre), ("esp", esp), ("icmpv6", icmpv6),
  ]

  package init(number: UInt8) { self.number = number }

  /// A name or a number.
  package init?(_ text: String) {
    guard let known = Self.names.first(where: { $0.name == text })?.value ?? UInt8(text).map(Self.init(number:)) else {
      return nil
    }
    self = known
  }

  package var description: String { Self.names.first { $0.value == self }?.name ?? String(number) }
}
