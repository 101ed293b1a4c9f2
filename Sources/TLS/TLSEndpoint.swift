package import Base
internal import COpenSSL

/// One TLS connection in memory: ciphertext in and out as bytes, never a socket.
///
/// Drive it as `receive`, `advance`, `read`, `drain`. After a failure `drain` still gives the alert for the peer.
@safe package struct TLSEndpoint: ~Copyable {
  package enum Progress: Hashable, Sendable { case handshaking, established, failed(Fault) }

  package struct Summary: Hashable, Sendable {
    /// `TLSv1.3`.
    package var version: String
    package var cipher: String
    /// The peer's; empty without a peer certificate.
    package var subject: String
    package var notAfter: WallTime?
  }

  /// Also keeps the callback's target alive for as long as the connection can call it.
  private let context: TLSContext
  private let connection: OpaquePointer
  /// Both are owned by `connection`.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private var progress = Progress.handshaking
  private var messages: [[UInt8]] = []

  /// - Parameter wallTime: the time the peer's certificate is judged at, where the context's is no longer the present.
  package init(_ context: TLSContext, wallTime: WallTime? = nil) throws(Fault) {
    OpenSSLErrors.clear()
    guard let connection = unsafe SSL_new(context.raw) else { throw Fault(.internalError, "SSL_new") }
    guard let incoming = unsafe BIO_new(BIO_s_mem()) else {
      unsafe SSL_free(connection)
      throw Fault(.internalError, "BIO_new")
    }
    guard let outgoing = unsafe BIO_new(BIO_s_mem()) else {
      unsafe BIO_free(incoming)
      unsafe SSL_free(connection)
      throw Fault(.internalError, "BIO_new")
    }
    unsafe SSL_set_bio(connection, incoming, outgoing)
    if let wallTime { unsafe X509_VERIFY_PARAM_set_time(SSL_get0_param(connection), time_t(wallTime.seconds)) }
    switch context.role {
    case .client: unsafe SSL_set_connect_state(connection)
    case .server: unsafe SSL_set_accept_state(connection)
    }
    self.context = context
    unsafe self.connection = connection
    unsafe self.incoming = incoming
    unsafe self.outgoing = outgoing
  }

  deinit { unsafe SSL_free(connection) }

  /// Takes ciphertext from the control channel, cut anywhere.
  package mutating func receive(_ bytes: [UInt8]) {
    if case .failed = progress { return }
    guard !bytes.isEmpty, let count = Int32(exactly: bytes.count) else { return }
    if unsafe BIO_write(incoming, bytes, count) != count { fail(Fault(.internalError, "BIO_write")) }
  }

  /// Does what can be done with the bytes that are here.
  package mutating func advance() -> Progress {
    if progress == .handshaking { shakeHands() }
    if progress == .established { collect() }
    return progress
  }

  /// Writes one message as one record, as the peer's reader wants it (protocol.md section 5.1).
  package mutating func write(_ message: [UInt8]) -> Bool {
    guard progress == .established, !message.isEmpty, message.count <= Self.largestRecord else { return false }
    OpenSSLErrors.clear()
    let written = unsafe SSL_write(connection, message, Int32(message.count))
    if written == Int32(message.count) { return true }
    fail(Fault(.tlsFailed, OpenSSLErrors.take().first?.words))
    return false
  }

  /// Gives the plaintext that came in, one element per record.
  package mutating func read() -> [[UInt8]] {
    let result = messages
    messages = []
    return result
  }

  /// Bytes waiting for `drain`.
  package var pendingOutput: Int { unsafe MemoryBIO.pending(outgoing) }

  /// Gives ciphertext for the peer.
  package mutating func drain(atMost limit: Int) -> [UInt8] { unsafe MemoryBIO.read(outgoing, atMost: limit) }

  /// Exports keying material without a context (RFC 5705, protocol.md section 5.4); `nil` before the handshake is done.
  package func exportKey(label: String, count: Int) -> SecretBytes? {
    guard progress == .established, count > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    defer { bytes.wipe() }
    let done = unsafe SSL_export_keying_material(connection, &bytes, count, label, label.utf8.count, nil, 0, 0)
    OpenSSLErrors.clear()
    return done == 1 ? SecretBytes(bytes) : nil
  }

  /// What was agreed; `nil` before the handshake is done.
  package var summary: Summary? {
    guard progress == .established else { return nil }
    let peer = unsafe SSL_get0_peer_certificate(connection)
    let cipher = unsafe SSL_CIPHER_get_name(SSL_get_current_cipher(connection))
    return unsafe Summary(
      version: String(cString: SSL_get_version(connection)), cipher: cipher.map { unsafe String(cString: $0) } ?? "",
      subject: peer.map { unsafe DistinguishedName.subject(of: $0) } ?? "",
      notAfter: peer.flatMap { unsafe CertificateFacts.time(X509_get0_notAfter($0)) })
  }

  /// RFC 8446 section 5.1.
  private static let largestRecord = 16_384

  private mutating func shakeHands() {
    OpenSSLErrors.clear()
    let result = unsafe SSL_do_handshake(connection)
    guard result == 1 else { return note(unsafe SSL_get_error(connection, result)) }
    // A handshake without a certificate never asks the verification; no suite that we offer has one.
    if context.role == .client, unsafe SSL_get0_peer_certificate(connection) == nil {
      return fail(Fault(.tlsCertificateUntrusted, "the server showed none"))
    }
    progress = .established
  }

  private mutating func collect() {
    // Passwords and tokens come through here.
    var record = [UInt8](repeating: 0, count: Self.largestRecord)
    defer { record.wipe() }
    while progress == .established {
      OpenSSLErrors.clear()
      let count = unsafe SSL_read(connection, &record, Int32(Self.largestRecord))
      guard count > 0 else { return note(unsafe SSL_get_error(connection, count)) }
      messages.append(Array(record.prefix(Int(count))))
    }
  }

  private mutating func note(_ error: Int32) {
    switch error {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
    case SSL_ERROR_ZERO_RETURN: fail(Fault(.tlsAlert, "close notify"))
    default:
      let refusal = context.takeRefusal()
      fail(unsafe refusal ?? TLSFailure.fault(OpenSSLErrors.take(), on: connection, level: context.securityLevel))
    }
  }

  private mutating func fail(_ fault: Fault) {
    OpenSSLErrors.clear()
    if case .failed = progress { return }
    progress = .failed(fault)
  }
}
