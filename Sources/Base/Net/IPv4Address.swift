/// An IPv4 address as one number, most significant byte first.
package struct IPv4Address: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var value: UInt32

  package init(_ value: UInt32) { self.value = value }

  package init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
    value = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
  }

  /// Dotted quad only: four decimal numbers of 0 to 255, no octal, no short forms.
  package init?(_ text: some StringProtocol) {
    var value: UInt32 = 0
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        let byte = UInt8(part), part.utf8.count == 1 || part.utf8.first != 48
      else { return nil }
      value = value << 8 | UInt32(byte)
    }
    self.value = value
  }

  /// The bytes as they stand in a packet.
  package var bytes: [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  package var description: String {
    "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
  }

  package static func < (left: IPv4Address, right: IPv4Address) -> Bool { left.value < right.value }

  /// The prefix length when the address is a contiguous netmask, `nil` for `255.0.255.0`.
  package var netmaskLength: Int? {
    let length = (~value).leadingZeroBitCount
    return value == IPv4Address.netmask(length).value ? length : nil
  }

  /// - Parameter length: 0 to 32; anything else is clamped.
  package static func netmask(_ length: Int) -> IPv4Address {
    length <= 0 ? IPv4Address(0) : IPv4Address(~UInt32(0) << UInt32(32 - min(length, 32)))
  }
}
