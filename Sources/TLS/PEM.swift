internal import Base
internal import COpenSSL

/// Reads PEM text from memory.
///
/// Nothing here can ask a terminal for a password.
enum PEM {
  /// Every certificate of `text`; words around the blocks are ignored.
  ///
  /// - Parameter option: the word of the profile that `text` came from, for the fault.
  static func certificates(in text: SecretBytes, of option: String) throws(Fault) -> [Certificate] {
    try unsafe all(in: text, or: Fault(.certificateUnreadable, option)) { bio in
      unsafe PEM_read_bio_X509(bio, nil, refusePassword, nil).map { unsafe Certificate(adopting: $0) }
    }
  }

  /// Every list of `text`.
  ///
  /// OpenSSL passes over a block whose first line is damaged, and a list passed over lets in what it revokes: so the
  /// last lines are counted (cases O-45).
  static func revocationLists(in text: SecretBytes) throws(Fault) -> [RevocationList] {
    let lists = try unsafe all(in: text, or: Fault(.crlUnreadable)) { bio in
      unsafe PEM_read_bio_X509_CRL(bio, nil, refusePassword, nil).map { unsafe RevocationList(adopting: $0) }
    }
    var ends = 0
    var rest = text.exposed[...]
    while let end = rest.firstRange(of: "-----END X509 CRL-----") {
      ends += 1
      rest = rest[end.upperBound...]
    }
    guard lists.count == ends else {
      throw Fault(.crlUnreadable, "\(ends - lists.count) of \(ends) lists have no first line")
    }
    return lists
  }

  static func privateKey(in text: SecretBytes, password: SecretBytes?) throws(Fault) -> PrivateKey {
    defer { OpenSSLErrors.clear() }
    var request = PasswordRequest(password: password)
    let raw = unsafe withMemory(text) { bio in
      unsafe withUnsafeMutablePointer(to: &request) { request in
        unsafe PEM_read_bio_PrivateKey(bio, nil, givePassword, request)
      }
    }
    if let raw = unsafe raw { return unsafe PrivateKey(adopting: raw) }
    guard request.wasAsked else { throw Fault(.keyUnreadable) }
    if password == nil { throw Fault(.keyPasswordMissing) }
    // A good password with a cipher that is not here would read as a wrong one, which sends people the wrong way.
    if OpenSSLErrors.take().contains(where: \.isUnsupportedAlgorithm) {
      throw Fault(.keyUnreadable, "its encryption needs OpenSSL's legacy provider")
    }
    throw Fault(.keyPasswordWrong)
  }

  /// Runs `body` on a read-only BIO over `bytes`.
  static func withMemory<Result>(_ bytes: SecretBytes, _ body: (OpaquePointer) -> Result?) -> Result? {
    unsafe bytes.withBytes { buffer in
      guard let count = Int32(exactly: buffer.count), let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, count) else {
        return nil
      }
      defer { unsafe BIO_free(bio) }
      return unsafe body(bio)
    }
  }

  /// Reads objects until no further block begins.
  ///
  /// A block that begins and cannot be read fails the whole text.
  private static func all<Object>(
    in text: SecretBytes, or fault: Fault, read: (OpaquePointer) -> Object?
  ) throws(Fault) -> [Object] {
    OpenSSLErrors.clear()
    defer { OpenSSLErrors.clear() }
    var found: [Object] = []
    let ended = unsafe withMemory(text) { bio in
      while let one = unsafe read(bio) { found.append(one) }
      let last = OpenSSLError(code: ERR_peek_last_error())
      return last.library == ERR_LIB_PEM && last.reason == PEM_R_NO_START_LINE
    }
    guard ended == true, !found.isEmpty else { throw fault }
    return found
  }
}

/// What the password callback reads and writes.
private struct PasswordRequest {
  var password: SecretBytes?
  var wasAsked = false
}

private func refusePassword(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }

private func givePassword(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let buffer = unsafe buffer, let argument = unsafe argument else { return -1 }
  let request = unsafe argument.assumingMemoryBound(to: PasswordRequest.self)
  unsafe request.pointee.wasAsked = true
  guard let password = unsafe request.pointee.password, password.count <= size else { return -1 }
  unsafe password.withBytes { bytes in
    if let start = bytes.baseAddress {
      unsafe UnsafeMutableRawPointer(buffer).copyMemory(from: start, byteCount: bytes.count)
    }
  }
  return Int32(clamping: password.count)
}
