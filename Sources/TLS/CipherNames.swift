internal import Base
internal import COpenSSL

/// The profile's lists of ciphers, suites and groups in OpenSSL's words, without the names that this OpenSSL lacks.
///
/// Dead names are common in providers' profiles (cases O-42), so one of them only costs a note. What a name means is
/// asked of OpenSSL itself on a scratch context, so no table here can age.
@safe struct CipherNames {
  private let scratch: OpaquePointer
  private(set) var notes: [Note] = []

  init(scratch: OpaquePointer) { unsafe self.scratch = scratch }

  /// For TLS up to 1.2.
  ///
  /// Keywords and operators of OpenSSL's list language pass as they are. What they may bring in, suites without a
  /// certificate or without encryption, is taken out for good: `ALL:@SECLEVEL=0` would let any server in unverified.
  mutating func cipherList(_ written: String) throws(Fault) -> String {
    var kept: [String] = []
    var namesCiphers = false
    for token in written.split(whereSeparator: { $0 == ":" || $0 == "," || $0 == " " }).map(String.init) {
      let mark = token.first.map { "!-+".contains($0) } == true ? String(token.prefix(1)) : ""
      let name = Self.openSSLName(String(token.dropFirst(mark.count)))
      if token.hasPrefix("@") {
        kept.append(token)
      } else if unsafe isAccepted({ unsafe SSL_CTX_set_cipher_list($0, name) }) {
        kept.append(mark + name)
        if mark.isEmpty || mark == "+" { namesCiphers = true }
      } else if mark.isEmpty {
        notes.append(Note(.tlsNameSkipped, "tls-cipher", token))
      }
    }
    guard namesCiphers else { throw Fault(.tlsOptionsInvalid, "tls-cipher \(written)") }
    return (kept + ["!aNULL", "!eNULL"]).joined(separator: ":")
  }

  mutating func cipherSuites(_ written: String) throws(Fault) -> String {
    let names = written.split(separator: ":").map { token in String(token.map { $0 == "-" ? "_" : $0 }) }
    return unsafe try kept(names, option: "tls-ciphersuites") { scratch, name in
      unsafe SSL_CTX_set_ciphersuites(scratch, name)
    }
  }

  mutating func groups(_ written: String) throws(Fault) -> String {
    let names = written.split(separator: ":").map { token in Self.groupAliases[token.lowercased()] ?? String(token) }
    return unsafe try kept(names, option: "tls-groups") { scratch, name in unsafe adit_tls_set_groups(scratch, name) }
  }

  private mutating func kept(
    _ names: [String], option: String, try accept: (OpaquePointer, String) -> Int32
  ) throws(Fault) -> String {
    var kept: [String] = []
    for name in names {
      if unsafe isAccepted({ unsafe accept($0, name) }) {
        kept.append(name)
      } else {
        notes.append(Note(.tlsNameSkipped, option, name))
      }
    }
    guard !kept.isEmpty else { throw Fault(.tlsOptionsInvalid, option) }
    return kept.joined(separator: ":")
  }

  private func isAccepted(_ set: (OpaquePointer) -> Int32) -> Bool {
    defer { OpenSSLErrors.clear() }
    return unsafe set(scratch) == 1
  }

  /// `TLS-ECDHE-RSA-WITH-AES-256-GCM-SHA384` is IANA's name with dashes; OpenSSL knows both spellings of its suites.
  private static func openSSLName(_ name: String) -> String {
    guard name.hasPrefix("TLS-") || name.hasPrefix("TLS_") else { return name }
    let standard = String(name.map { $0 == "-" ? "_" : $0 })
    guard let found = unsafe OPENSSL_cipher_name(standard) else { return name }
    return unsafe String(cString: found)
  }

  private static let groupAliases = [
    "prime256v1": "P-256", "secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521",
  ]
}
