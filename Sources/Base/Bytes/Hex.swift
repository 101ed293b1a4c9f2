package enum Hex {
  private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

  package static func text(_ byte: UInt8) -> String { text(CollectionOfOne(byte)) }

  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 2)
    for byte in bytes { result += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: result, as: UTF8.self)
  }

  /// - Returns: 0...15, or `nil` when the character is no digit.
  package static func value(ofDigit character: UInt8) -> UInt8? {
    switch character {
    case 48...57: character - 48
    case 97...102: character - 87
    case 65...70: character - 55
    default: nil
    }
  }

  /// - Returns: `nil` at anything but an even number of hexadecimal digits; spaces and newlines between them are skipped.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 where ![32, 9, 10, 13].contains(character) {
      guard let nibble = value(ofDigit: character) else { return nil }
      if let first = high {
        result.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
    }
    return high == nil ? result : nil
  }
}
