import Base

/// Names of algorithms that exist in OpenVPN but not here, so that a message can tell them from typing errors (cases H-07).
enum AlgorithmNames {
  private static let weakCiphers: Set<String> = [
    "BF-CBC", "BF-CFB", "BF-OFB", "CAST5-CBC", "CAST5-CFB", "CAST5-OFB", "DES-CBC", "DES-CFB", "DES-OFB",
    "DES-EDE-CBC", "DES-EDE3-CBC", "DES-EDE3-CFB", "DES-EDE3-OFB", "DESX-CBC", "IDEA-CBC", "RC2-CBC", "RC2-40-CBC",
    "RC2-64-CBC", "RC5-CBC",
  ]
  private static let otherFamilies = ["ARIA-", "CAMELLIA-", "SEED-", "SM4-", "AES-"]
  private static let otherDigests: Set<String> = [
    "MD4", "MDC2", "MD5-SHA1", "RIPEMD160", "RMD160", "WHIRLPOOL", "BLAKE2B512", "BLAKE2S256", "SM3", "SHA3-224",
    "SHA3-256", "SHA3-384", "SHA3-512", "SHAKE128", "SHAKE256", "SHA512-224", "SHA512-256", "SHA512/224", "SHA512/256",
  ]

  static let available = DataCipher.allCases.map(\.rawValue).joined(separator: ", ")

  static func isKnownCipher(_ name: String) -> Bool {
    let name = name.uppercased()
    return weakCiphers.contains(name) || otherFamilies.contains(where: name.hasPrefix)
  }

  /// Why `name` cannot be used as a data cipher.
  static func cipherProblem(_ name: String) -> String {
    if name.lowercased() == "none" { return "a tunnel without encryption (`none`) is refused" }
    if weakCiphers.contains(name.uppercased()) {
      return
        "\(name.uppercased()) is a legacy cipher with 64-bit blocks (SWEET32) and not available; let the server offer"
        + " AES-256-GCM"
    }
    if isKnownCipher(name) { return "the cipher \(name.uppercased()) is not available; there are \(available)" }
    let near = NearestName.of(name.uppercased(), in: DataCipher.allCases.map(\.rawValue))
    return "unknown cipher `\(name)`" + (near.map { "; did you mean \($0)?" } ?? "; there are \(available)")
  }

  static func digestProblem(_ name: String) -> String {
    let all = Digest.allCases.map(\.rawValue)
    if otherDigests.contains(name.uppercased()) {
      return "the digest \(name.uppercased()) is not available; there are \(all.joined(separator: ", "))"
    }
    let near = NearestName.of(name.uppercased(), in: all)
    return "unknown digest `\(name)`" + (near.map { "; did you mean \($0)?" } ?? "")
  }
}
