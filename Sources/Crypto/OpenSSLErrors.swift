internal import COpenSSL

/// OpenSSL keeps reasons of failures in a queue per thread.
///
/// Whoever fails and does not read the queue must empty it, or the next reader (TLS) blames itself for it.
func forgetOpenSSLErrors() { ERR_clear_error() }
