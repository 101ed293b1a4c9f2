/// Reads the JSON of the control socket: whole numbers only, bounded in depth and size.
package struct JSONReader {
  package struct Failure: Error, Hashable, Sendable {
    /// Bytes from the start.
    package var offset: Int
    package var reason: String
  }

  /// A status of 127 tunnels stays far below.
  package static let largest = 4 << 20
  package static let deepest = 16

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  package static func value(of bytes: some Collection<UInt8>) throws(Failure) -> JSONValue {
    guard bytes.count <= largest else { throw Failure(offset: 0, reason: "larger than \(largest) bytes") }
    var reader = JSONReader(Array(bytes))
    let value = try reader.readValue(depth: 0)
    reader.skipBlanks()
    guard reader.position == reader.bytes.count else { throw reader.failure("something behind the value") }
    return value
  }

  private func failure(_ reason: String) -> Failure { Failure(offset: position, reason: reason) }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, [32, 9, 10, 13].contains(byte) { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(Failure) {
    guard take(byte) else { throw failure("expected `\(Character(UnicodeScalar(byte)))`") }
  }

  private mutating func readValue(depth: Int) throws(Failure) -> JSONValue {
    guard depth < Self.deepest else { throw failure("nested deeper than \(Self.deepest)") }
    skipBlanks()
    switch current {
    case UInt8(ascii: "{")?: return try readObject(depth: depth)
    case UInt8(ascii: "[")?: return try readArray(depth: depth)
    case UInt8(ascii: "\"")?: return .string(try readString())
    case UInt8(ascii: "-")?: return .number(try readNumber())
    case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit): return .number(try readNumber())
    default:
      for (word, value) in [("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false))]
      where bytes[position...].starts(with: word.utf8) {
        position += word.utf8.count
        return value
      }
      throw failure("not a JSON value")
    }
  }

  private mutating func readObject(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw failure("expected a key") }
      let key = try readString()
      try expect(UInt8(ascii: ":"))
      members.append(JSONValue.Member(key, try readValue(depth: depth + 1)))
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return .object(members)
  }

  private mutating func readArray(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try readValue(depth: depth + 1)) } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return .array(elements)
  }

  private mutating func readNumber() throws(Failure) -> Int64 {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
      throw failure("not a whole number")
    }
    if let next = current, [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(next) {
      throw failure("not a whole number")
    }
    return number
  }

  private mutating func readString() throws(Failure) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let result = String(validating: text, as: UTF8.self) else { throw failure("not UTF-8") }
        return result
      case UInt8(ascii: "\\"): try readEscape(into: &text)
      case 0..<32: throw failure("a control character in a string")
      default: text.append(byte)
      }
    }
    throw failure("a string without end")
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = current else { throw failure("a string without end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "u"): text += String(Character(try readScalar())).utf8
    default: throw failure("an unknown escape")
    }
  }

  /// `\uXXXX`, and the second half of a pair.
  private mutating func readScalar() throws(Failure) -> UnicodeScalar {
    let high = try readUnit()
    if let scalar = UnicodeScalar(UInt32(high)) { return scalar }
    guard (0xD800..<0xDC00).contains(high), bytes[position...].starts(with: #"\u"#.utf8) else {
      throw failure("half a surrogate pair")
    }
    position += 2
    let low = try readUnit()
    guard (0xDC00..<0xE000).contains(low),
      let scalar = UnicodeScalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    else { throw failure("half a surrogate pair") }
    return scalar
  }

  private mutating func readUnit() throws(Failure) -> UInt16 {
    guard bytes.count - position >= 4 else { throw failure("a string without end") }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits must follow \\u") }
    position += 4
    return unit
  }
}
