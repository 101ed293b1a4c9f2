internal import COpenSSL

/// One entry of OpenSSL's error queue.
struct OpenSSLError: Hashable {
  var code: UInt

  var library: Int32 { ERR_GET_LIB(code) }
  var reason: Int32 { ERR_GET_REASON(code) }

  /// OpenSSL's own words, `unsupported protocol`.
  var words: String {
    guard let text = unsafe ERR_reason_error_string(code) else { return "error \(String(code, radix: 16))" }
    return unsafe String(cString: text)
  }

  /// The number of the TLS alert that the peer sent, if this error is one.
  var receivedAlert: Int32? {
    library == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256
      ? reason - SSL_AD_REASON_OFFSET : nil
  }

  /// What OpenSSL 3 says when an algorithm lives in the legacy provider.
  var isUnsupportedAlgorithm: Bool {
    reason == ERR_R_UNSUPPORTED || (library == ERR_LIB_EVP && reason == EVP_R_UNSUPPORTED_ALGORITHM)
      || (library == ERR_LIB_EVP && reason == EVP_R_UNKNOWN_PBE_ALGORITHM)
  }
}

enum OpenSSLErrors {
  /// Everything queued, oldest first; the queue is empty afterwards.
  static func take() -> [OpenSSLError] {
    var errors: [OpenSSLError] = []
    while true {
      let code = ERR_get_error()
      if code == 0 { return errors }
      errors.append(OpenSSLError(code: code))
    }
  }

  static func clear() { ERR_clear_error() }
}
