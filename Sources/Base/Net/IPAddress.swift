package enum AddressFamily: UInt8, Hashable, Sendable, CaseIterable {
  case ipv4 = 4
  case ipv6 = 6

  /// Bits of an address of the family.
  package var width: Int { self == .ipv4 ? 32 : 128 }

  /// For people.
  package var name: String { self == .ipv4 ? "IPv4" : "IPv6" }
  /// For programs: nft's word, and ours in JSON.
  package var keyword: String { self == .ipv4 ? "ipv4" : "ipv6" }
}

package enum IPAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  case v4(IPv4Address)
  case v6(IPv6Address)

  /// Either family; IPv6 may stand in brackets, as people write it beside a port.
  package init?(_ text: some StringProtocol) {
    if let address = IPv4Address(text) {
      self = .v4(address)
    } else if let address = IPv6Address(
      text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text))
    {
      self = .v6(address)
    } else {
      return nil
    }
  }

  /// - Parameter bytes: 4 or 16, as in a packet.
  package init?(bytes: [UInt8]) {
    if bytes.count == 4 {
      self = .v4(IPv4Address(bytes[0], bytes[1], bytes[2], bytes[3]))
    } else if let address = IPv6Address(bytes: bytes) {
      self = .v6(address)
    } else {
      return nil
    }
  }

  package var family: AddressFamily {
    switch self {
    case .v4: .ipv4
    case .v6: .ipv6
    }
  }

  package var bytes: [UInt8] {
    switch self {
    case .v4(let address): address.bytes
    case .v6(let address): address.bytes
    }
  }

  package var description: String {
    switch self {
    case .v4(let address): address.description
    case .v6(let address): address.description
    }
  }

  package var isUnspecified: Bool {
    switch self {
    case .v4(let address): address.value == 0
    case .v6(let address): address.high == 0 && address.low == 0
    }
  }

  package var isLoopback: Bool {
    switch self {
    case .v4(let address): address.value >> 24 == 127
    case .v6(let address): address.high == 0 && address.low == 1
    }
  }

  package var isLinkLocal: Bool {
    switch self {
    case .v4(let address): address.value >> 16 == 0xa9fe
    case .v6(let address): address.high >> 54 == 0x3fa
    }
  }

  package var isMulticast: Bool {
    switch self {
    case .v4(let address): address.value >> 28 == 0xe
    case .v6(let address): address.high >> 56 == 0xff
    }
  }

  package static func < (left: IPAddress, right: IPAddress) -> Bool {
    switch (left, right) {
    case (.v4(let left), .v4(let right)): left < right
    case (.v6(let left), .v6(let right)): left < right
    case (.v4, .v6): true
    case (.v6, .v4): false
    }
  }
}
