internal import Base

/// Builds one message.
///
/// Text that is too long is cut and control characters are replaced, so that a server's words never make a message
/// unsendable; lists and secrets beyond their limit make it `nil`.
struct MessageWriter {
  private var bytes: [UInt8] = []
  private var attachment: SecretBytes?
  private var isBroken = false

  init(type: UInt8) {
    bytes = [Envelope.version, type, 0, 0, 0, 0, 0]
  }

  func finish() -> Envelope? {
    guard !isBroken, bytes.count <= ExchangeLimit.message else { return nil }
    guard let attachment else { return Envelope(bytes: bytes) }
    var message = bytes
    message[2] = 1
    var length: [UInt8] = []
    length.append(bigEndian: UInt32(attachment.count))
    message.replaceSubrange(3..<7, with: length)
    return Envelope(bytes: message, attachment: attachment)
  }

  mutating func write(_ value: UInt8) { bytes.append(value) }
  mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }
  mutating func write(_ value: UInt16) { bytes.append(bigEndian: value) }
  mutating func write(_ value: UInt32) { bytes.append(bigEndian: value) }
  mutating func write(_ value: UInt64) { bytes.append(bigEndian: value) }

  mutating func write(text: String, limit: Int) {
    let clean = text.cleaned(limit: limit)
    bytes.append(bigEndian: UInt16(clean.count))
    bytes += clean
  }

  mutating func write<Value>(optional value: Value?, _ body: (inout MessageWriter, Value) -> Void) {
    write(value != nil)
    if let value { body(&self, value) }
  }

  mutating func write<Element>(list: [Element], limit: Int, _ body: (inout MessageWriter, Element) -> Void) {
    guard list.count <= limit else {
      isBroken = true
      return
    }
    bytes.append(bigEndian: UInt16(list.count))
    for element in list { body(&self, element) }
  }

  mutating func attach(_ secret: SecretBytes, limit: Int) {
    guard secret.count <= limit, attachment == nil else {
      isBroken = true
      return
    }
    attachment = secret
  }

  mutating func fail() { isBroken = true }
}

extension String {
  /// UTF-8 without control characters, cut at a character's edge.
  func cleaned(limit: Int) -> [UInt8] {
    var result: [UInt8] = []
    for scalar in unicodeScalars {
      let plain: Unicode.Scalar = scalar.isControl ? "?" : scalar
      let width = UTF8.width(plain)
      guard result.count + width <= limit else { break }
      result += Array(String(Character(plain)).utf8)
    }
    return result
  }
}

extension Unicode.Scalar {
  /// C0, DEL and C1: what could move a terminal's cursor or break a line of a log.
  var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) || value == 0x2028 || value == 0x2029 }
}
