import Base

extension ProfileDraft {
  private static let serverUsage = "TLS Web Server Authentication"
  private static let clientUsage = "TLS Web Client Authentication"

  mutating func applyServerChecks(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "remote-cert-tls":
      profile.tls.checks.keyUsages = []
      profile.tls.checks.extendedKeyUsage = line.text(0) == "server" ? Self.serverUsage : Self.clientUsage
      if line.text(0) == "client" {
        warn(
          line, "`remote-cert-tls client` asks the server for a client's certificate; `server` is meant nearly always",
          argument: 0)
      }
    case "remote-cert-ku": profile.tls.checks.keyUsages = try keyUsages(line)
    case "remote-cert-eku": profile.tls.checks.extendedKeyUsage = line.arguments[0]
    case "ns-cert-type": profile.tls.checks.netscapeType = line.text(0) == "server" ? .server : .client
    case "verify-x509-name": try readName(line)
    case "tls-remote": try readOldName(line)
    case "x509-username-field": profile.tls.checks.usernameFields = line.arguments
    case "peer-fingerprint":
      profile.tls.checks.peerFingerprints += try fingerprints(line, digest: .sha256)
    case "verify-hash":
      // On the command line the digest is SHA-1 unless it says otherwise; in a block it is SHA-256.
      let named = line.text(1).map { Digest(name: $0) }
      if let named, named == nil { throw OptionProblem(AlgorithmNames.digestProblem(line.arguments[1]), argument: 1) }
      let digest = (named ?? nil) ?? (line.body == nil ? .sha1 : .sha256)
      profile.tls.checks.issuerFingerprints += try fingerprints(line, digest: digest)
    default: return false
    }
    return true
  }

  private func keyUsages(_ line: OptionLine) throws(OptionProblem) -> [UInt8] {
    var usages: [UInt8] = []
    for (index, text) in line.arguments.enumerated() {
      let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
      guard (1...4).contains(digits.utf8.count), digits.first != "+", let value = UInt16(digits, radix: 16) else {
        throw OptionProblem("`\(text)` is not a key usage in hexadecimal, such as a0", argument: index)
      }
      // Only the first octet of the extension counts; values of two octets carry it in front.
      usages.append(value > 0xff ? UInt8(value >> 8) : UInt8(value))
    }
    return usages
  }

  private mutating func readName(_ line: OptionLine) throws(OptionProblem) {
    guard !line.arguments[0].isEmpty else { throw OptionProblem("`verify-x509-name` needs a name", argument: 0) }
    profile.tls.checks.x509Name = line.arguments[0]
    profile.tls.checks.x509NameKind = line.text(1).flatMap(ServerChecks.NameKind.init) ?? .subject
    if profile.tls.checks.x509NameKind == .subject, !line.arguments[0].contains("=") {
      warn(
        line,
        "`verify-x509-name` without a kind compares the whole subject (`C=…, CN=…`); for the name alone add `name`",
        argument: 0)
    }
  }

  /// A subject in the old form with slashes, in the new one, or the beginning of the common name (cases O-16).
  private mutating func readOldName(_ line: OptionLine) throws(OptionProblem) {
    let name = line.arguments[0]
    // Every name begins with nothing: this would check no name at all.
    guard name.contains(where: { $0 != "/" && $0 != "=" }) else {
      throw OptionProblem("`tls-remote` needs a name", argument: 0)
    }
    if name.hasPrefix("/"), name.contains("=") {
      profile.tls.checks.x509Name = name.split(separator: "/").joined(separator: ", ")
      profile.tls.checks.x509NameKind = .subject
    } else {
      profile.tls.checks.x509Name = name
      profile.tls.checks.x509NameKind = name.contains("=") ? .subject : .namePrefix
    }
  }

  private func fingerprints(_ line: OptionLine, digest: Digest) throws(OptionProblem) -> [ServerChecks.Fingerprint] {
    var texts = line.name == "verify-hash" ? Array(line.arguments.prefix(1)) : line.arguments
    if let body = line.body {
      texts = String(decoding: body.exposed, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { row in
        let bytes = Array(row.utf8)[...].prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ";") }
        let trimmed = String(decoding: bytes.trimmingBlanks, as: UTF8.self)
        return trimmed.isEmpty ? nil : trimmed
      }
    }
    guard !texts.isEmpty else { throw OptionProblem("`\(line.name)` has no fingerprint") }
    var result: [ServerChecks.Fingerprint] = []
    for (index, text) in texts.enumerated() {
      let digits = text.split(separator: ":", omittingEmptySubsequences: false)
      guard let bytes = Hex.bytes(digits.joined()), bytes.count == digest.size,
        digits.count == 1 || digits.allSatisfy({ $0.utf8.count == 2 })
      else {
        throw OptionProblem(
          "`\(line.name)`: not a \(digest.rawValue) fingerprint (\(digest.size) bytes as AA:BB:…)",
          argument: line.body == nil ? index : nil)
      }
      result.append(ServerChecks.Fingerprint(digest: digest, bytes: bytes))
    }
    return result
  }
}
