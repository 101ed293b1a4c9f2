import Base
import COpenSSL

/// A certificate with its key, never changed once made; OpenSSL locks what it caches in it.
package final class TestCertificate: @unchecked Sendable {
  package let key: TestKey
  let raw: OpaquePointer

  /// - Parameter issuer: `nil` signs it with its own key.
  package init(_ request: CertificateRequest, issuer: TestCertificate? = nil) {
    guard let raw = X509_new() else { preconditionFailure("no memory") }
    self.raw = raw
    key = TestKey(request.key)
    X509_set_version(raw, 2)
    var random: [UInt8] = [0, 0, 0, 0, 0, 0]
    RAND_bytes(&random, Int32(random.count))
    let serial = random.reduce(Int(1)) { $0 << 8 | Int($1) }
    ASN1_INTEGER_set(X509_get_serialNumber(raw), serial)
    ASN1_TIME_set(X509_getm_notBefore(raw), time_t(request.notBefore.seconds))
    ASN1_TIME_set(X509_getm_notAfter(raw), time_t(request.notAfter.seconds))
    for (field, value) in request.subject {
      // Counted, so that a value may hold a NUL.
      let bytes = Array(value.utf8)
      X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0)
    }
    X509_set_issuer_name(raw, X509_get_subject_name(issuer?.raw ?? raw))
    X509_set_pubkey(raw, key.raw)
    add(NID_basic_constraints, request.isAuthority ? "critical,CA:TRUE" : "CA:FALSE", issuer)
    add(NID_subject_key_identifier, "hash", issuer)
    add(NID_key_usage, request.keyUsage, issuer)
    add(NID_ext_key_usage, request.extendedKeyUsage, issuer)
    add(NID_netscape_cert_type, request.netscapeType, issuer)
    add(NID_subject_alt_name, request.alternativeName, issuer)
    let digest = request.key == .ed25519 && issuer == nil ? nil : EVP_get_digestbyname(request.digest)
    precondition(X509_sign(raw, (issuer?.key ?? key).raw, digest) > 0)
  }

  deinit { X509_free(raw) }

  package static func authority(_ request: CertificateRequest = .authority()) -> TestCertificate {
    TestCertificate(request)
  }

  package func issue(_ request: CertificateRequest) -> TestCertificate { TestCertificate(request, issuer: self) }

  package var pem: SecretBytes { SecretBytes(writing { PEM_write_bio_X509($0, raw) }) }

  package func fingerprint(_ digest: Digest = .sha256) -> ServerChecks.Fingerprint {
    var bytes = [UInt8](repeating: 0, count: digest.size)
    precondition(X509_digest(raw, EVP_get_digestbyname(digest.rawValue), &bytes, nil) == 1)
    return ServerChecks.Fingerprint(digest: digest, bytes: bytes)
  }

  /// A revocation list of this authority, in PEM.
  package func revocationList(
    of revoked: [TestCertificate] = [], from: WallTime = TestTime.days(-1), until: WallTime = TestTime.days(30)
  ) -> SecretBytes {
    guard let list = X509_CRL_new() else { preconditionFailure("no memory") }
    defer { X509_CRL_free(list) }
    X509_CRL_set_version(list, 1)
    X509_CRL_set_issuer_name(list, X509_get_subject_name(raw))
    let start = ASN1_TIME_set(nil, time_t(from.seconds))
    let end = ASN1_TIME_set(nil, time_t(until.seconds))
    defer {
      ASN1_STRING_free(start)
      ASN1_STRING_free(end)
    }
    X509_CRL_set1_lastUpdate(list, start)
    X509_CRL_set1_nextUpdate(list, end)
    for certificate in revoked {
      let entry = X509_REVOKED_new()
      X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate.raw))
      X509_REVOKED_set_revocationDate(entry, start)
      X509_CRL_add0_revoked(list, entry)
    }
    X509_CRL_sort(list)
    precondition(X509_CRL_sign(list, key.raw, EVP_sha256()) > 0)
    return SecretBytes(writing { PEM_write_bio_X509_CRL($0, list) })
  }

  /// DER of a PKCS#12 file with this certificate, its key and `others`.
  package func pkcs12(password: String, others: [TestCertificate] = []) -> SecretBytes {
    let stack = OPENSSL_sk_new_null()
    for other in others { OPENSSL_sk_push(stack, UnsafeRawPointer(other.raw)) }
    defer { OPENSSL_sk_free(stack) }
    let file = PKCS12_create(password, "adit", key.raw, raw, stack, 0, 0, 0, 0, 0)
    precondition(file != nil)
    defer { PKCS12_free(file) }
    return SecretBytes(writing { i2d_PKCS12_bio($0, file) })
  }

  private func add(_ kind: Int32, _ value: String?, _ issuer: TestCertificate?) {
    guard let value else { return }
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer?.raw ?? raw, raw, nil, nil, 0)
    let made = X509V3_EXT_conf_nid(nil, &context, kind, value)
    precondition(made != nil, value)
    X509_add_ext(raw, made, -1)
    X509_EXTENSION_free(made)
  }
}
