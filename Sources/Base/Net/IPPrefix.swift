/// An address with a prefix length. Host bits are kept (`10.8.0.2/24` is an interface address); `network` masks them.
package struct IPPrefix: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var address: IPAddress
  package var length: Int

  /// - Returns: `nil` when the length does not fit the family.
  package init?(_ address: IPAddress, length: Int) {
    guard (0...address.family.width).contains(length) else { return nil }
    self.address = address
    self.length = length
  }

  /// `10.0.0.0/8`, `2001:db8::/32`, or a bare address (a host).
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self.init(address, length: address.family.width)
      return
    }
    guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let length = Int(parts[1])
    else { return nil }
    self.init(address, length: length)
  }

  package static func host(_ address: IPAddress) -> IPPrefix {
    IPPrefix(unchecked: address, length: address.family.width)
  }

  package static func everything(_ family: AddressFamily) -> IPPrefix {
    IPPrefix(unchecked: family == .ipv4 ? .v4(IPv4Address(0)) : .v6(IPv6Address(high: 0, low: 0)), length: 0)
  }

  private init(unchecked address: IPAddress, length: Int) {
    self.address = address
    self.length = length
  }

  package var family: AddressFamily { address.family }

  package var isHost: Bool { length == family.width }

  /// The prefix with its host bits cleared.
  package var network: IPPrefix {
    switch address {
    case .v4(let address):
      return IPPrefix(unchecked: .v4(IPv4Address(address.value & IPv4Address.netmask(length).value)), length: length)
    case .v6(let address):
      let high = length >= 64 ? UInt64.max : length == 0 ? 0 : UInt64.max << UInt64(64 - length)
      let low = length <= 64 ? 0 : UInt64.max << UInt64(128 - length)
      return IPPrefix(unchecked: .v6(IPv6Address(high: address.high & high, low: address.low & low)), length: length)
    }
  }

  package func contains(_ other: IPAddress) -> Bool {
    other.family == family && IPPrefix(unchecked: other, length: length).network.address == network.address
  }

  /// True for an equal prefix too.
  package func contains(_ other: IPPrefix) -> Bool { other.length >= length && contains(other.address) }

  package func overlaps(_ other: IPPrefix) -> Bool { contains(other) || other.contains(self) }

  package var description: String { "\(address)/\(length)" }

  package static func < (left: IPPrefix, right: IPPrefix) -> Bool {
    (left.address, left.length) < (right.address, right.length)
  }
}
