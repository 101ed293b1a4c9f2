package struct MACAddress: Hashable, Sendable, CustomStringConvertible {
  package var value: UInt64

  package init?(bytes: [UInt8]) {
    guard bytes.count == 6 else { return nil }
    value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Six hexadecimal bytes with `:` or `-` between them.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: text.contains("-") ? "-" : ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var value: UInt64 = 0
    for part in parts {
      guard part.utf8.count == 2, let byte = UInt8(part, radix: 16), part.utf8.first != 43 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    self.value = value
  }

  package var description: String {
    (0..<6).map { Hex.text(UInt8(truncatingIfNeeded: value >> UInt64(40 - $0 * 8))) }.joined(separator: ":")
  }
}
