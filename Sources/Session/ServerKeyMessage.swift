package import Base

/// Key-method 2, the server's half. What follows the options string may be missing (protocol.md section 6).
package struct ServerKeyMessage: Sendable {
  package enum Reading: Sendable {
    /// More bytes are needed.
    case partial
    /// It is no such message.
    case broken
    /// `rest` belongs to the next message.
    case complete(ServerKeyMessage, rest: [UInt8])
  }

  /// Nothing a server says here is longer; a partial message beyond is broken.
  package static let limit = 4096

  package var random1: SecretBytes
  package var random2: SecretBytes
  package var options: String

  package static func read(_ bytes: [UInt8]) -> Reading {
    var reader = ByteReader(bytes)
    guard let zero = reader.readUInt32(), let method = reader.readByte() else { return .partial(upTo: bytes.count) }
    guard zero == 0, method & 15 == 2 else { return .broken }
    guard let random1 = reader.readBytes(32), let random2 = reader.readBytes(32), let length = reader.readUInt16(),
      let options = reader.readBytes(Int(length))
    else { return .partial(upTo: bytes.count) }
    let message = ServerKeyMessage(
      random1: SecretBytes(random1), random2: SecretBytes(random2),
      options: String(decoding: options.prefix { $0 != 0 }, as: UTF8.self))
    // User name, password and peer info: empty from most servers, absent from some. A text glued on instead would read
    // as a length far beyond the end.
    for _ in 0..<3 {
      var ahead = reader
      guard let length = ahead.readUInt16(), ahead.readBytes(Int(length)) != nil else { break }
      reader = ahead
    }
    return .complete(message, rest: Array(reader.readRest()))
  }
}

extension ServerKeyMessage.Reading {
  fileprivate static func partial(upTo count: Int) -> Self { count < ServerKeyMessage.limit ? .partial : .broken }
}
