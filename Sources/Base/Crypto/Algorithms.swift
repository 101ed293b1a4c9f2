/// A data channel cipher we can run. The raw value is OpenVPN's canonical spelling.
package enum DataCipher: String, Hashable, Sendable, CaseIterable {
  case aes128GCM = "AES-128-GCM"
  case aes192GCM = "AES-192-GCM"
  case aes256GCM = "AES-256-GCM"
  case chacha20Poly1305 = "CHACHA20-POLY1305"
  case aes128CBC = "AES-128-CBC"
  case aes192CBC = "AES-192-CBC"
  case aes256CBC = "AES-256-CBC"

  /// Names compare without regard to case (cases L-21).
  package init?(name: some StringProtocol) { self.init(rawValue: name.uppercased()) }

  package var isAEAD: Bool {
    switch self {
    case .aes128GCM, .aes192GCM, .aes256GCM, .chacha20Poly1305: true
    case .aes128CBC, .aes192CBC, .aes256CBC: false
    }
  }

  /// Bytes.
  package var keyLength: Int {
    switch self {
    case .aes128GCM, .aes128CBC: 16
    case .aes192GCM, .aes192CBC: 24
    case .aes256GCM, .aes256CBC, .chacha20Poly1305: 32
    }
  }
}

/// A message digest that `auth` may name. The raw value is OpenVPN's canonical spelling.
package enum Digest: String, Hashable, Sendable, CaseIterable {
  case md5 = "MD5"
  case sha1 = "SHA1"
  case sha224 = "SHA224"
  case sha256 = "SHA256"
  case sha384 = "SHA384"
  case sha512 = "SHA512"

  /// Without regard to case; `SHA-256` and `RSA-SHA256` are spellings that profiles use.
  package init?(name: some StringProtocol) {
    var text = name.uppercased()
    if text.hasPrefix("RSA-") { text.removeFirst(4) }
    if text.hasPrefix("SHA-") { text = "SHA" + text.dropFirst(4) }
    self.init(rawValue: text)
  }

  /// Bytes of output.
  package var size: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha224: 28
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }
}
