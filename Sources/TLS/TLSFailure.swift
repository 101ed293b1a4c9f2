internal import Base
internal import COpenSSL

/// Turns OpenSSL's error queue into the fault that a router owner can act on.
enum TLSFailure {
  static func fault(_ errors: [OpenSSLError], on connection: OpaquePointer, level: Int) -> Fault {
    guard let first = errors.first else { return Fault(.tlsFailed) }
    if let alert = first.receivedAlert {
      let sawHello = unsafe SSL_get_state(connection) != TLS_ST_CW_CLNT_HELLO
      return fault(ofAlert: alert, sawServerHello: sawHello, level: level)
    }
    if errors.contains(where: \.isWeakness) { return Fault(.tlsCertificateTooWeak, first.words) }
    if let version = errors.first(where: \.isVersion) {
      return Fault(.tlsProtocolVersion, "\(version.words)\(hint(level))")
    }
    if let cipher = errors.first(where: \.isCipher) { return Fault(.tlsNoSharedCipher, cipher.words) }
    return Fault(.tlsFailed, first.words)
  }

  /// - Parameter sawServerHello: a handshake failure straight after our hello means that nothing in it suited.
  static func fault(ofAlert alert: Int32, sawServerHello: Bool, level: Int) -> Fault {
    let words = unsafe String(cString: SSL_alert_desc_string_long(alert))
    switch alert {
    case SSL_AD_PROTOCOL_VERSION: return Fault(.tlsProtocolVersion, "\(words)\(hint(level))")
    case SSL_AD_INSUFFICIENT_SECURITY: return Fault(.tlsNoSharedCipher, words)
    case SSL_AD_HANDSHAKE_FAILURE where !sawServerHello: return Fault(.tlsNoSharedCipher, words)
    case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
      SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED,
      SSL_AD_CERTIFICATE_REQUIRED:
      return Fault(.tlsAlert, "it refuses our certificate (\(words))")
    default: return Fault(.tlsAlert, words)
    }
  }

  /// Level 0 is the only one at which OpenSSL 3 speaks TLS 1.0 and 1.1 (protocol.md section 16, trap 42).
  private static func hint(_ level: Int) -> String {
    level > 0 ? "; TLS 1.0 and 1.1 also need tls-cert-profile insecure" : ""
  }
}

extension OpenSSLError {
  /// Too small a key or too old a digest for the security level.
  var isWeakness: Bool {
    library == ERR_LIB_SSL
      && [SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL, SSL_R_CA_MD_TOO_WEAK].contains(reason)
  }

  var isVersion: Bool {
    library == ERR_LIB_SSL
      && [
        SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
        SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_UNSUPPORTED_SSL_VERSION,
        // TLS 1.0 and 1.1 were agreed on, and the level then forbids the digests they sign with.
        SSL_R_LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED,
      ].contains(reason)
  }

  var isCipher: Bool {
    library == ERR_LIB_SSL
      && [
        SSL_R_NO_SHARED_CIPHER, SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_WRONG_CIPHER_RETURNED,
        SSL_R_UNKNOWN_CIPHER_RETURNED, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_GROUPS, SSL_R_WRONG_CURVE,
      ].contains(reason)
  }
}
