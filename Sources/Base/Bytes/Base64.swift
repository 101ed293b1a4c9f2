/// RFC 4648 section 4, with padding.
package enum Base64 {
  private static let alphabet: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let pad = UInt8(ascii: "=")

  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    var held: UInt32 = 0
    var count = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      count += 1
      if count == 3 {
        for shift in [18, 12, 6, 0] as [UInt32] { result.append(alphabet[Int(held >> shift & 63)]) }
        held = 0
        count = 0
      }
    }
    if count == 1 {
      result += [alphabet[Int(held >> 2)], alphabet[Int(held << 4 & 63)], pad, pad]
    } else if count == 2 {
      result += [alphabet[Int(held >> 10)], alphabet[Int(held >> 4 & 63)], alphabet[Int(held << 2 & 63)], pad]
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Spaces and line ends between the digits are skipped, as PEM bodies and inline blocks have them.
  ///
  /// - Returns: `nil` at any other character, or when digits and padding do not come in fours.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var held: UInt32 = 0
    var digits = 0
    var padding = 0
    for character in text {
      let digit: UInt32
      switch character {
      case 65...90: digit = UInt32(character) - 65
      case 97...122: digit = UInt32(character) - 71
      case 48...57: digit = UInt32(character) + 4
      case 43: digit = 62
      case 47: digit = 63
      case pad:
        padding += 1
        continue
      case 32, 9, 10, 13: continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      held = held << 6 | digit
      digits += 1
      if digits == 4 {
        result += [UInt8(held >> 16), UInt8(held >> 8 & 255), UInt8(held & 255)]
        held = 0
        digits = 0
      }
    }
    switch (digits, padding) {
    case (0, 0): break
    case (2, 2): result.append(UInt8(held >> 4 & 255))
    case (3, 1): result += [UInt8(held >> 10 & 255), UInt8(held >> 2 & 255)]
    default: return nil
    }
    return result
  }

  package static func bytes(_ text: some StringProtocol) -> [UInt8]? { bytes(Array(text.utf8)) }
}
