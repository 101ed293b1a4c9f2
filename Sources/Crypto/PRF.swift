package import Base

/// The pseudo-random function of TLS 1.0 (RFC 2246 section 5), which OpenVPN's own key exchange uses.
package enum PRF {
  /// - Parameter seed: the label (without NUL) and what follows it.
  package static func tls1(secret: SecretBytes, seed: [UInt8], count: Int) -> SecretBytes {
    // An odd secret shares its middle byte between both halves.
    let half = (secret.count + 1) / 2
    var result = expand(.md5, secret: secret.slice(0..<half), seed: seed, count: count)
    var other = expand(.sha1, secret: secret.slice(secret.count - half..<secret.count), seed: seed, count: count)
    for index in result.indices { result[index] ^= other[index] }
    other.wipe()
    return SecretBytes(wiping: &result)
  }

  private static func expand(_ digest: Digest, secret: SecretBytes, seed: [UInt8], count: Int) -> [UInt8] {
    let authenticator = MessageAuthenticator(digest, key: secret)
    var result: [UInt8] = []
    // Reserved at once: growing would leave copies of key material behind.
    result.reserveCapacity(count + digest.size)
    var chain = seed
    while result.count < count {
      chain = authenticator.tag(of: [chain])
      var block = authenticator.tag(of: [chain, seed])
      result += block
      block.wipe()
    }
    chain.wipe()
    result.removeLast(result.count - count)
    return result
  }
}
