internal import Base

/// What a server's first answer says in its payload (protocol.md section 2.5).
package struct EarlyNegotiation: Hashable, Sendable {
  private static let flagsType: UInt16 = 1
  private static let resendWrappedKeyFlag: UInt16 = 1

  /// The server kept nothing of our first packet: message 1 must be a `controlWKCV1`.
  package var resendsWrappedKey = false

  package init() {}

  /// Unknown types are skipped.
  ///
  /// - Returns: `nil` when the payload is cut off or the flags are not two bytes.
  package init?(_ payload: [UInt8]) {
    var reader = ByteReader(payload)
    while !reader.isAtEnd {
      guard let type = reader.readUInt16(), let length = reader.readUInt16(),
        let value = reader.readBytes(Int(length))
      else { return nil }
      guard type == Self.flagsType else { continue }
      var content = ByteReader(value)
      guard length == 2, let flags = content.readUInt16() else { return nil }
      if flags & Self.resendWrappedKeyFlag != 0 { resendsWrappedKey = true }
    }
  }

  /// As a server writes it; empty when there is nothing to say.
  package var payload: [UInt8] {
    guard resendsWrappedKey else { return [] }
    var bytes: [UInt8] = []
    for value in [Self.flagsType, 2, Self.resendWrappedKeyFlag] { bytes.append(bigEndian: value) }
    return bytes
  }
}
