internal import Base

/// Reads the fields of one message; every field out of bounds gives `nil`, nothing traps.
struct MessageReader {
  private var reader: ByteReader
  let type: UInt8
  private var attachment: SecretBytes?

  /// - Returns: `nil` when the header is not ours, or does not fit the attachment that came.
  init?(_ envelope: Envelope) {
    guard let header = Header(envelope.bytes), header.attachment == envelope.attachment?.count else { return nil }
    type = header.type
    attachment = envelope.attachment
    reader = ByteReader(envelope.bytes[Envelope.headerSize...])
  }

  /// True when everything sent was also understood.
  var isComplete: Bool { reader.isAtEnd && attachment == nil }

  mutating func readByte() -> UInt8? { reader.readByte() }
  mutating func readUInt16() -> UInt16? { reader.readUInt16() }
  mutating func readUInt32() -> UInt32? { reader.readUInt32() }
  mutating func readUInt64() -> UInt64? { reader.readUInt64() }

  mutating func readBool() -> Bool? {
    switch reader.readByte() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  mutating func readText(limit: Int) -> String? {
    guard let count = reader.readUInt16(), count <= limit, let bytes = reader.readBytes(Int(count)) else { return nil }
    return Self.text(bytes)
  }

  /// `.some(nil)` when the field says "absent", `nil` when it is broken.
  mutating func readOptional<Value>(_ body: (inout MessageReader) -> Value?) -> Value?? {
    guard let isThere = readBool() else { return nil }
    guard isThere else { return .some(nil) }
    guard let value = body(&self) else { return nil }
    return .some(value)
  }

  mutating func readList<Element>(limit: Int, _ body: (inout MessageReader) -> Element?) -> [Element]? {
    guard let count = reader.readUInt16(), count <= limit else { return nil }
    var list: [Element] = []
    for _ in 0..<count {
      guard let element = body(&self) else { return nil }
      list.append(element)
    }
    return list
  }

  mutating func takeAttachment(limit: Int) -> SecretBytes? {
    guard let secret = attachment, secret.count <= limit else { return nil }
    attachment = nil
    return secret
  }

  /// Valid UTF-8 without control characters.
  static func text(_ bytes: some Collection<UInt8>) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: \.isControl) else {
      return nil
    }
    return text
  }
}
