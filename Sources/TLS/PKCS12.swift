internal import Base
internal import COpenSSL

/// The content of a PKCS#12 file.
struct PKCS12Content {
  var certificate: Certificate?
  var key: PrivateKey?
  /// In file order, the leaf not among them.
  var others: [Certificate] = []

  /// The empty password comes first: most files of providers have none (protocol.md section 5.2).
  static func read(_ der: SecretBytes, password: SecretBytes?) throws(Fault) -> PKCS12Content {
    OpenSSLErrors.clear()
    defer { OpenSSLErrors.clear() }
    guard let file = unsafe PEM.withMemory(der, { bio in unsafe d2i_PKCS12_bio(bio, nil) }) else {
      throw Fault(.pkcs12Unreadable)
    }
    defer { unsafe PKCS12_free(file) }
    OpenSSLErrors.clear()
    if let content = unsafe open(file, password: [0]) { return content }
    var errors = OpenSSLErrors.take()
    if let password, isPasswordRefused(errors) {
      // Appending the NUL would leave a copy behind.
      var text = [UInt8](repeating: 0, count: password.count + 1)
      defer { text.wipe() }
      unsafe password.withBytes { bytes in unsafe text.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) } }
      if let content = unsafe open(file, password: text) { return content }
      errors = OpenSSLErrors.take()
    }
    if errors.contains(where: \.isUnsupportedAlgorithm) { throw Fault(.pkcs12NeedsLegacy) }
    guard isPasswordRefused(errors) else { throw Fault(.pkcs12Unreadable) }
    throw Fault(password == nil ? .keyPasswordMissing : .keyPasswordWrong, "pkcs12")
  }

  private static func isPasswordRefused(_ errors: [OpenSSLError]) -> Bool {
    errors.contains { $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_MAC_VERIFY_FAILURE }
  }

  /// - Parameter password: with the NUL that ends it.
  private static func open(_ file: OpaquePointer, password: [UInt8]) -> PKCS12Content? {
    var key: OpaquePointer? = nil
    var certificate: OpaquePointer? = nil
    var others: OpaquePointer? = nil
    let isOpen = unsafe password.withUnsafeBytes { bytes in
      unsafe PKCS12_parse(
        file, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), &key, &certificate, &others) == 1
    }
    guard isOpen else { return nil }
    var content = PKCS12Content()
    content.key = unsafe key.map { unsafe PrivateKey(adopting: $0) }
    content.certificate = unsafe certificate.map { unsafe Certificate(adopting: $0) }
    // PKCS12_parse hands the bag over back to front.
    while let next = unsafe OPENSSL_sk_pop(others) {
      unsafe content.others.append(Certificate(adopting: OpaquePointer(next)))
    }
    unsafe OPENSSL_sk_free(others)
    return content
  }
}
