package import Base
internal import COpenSSL

extension Digest {
  var shimValue: adit_digest {
    switch self {
    case .md5: ADIT_MD5
    case .sha1: ADIT_SHA1
    case .sha224: ADIT_SHA224
    case .sha256: ADIT_SHA256
    case .sha384: ADIT_SHA384
    case .sha512: ADIT_SHA512
    }
  }
}

/// HMAC (RFC 2104) under one key, reusable for any number of messages. Allocates only in `init` and `tag`.
@safe package struct MessageAuthenticator: ~Copyable {
  package let digest: Digest
  private let context: OpaquePointer

  package init(_ digest: Digest, key: some Collection<UInt8>) {
    self.digest = digest
    // Of full size from the start: growing would leave a copy of the key behind.
    var block = [UInt8](repeating: 0, count: digest.blockSize)
    if key.count > digest.blockSize {
      block.replaceSubrange(..<digest.size, with: digestOf(digest, Array(key)))
    } else {
      block.replaceSubrange(..<key.count, with: key)
    }
    guard let context = unsafe adit_hmac_new(digest.shimValue, block) else {
      preconditionFailure("no memory for an HMAC")
    }
    unsafe self.context = context
    block.wipe()
  }

  package init(_ digest: Digest, key: SecretBytes) {
    var exposed = key.exposed
    self.init(digest, key: exposed)
    exposed.wipe()
  }

  deinit { unsafe adit_hmac_free(context) }

  /// Bytes of a tag.
  package var size: Int { digest.size }

  /// The tag of the parts as if they were one message.
  package func tag(of parts: [[UInt8]]) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: size)
    unsafe adit_hmac_begin(context)
    for part in parts { unsafe adit_hmac_update(context, part, part.count) }
    unsafe adit_hmac_finish(context, &tag)
    return tag
  }

  /// The tag of one stretch of memory, `size` bytes at `tag`.
  package func authenticate(_ bytes: UnsafeRawPointer, count: Int, into tag: UnsafeMutableRawPointer) {
    unsafe adit_hmac_begin(context)
    unsafe adit_hmac_update(context, bytes, count)
    unsafe adit_hmac_finish(context, tag.assumingMemoryBound(to: UInt8.self))
  }
}
