internal import Base
internal import COpenSSL

/// Judges the peer's chain: OpenSSL's own verification first, then what the profile asks (protocol.md section 5.3).
struct PeerVerification {
  let checks: ServerChecks

  init(_ options: TLSOptions) { checks = options.checks }

  /// - Returns: why the peer is refused; the store then carries the error that picks the alert.
  func judge(_ store: OpaquePointer, hasAuthorities: Bool) -> Fault? {
    let fault = unsafe verdict(store, hasAuthorities: hasAuthorities)
    if fault == nil {
      unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
    } else if unsafe X509_STORE_CTX_get_error(store) == X509_V_OK {
      unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
    }
    return fault
  }

  private func verdict(_ store: OpaquePointer, hasAuthorities: Bool) -> Fault? {
    guard let leaf = unsafe X509_STORE_CTX_get0_cert(store) else { return Fault(.tlsCertificateUntrusted) }
    if hasAuthorities {
      unsafe X509_STORE_CTX_set_verify_cb(store, passMissingRevocationList)
      if unsafe X509_verify_cert(store) != 1 { return unsafe Self.fault(of: store, leaf: leaf) }
    } else if checks.peerFingerprints.isEmpty {
      // Without a CA only a pinned fingerprint can vouch for anybody.
      return Fault(.tlsCertificateUntrusted)
    }
    let issuer = unsafe OPENSSL_sk_value(X509_STORE_CTX_get0_chain(store), 1)
    if !checks.issuerFingerprints.isEmpty {
      // A chain of one has nobody at depth 1, so the pin cannot be met.
      guard let issuer = unsafe issuer else { return Fault(.tlsCertificateWrongFingerprint, "no issuer") }
      if let fault = unsafe checks.fingerprintFault(OpaquePointer(issuer), checks.issuerFingerprints) { return fault }
    }
    if !checks.peerFingerprints.isEmpty, let fault = unsafe checks.fingerprintFault(leaf, checks.peerFingerprints) {
      return fault
    }
    return unsafe checks.usageFault(leaf) ?? checks.nameFault(leaf)
  }

  private static func fault(of store: OpaquePointer, leaf: OpaquePointer) -> Fault {
    let error = unsafe X509_STORE_CTX_get_error(store)
    let culprit = unsafe X509_STORE_CTX_get_current_cert(store) ?? leaf
    let words = unsafe String(cString: X509_verify_cert_error_string(Int(error)))
    return unsafe Fault(code(of: error), "\(DistinguishedName.subject(of: culprit)) (\(words))")
  }

  static func code(of error: Int32) -> Fault.Code {
    switch error {
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD: .tlsCertificateExpired
    case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD: .tlsCertificateNotYetValid
    case X509_V_ERR_CERT_REVOKED: .tlsCertificateRevoked
    case X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID, X509_V_ERR_CRL_SIGNATURE_FAILURE,
      X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE, X509_V_ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD,
      X509_V_ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD, X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER,
      X509_V_ERR_KEYUSAGE_NO_CRL_SIGN, X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION, X509_V_ERR_DIFFERENT_CRL_SCOPE,
      X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
      .crlUnusable
    case X509_V_ERR_INVALID_PURPOSE: .tlsCertificateWrongUsage
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .tlsCertificateTooWeak
    default: .tlsCertificateUntrusted
    }
  }
}

/// An issuer without a revocation list is accepted (protocol.md section 5.3, crl-verify); every other error stands.
private func passMissingRevocationList(_ ok: Int32, _ store: OpaquePointer?) -> Int32 {
  if ok == 1 { return 1 }
  return unsafe X509_STORE_CTX_get_error(store) == X509_V_ERR_UNABLE_TO_GET_CRL ? 1 : 0
}
