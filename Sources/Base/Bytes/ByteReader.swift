/// Reads big-endian fields from the front of some bytes. Every read past the end gives `nil` and moves nothing.
package struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  package private(set) var position: Int

  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  package var remaining: Int { bytes.endIndex - position }
  package var isAtEnd: Bool { remaining == 0 }

  package mutating func readByte() -> UInt8? {
    guard remaining >= 1 else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func readUInt16() -> UInt16? { readInteger() }
  package mutating func readUInt32() -> UInt32? { readInteger() }
  package mutating func readUInt64() -> UInt64? { readInteger() }

  package mutating func readBytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  package mutating func readRest() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }

  private mutating func readInteger<Value: FixedWidthInteger & UnsignedInteger>() -> Value? {
    let size = Value.bitWidth / 8
    guard remaining >= size else { return nil }
    var value: Value = 0
    for index in position..<position + size { value = value << 8 | Value(bytes[index]) }
    position += size
    return value
  }
}

extension [UInt8] {
  /// Appends big-endian.
  package mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
    var shift = value.bitWidth - 8
    while shift >= 0 {
      append(UInt8(truncatingIfNeeded: value >> type(of: value).init(shift)))
      shift -= 8
    }
  }
}
