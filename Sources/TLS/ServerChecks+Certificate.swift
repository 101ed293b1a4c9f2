internal import Base
internal import COpenSSL

// The checks of one certificate that a profile may ask for, each with its own fault (protocol.md section 5.3).

extension ServerChecks {
  func fingerprintFault(_ certificate: OpaquePointer, _ wanted: [Fingerprint]) -> Fault? {
    for pin in wanted {
      if let actual = unsafe Self.digest(pin.digest, of: certificate), actual == pin.bytes { return nil }
    }
    let digest = wanted.first?.digest ?? .sha256
    let text = unsafe Self.digest(digest, of: certificate).map { Hex.text($0) } ?? "?"
    return Fault(.tlsCertificateWrongFingerprint, "\(digest.rawValue) \(text)")
  }

  func usageFault(_ certificate: OpaquePointer) -> Fault? {
    if let type = netscapeType, unsafe !Self.serves(certificate, as: type) {
      return Fault(.tlsCertificateWrongUsage, "ns-cert-type \(type.rawValue)")
    }
    if let wanted = keyUsages {
      guard let usage = unsafe Self.keyUsage(of: certificate) else {
        return Fault(.tlsCertificateWrongUsage, "it names no key usage")
      }
      // A value of no bits is in every usage, so it asks for nothing and fits nobody.
      if !wanted.isEmpty, !wanted.contains(where: { $0 != 0 && usage & $0 == $0 }) {
        return Fault(.tlsCertificateWrongUsage, "its key usage is \(Hex.text(usage))")
      }
    }
    if let wanted = extendedKeyUsage {
      let usages = unsafe Self.extendedKeyUsages(of: certificate)
      if !usages.contains(where: { $0.name == wanted || $0.number == wanted }) {
        let found = usages.isEmpty ? "none" : usages.map(\.name).joined(separator: ", ")
        return Fault(.tlsCertificateWrongUsage, "its extended key usage is \(found), wanted is \(wanted)")
      }
    }
    return nil
  }

  func nameFault(_ certificate: OpaquePointer) -> Fault? {
    guard let wanted = x509Name else { return nil }
    let actual: String
    switch x509NameKind {
    case .subject: actual = unsafe DistinguishedName.subject(of: certificate)
    case .name, .namePrefix:
      guard let name = unsafe DistinguishedName.username(of: certificate, fields: usernameFields) else {
        return Fault(.tlsCertificateWrongName, "it has no \(usernameFields.joined(separator: "_"))")
      }
      actual = name
    }
    // Compared byte by byte: String's == takes canonically equal spellings for the same. Every name begins with an
    // empty one.
    let matches =
      x509NameKind == .namePrefix
      ? actual.utf8.starts(with: wanted.utf8) : actual.utf8.elementsEqual(wanted.utf8)
    return matches && !wanted.isEmpty
      ? nil : Fault(.tlsCertificateWrongName, "it is \"\(actual)\", wanted is \"\(wanted)\"")
  }

  private static func digest(_ digest: Digest, of certificate: OpaquePointer) -> [UInt8]? {
    guard let method = unsafe EVP_get_digestbyname(digest.rawValue) else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard unsafe X509_digest(certificate, method, &bytes, &count) == 1 else { return nil }
    return Array(bytes.prefix(Int(count)))
  }

  /// The first octet of keyUsage; `nil` without the extension.
  private static func keyUsage(of certificate: OpaquePointer) -> UInt8? {
    let bits = unsafe X509_get_key_usage(certificate)
    return bits == .max ? nil : UInt8(truncatingIfNeeded: bits)
  }

  private static func extendedKeyUsages(of certificate: OpaquePointer) -> [(name: String, number: String)] {
    guard let list = unsafe X509_get_ext_d2i(certificate, NID_ext_key_usage, nil, nil) else { return [] }
    let stack = OpaquePointer(list)
    defer { unsafe EXTENDED_KEY_USAGE_free(stack) }
    return (0..<max(unsafe OPENSSL_sk_num(stack), 0)).compactMap { index in
      guard let object = unsafe OPENSSL_sk_value(stack, index) else { return nil }
      return unsafe (
        DistinguishedName.text(of: OpaquePointer(object), asNumber: false),
        DistinguishedName.text(of: OpaquePointer(object), asNumber: true)
      )
    }
  }

  /// `ns-cert-type`, which newer OpenVPN dropped: the purpose must fit, and either nsCertType or the extended key
  /// usage must say so expressly (cases O-16).
  private static func serves(_ certificate: OpaquePointer, as role: Role) -> Bool {
    let purpose = role == .server ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT
    guard unsafe X509_check_purpose(certificate, purpose, 0) == 1 else { return false }
    let type = unsafe adit_x509_netscape_type(certificate)
    if type >= 0 { return type & (role == .server ? NS_SSL_SERVER : NS_SSL_CLIENT) != 0 }
    let number = role == .server ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2"
    return unsafe extendedKeyUsages(of: certificate).contains { $0.number == number }
  }
}
