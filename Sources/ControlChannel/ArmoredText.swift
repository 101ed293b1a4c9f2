internal import Base

/// The PEM-like form of tls-crypt-v2 keys: base64 between two marker lines.
enum ArmoredText {
  enum Failure: String, Error {
    case noBegin = "no BEGIN line"
    case noEnd = "no END line"
    case notBase64 = "something else than base64"
  }

  static let clientKeyLabel = "OpenVPN tls-crypt-v2 client key"
  static let serverKeyLabel = "OpenVPN tls-crypt-v2 server key"

  static func read(_ text: SecretBytes, label: String) throws(Failure) -> [UInt8] {
    var bytes = text.exposed
    defer { bytes.wipe() }
    guard let begin = bytes[...].firstRange(of: "-----BEGIN \(label)-----") else { throw .noBegin }
    guard let end = bytes[begin.upperBound...].firstRange(of: "-----END \(label)-----") else { throw .noEnd }
    guard let content = Base64.bytes(bytes[begin.upperBound..<end.lowerBound]) else { throw .notBase64 }
    return content
  }

  static func write(_ bytes: [UInt8], label: String) -> SecretBytes {
    var body = Array(Base64.text(bytes).utf8)
    var lines: [UInt8] = Array("-----BEGIN \(label)-----\n".utf8)
    defer {
      body.wipe()
      lines.wipe()
    }
    for start in stride(from: 0, to: body.count, by: 64) {
      lines += body[start..<min(start + 64, body.count)] + [UInt8(ascii: "\n")]
    }
    lines += "-----END \(label)-----\n".utf8
    return SecretBytes(lines)
  }
}
