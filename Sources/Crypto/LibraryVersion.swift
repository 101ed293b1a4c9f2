internal import COpenSSL

/// The OpenSSL that this program is linked with, as it names itself.
package enum LibraryVersion {
  package static var openSSL: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
