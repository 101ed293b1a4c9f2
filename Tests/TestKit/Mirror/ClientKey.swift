import Base

/// Key-method 2 as a server reads it.
package struct ClientKey {
  package var preMaster: SecretBytes
  package var random1: SecretBytes
  package var random2: SecretBytes
  package var options: String
  package var user: String
  package var password: String
  package var peerInfo: String

  /// - Returns: `nil` when it is not a whole message.
  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.readUInt32() == 0, reader.readByte() == 2, let preMaster = reader.readBytes(48),
      let random1 = reader.readBytes(32), let random2 = reader.readBytes(32)
    else { return nil }
    var strings: [String] = []
    for _ in 0..<4 {
      guard let count = reader.readUInt16(), let text = reader.readBytes(Int(count)) else { return nil }
      guard count == 0 || text.last == 0 else { return nil }
      strings.append(String(decoding: text.dropLast(), as: UTF8.self))
    }
    guard reader.isAtEnd else { return nil }
    self.preMaster = SecretBytes(preMaster)
    self.random1 = SecretBytes(random1)
    self.random2 = SecretBytes(random2)
    options = strings[0]
    user = strings[1]
    password = strings[2]
    peerInfo = strings[3]
  }
}
