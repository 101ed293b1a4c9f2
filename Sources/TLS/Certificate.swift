internal import COpenSSL

/// One X.509 certificate, owned.
@safe final class Certificate {
  let raw: OpaquePointer

  init(adopting raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe X509_free(raw) }
}

/// One private key, owned.
@safe final class PrivateKey {
  let raw: OpaquePointer

  init(adopting raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe EVP_PKEY_free(raw) }
}

/// One revocation list, owned.
@safe final class RevocationList {
  let raw: OpaquePointer

  init(adopting raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe X509_CRL_free(raw) }
}
