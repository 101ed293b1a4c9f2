package import Base
internal import COpenSSL

/// What `adit check` says about a certificate.
package struct CertificateFacts: Hashable, Sendable {
  /// As OpenVPN prints names: `C=KG, CN=Server-1`.
  package var subject: String
  package var issuer: String
  /// Hexadecimal.
  package var serial: String
  package var notBefore: WallTime?
  package var notAfter: WallTime?
  /// OpenSSL's name of the kind of key: `RSA`, `EC`, `ED25519`.
  package var keyType: String
  package var keyBits: Int

  /// Reads every certificate of a PEM text.
  ///
  /// - Parameter option: where the text comes from, for the fault.
  package static func read(pem: SecretBytes, of option: String) throws(Fault) -> [CertificateFacts] {
    try PEM.certificates(in: pem, of: option).map { CertificateFacts($0) }
  }

  init(_ certificate: Certificate) { unsafe self.init(of: certificate.raw) }

  init(of raw: OpaquePointer) {
    unsafe subject = DistinguishedName.subject(of: raw)
    unsafe issuer = DistinguishedName.issuer(of: raw)
    unsafe serial = DistinguishedName.serial(of: raw) ?? "?"
    unsafe notBefore = Self.time(X509_get0_notBefore(raw))
    unsafe notAfter = Self.time(X509_get0_notAfter(raw))
    if let key = unsafe X509_get0_pubkey(raw) {
      unsafe keyType = EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "?"
      unsafe keyBits = Int(EVP_PKEY_get_bits(key))
    } else {
      keyType = "?"
      keyBits = 0
    }
  }

  static func time(_ time: UnsafePointer<ASN1_TIME>?) -> WallTime? {
    guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
    defer { unsafe ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return WallTime(seconds: Int64(days) * 86_400 + Int64(seconds))
  }
}
