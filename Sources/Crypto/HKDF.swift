package import Base

/// Key derivation of RFC 5869, the second of its two steps.
package enum HKDF {
  /// - Parameters:
  ///   - secret: uniformly random already, at least as long as the digest.
  ///   - count: at most 255 digests.
  package static func expand(_ digest: Digest, secret: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
    precondition(count <= 255 * digest.size)
    let authenticator = MessageAuthenticator(digest, key: secret)
    var result: [UInt8] = []
    // Reserved at once: growing would leave copies of key material behind.
    result.reserveCapacity(count + digest.size)
    var block: [UInt8] = []
    var number: UInt8 = 1
    while result.count < count {
      var next = authenticator.tag(of: [block, info, [number]])
      block.wipe()
      block = next
      result += next
      next.wipe()
      number &+= 1
    }
    block.wipe()
    result.removeLast(result.count - count)
    return SecretBytes(wiping: &result)
  }
}
