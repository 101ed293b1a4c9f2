package import Base
internal import COpenSSL

extension Digest {
  /// OpenSSL's name for it; static, never to be freed.
  var algorithm: OpaquePointer? {
    switch self {
    case .md5: unsafe EVP_md5()
    case .sha1: unsafe EVP_sha1()
    case .sha224: unsafe EVP_sha224()
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }

  /// Bytes that the digest swallows at once; HMAC pads its key to it (RFC 2104).
  var blockSize: Int {
    switch self {
    case .md5, .sha1, .sha224, .sha256: 64
    case .sha384, .sha512: 128
    }
  }
}

package func digestOf(_ digest: Digest, _ bytes: [UInt8]) -> [UInt8] {
  var result = [UInt8](repeating: 0, count: digest.size)
  let done = unsafe EVP_Digest(bytes, bytes.count, &result, nil, digest.algorithm, nil)
  precondition(done == 1, "OpenSSL lacks a digest")
  return result
}
