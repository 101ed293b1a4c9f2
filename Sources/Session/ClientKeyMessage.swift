package import Base

/// Key-method 2, our half (protocol.md section 6): the first application data of every TLS session.
package struct ClientKeyMessage: Sendable {
  /// What 2.x servers take: their buffer is 2048 bytes.
  package static let limit = 2048

  /// 48 bytes.
  package var preMaster: SecretBytes
  /// 32 bytes each.
  package var random1: SecretBytes
  package var random2: SecretBytes
  package var options: String
  package var user: String
  package var password: SecretBytes?
  package var peerInfo: String

  package init(
    preMaster: SecretBytes, random1: SecretBytes, random2: SecretBytes, options: String, user: String,
    password: SecretBytes?, peerInfo: String
  ) {
    self.preMaster = preMaster
    self.random1 = random1
    self.random2 = random2
    self.options = options
    self.user = user
    self.password = password
    self.peerInfo = peerInfo
  }

  /// The message, to be written as one TLS record and wiped.
  ///
  /// - Returns: `nil` when no server could read it: user name or password are too long.
  package func encoded() -> [UInt8]? {
    var message: [UInt8] = [0, 0, 0, 0, 2]
    message.reserveCapacity(Self.limit)
    for secret in [preMaster, random1, random2] { message.append(secret: secret) }
    let password = self.password ?? SecretBytes([])
    guard password.count + user.utf8.count + options.utf8.count + peerInfo.utf8.count + message.count < Self.limit - 12
    else {
      message.wipe()
      return nil
    }
    message.append(string: Array(options.utf8))
    message.append(string: Array(user.utf8))
    if password.isEmpty {
      message.append(string: [])
    } else {
      message.append(bigEndian: UInt16(password.count + 1))
      message.append(secret: password)
      message.append(0)
    }
    message.append(string: Array(peerInfo.utf8))
    return message
  }
}

extension [UInt8] {
  /// Length with the trailing NUL counted; empty is 00 00 (protocol.md section 6).
  package mutating func append(string: [UInt8]) {
    append(bigEndian: UInt16(string.isEmpty ? 0 : string.count + 1))
    if !string.isEmpty {
      append(contentsOf: string)
      append(0)
    }
  }

  package mutating func append(secret: SecretBytes) {
    var bytes = secret.exposed
    append(contentsOf: bytes)
    bytes.wipe()
  }
}
