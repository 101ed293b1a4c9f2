import COpenSSL

/// A TLS 1.2 server without any certificate, which our own context cannot be made to be.
final class AnonymousServer {
  private let context: OpaquePointer
  private let connection: OpaquePointer
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer

  init?() {
    guard let context = SSL_CTX_new(TLS_server_method()), let connection = SSL_new(context),
      let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem())
    else { return nil }
    adit_tls_server_options(context)
    SSL_set_cipher_list(connection, "aNULL:@SECLEVEL=0")
    SSL_set_bio(connection, incoming, outgoing)
    SSL_set_accept_state(connection)
    (self.context, self.connection, self.incoming, self.outgoing) = (context, connection, incoming, outgoing)
  }

  deinit {
    SSL_free(connection)
    SSL_CTX_free(context)
  }

  /// True once the handshake is done.
  func take(_ bytes: [UInt8]) -> Bool {
    if !bytes.isEmpty { BIO_write(incoming, bytes, Int32(bytes.count)) }
    return SSL_do_handshake(connection) == 1
  }

  func give() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(outgoing))
    let count = BIO_read(outgoing, &bytes, Int32(bytes.count))
    return Array(bytes.prefix(Int(max(count, 0))))
  }
}
