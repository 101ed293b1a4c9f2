import Base

/// `data-ciphers`: names with `:` between them, `?` before one that may be missing, `DEFAULT` for the standard ones.
enum CipherList {
  static let standard: [DataCipher] = [.aes256GCM, .aes128GCM, .chacha20Poly1305]

  static func parse(_ text: String) throws(OptionProblem) -> [DataCipher] {
    var ciphers: [DataCipher] = []
    for word in text.split(separator: ":") {
      let isOptional = word.hasPrefix("?")
      let name = String(isOptional ? word.dropFirst() : word)
      if name == "DEFAULT" {
        for cipher in standard where !ciphers.contains(cipher) { ciphers.append(cipher) }
      } else if let cipher = DataCipher(name: name) {
        if !ciphers.contains(cipher) { ciphers.append(cipher) }
      } else if !isOptional {
        throw OptionProblem(AlgorithmNames.cipherProblem(name), argument: 0)
      }
    }
    guard !ciphers.isEmpty else { throw OptionProblem("no cipher is left of `\(text)`", argument: 0) }
    return ciphers
  }
}

/// `compat-mode`: the oldest version whose habits are wanted.
struct CompatibilityVersion: Comparable {
  var major: Int
  var minor: Int
  var patch: Int

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int(decimal: $0) }
    guard (1...3).contains(parts.count), let major = parts[0], major >= 0 else { return nil }
    self.major = major
    minor = parts.count > 1 ? parts[1] ?? -1 : 0
    patch = parts.count > 2 ? parts[2] ?? -1 : 0
    guard minor >= 0, patch >= 0 else { return nil }
  }

  init(_ major: Int, _ minor: Int, _ patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}

extension CompressionFraming {
  /// - Returns: `nil` when the option is none of these, or names an algorithm that does not exist here.
  init?(option name: String, mode: String?) {
    switch (name, mode) {
    case ("comp-lzo", nil), ("comp-lzo", "yes"), ("comp-lzo", "adaptive"), ("compress", "lzo"): self = .lzo
    case ("comp-lzo", "no"): self = .lzoStub
    case ("compress", nil), ("compress", "stub"): self = .stub
    case ("compress", "lz4"): self = .lz4
    case ("compress", "stub-v2"): self = .stubV2
    case ("compress", "lz4-v2"): self = .lz4V2
    case ("compress", "migrate"): self = .none
    default: return nil
    }
  }
}
