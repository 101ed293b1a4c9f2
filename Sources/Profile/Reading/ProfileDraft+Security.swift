import Base

extension ProfileDraft {
  // MARK: Data channel

  mutating func applyCiphers(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "cipher": try readCipher(line)
    case "data-ciphers", "ncp-ciphers":
      profile.dataCiphers = try CipherList.parse(line.arguments[0])
      namesDataCiphers = true
    case "ncp-disable": isNegotiationDisabled = true
    case "data-ciphers-fallback":
      guard let cipher = DataCipher(name: line.arguments[0]) else {
        throw OptionProblem(AlgorithmNames.cipherProblem(line.arguments[0]), argument: 0)
      }
      profile.dataCipherFallback = cipher
    case "auth":
      profile.auth = Digest(name: line.arguments[0])
      if profile.auth == nil {
        warn(line, "`auth none`: packets of a CBC cipher would not be authenticated", argument: 0)
      } else if profile.auth == .md5 {
        warn(line, "`auth MD5` is weak; let the server use SHA256", argument: 0)
      }
    case "comp-lzo", "compress":
      guard let framing = CompressionFraming(option: line.name, mode: line.text(0)) else {
        throw OptionProblem("`\(line.name)`: unknown algorithm", argument: 0)
      }
      profile.compression = framing == .none ? nil : framing
    case "allow-compression": allowCompressionWord = line.text(0)
    case "compat-mode":
      guard let version = CompatibilityVersion(line.arguments[0]) else {
        throw OptionProblem("`compat-mode` needs a version such as 2.4.0", argument: 0)
      }
      compatibility = version
    case "push-peer-info": profile.pushPeerInfo = true
    default: return false
    }
    return true
  }

  /// A cipher that does not exist here is no error yet: a server that negotiates never uses it (cases H-07).
  private mutating func readCipher(_ line: OptionLine) throws(OptionProblem) {
    let name = line.arguments[0]
    if let cipher = DataCipher(name: name) {
      profile.cipher = cipher
      return
    }
    guard name.lowercased() != "none", AlgorithmNames.isKnownCipher(name) else {
      throw OptionProblem(AlgorithmNames.cipherProblem(name), argument: 0)
    }
    profile.cipher = nil
    warn(
      line, AlgorithmNames.cipherProblem(name) + "; the tunnel works only when the server negotiates another one",
      argument: 0)
  }

  mutating func finishCiphers() {
    if let allowCompressionWord {
      profile.allowsCompression = allowCompressionWord != "no"
    } else if let compatibility, compatibility < CompatibilityVersion(2, 6, 0) {
      profile.allowsCompression = true
    } else {
      // Whoever asks for compression expects to be sent some; reading it is harmless, sending it would not be.
      profile.allowsCompression = profile.compression?.compresses == true
    }
    guard let cipher = profile.cipher else {
      guard isNegotiationDisabled, let location = location(of: "ncp-disable") else { return }
      if isGiven("cipher") {
        report(.error, location, "`ncp-disable` leaves only the `cipher` of this profile, which is not available")
      } else {
        report(.warning, location, "`ncp-disable` without `cipher` has no effect")
      }
      return
    }
    if isNegotiationDisabled {
      profile.dataCiphers = [cipher]
    } else if !namesDataCiphers || compatibility.map({ $0 < CompatibilityVersion(2, 5, 0) }) == true,
      !profile.dataCiphers.contains(cipher)
    {
      profile.dataCiphers.append(cipher)
    }
    if let compatibility, compatibility < CompatibilityVersion(2, 4, 0), profile.dataCipherFallback == nil {
      profile.dataCipherFallback = cipher
    }
  }

  // MARK: TLS

  mutating func applyTLS(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "tls-version-min": profile.tls.minimumVersion = line.text(0).flatMap(TLSVersion.init) ?? .v1_2
    case "tls-version-max": profile.tls.maximumVersion = line.text(0).flatMap(TLSVersion.init)
    case "tls-cipher": profile.tls.cipherList = try nameList(line)
    case "tls-ciphersuites": profile.tls.cipherSuites = try nameList(line)
    case "tls-groups": profile.tls.groups = try nameList(line)
    case "tls-cert-profile": profile.tls.certificateProfile = line.text(0).flatMap(CertificateProfile.init)
    default: return false
    }
    return true
  }

  private func nameList(_ line: OptionLine) throws(OptionProblem) -> String {
    let text = line.arguments[0]
    guard !text.isEmpty, text.utf8.allSatisfy({ (33...126).contains($0) }) else {
      throw OptionProblem("`\(line.name)` needs names with `:` between them", argument: 0)
    }
    return text
  }

  mutating func finishTLS() {
    if !isGiven("tls-version-min"), let compatibility, compatibility <= CompatibilityVersion(2, 3, 6) {
      profile.tls.minimumVersion = .v1_0
    }
    if let maximum = profile.tls.maximumVersion, maximum < profile.tls.minimumVersion {
      if isGiven("tls-version-min"), let location = location(of: "tls-version-max") {
        report(
          .error, location,
          "`tls-version-max \(maximum.name)` is below `tls-version-min \(profile.tls.minimumVersion.name)`")
      } else {
        profile.tls.minimumVersion = maximum
        if let location = location(of: "tls-version-max") {
          report(.warning, location, "TLS \(maximum.name) is all that is allowed; it is no longer safe")
        }
      }
    }
  }

  // MARK: Who we are

  mutating func applyIdentity(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "ca":
      profile.tls.authorities = [try KeyFile.checked(try line.content(), kind: .certificates, option: "ca")]
    case "cert":
      profile.tls.certificate = try KeyFile.checked(try line.content(), kind: .certificates, option: "cert")
    case "key": profile.tls.key = try KeyFile.checked(try line.content(), kind: .privateKey, option: "key")
    case "extra-certs":
      profile.tls.extraCertificates = try KeyFile.checked(
        try line.content(), kind: .certificates, option: "extra-certs")
    case "pkcs12": profile.tls.pkcs12 = try pkcs12(line)
    case "crl-verify":
      if line.text(1) == "dir" {
        throw OptionProblem("`crl-verify` of a directory is not supported; give a CRL file", argument: 1)
      }
      profile.tls.revocationLists.append(
        try KeyFile.checked(try line.content(), kind: .revocationLists, option: "crl-verify"))
    case "askpass":
      askpassLine = line
      if line.body != nil || !line.arguments.isEmpty { profile.tls.keyPassword = try firstLine(try line.content()) }
    case "auth-user-pass": try readCredentials(line)
    case "auth-retry": break
    case "auth-nocache": profile.authNoCache = true
    case "static-challenge":
      profile.staticChallenge = line.text(2) == "concat" ? .concatenated : .scrv1
    default: return false
    }
    return true
  }

  /// Binary from a file, base64 in a block.
  private func pkcs12(_ line: OptionLine) throws(OptionProblem) -> SecretBytes {
    let body = try line.content()
    var raw = body.exposed
    defer { raw.wipe() }
    // DER: a SEQUENCE with a long length.
    if raw.count > 2, raw[0] == 0x30, raw[1] >= 0x80 { return body }
    guard var decoded = Base64.bytes(raw), !decoded.isEmpty else {
      throw OptionProblem("pkcs12: neither a PKCS#12 file nor base64 of one")
    }
    defer { decoded.wipe() }
    return SecretBytes(decoded)
  }

  private func firstLine(_ body: SecretBytes) throws(OptionProblem) -> SecretBytes {
    var text = body.exposed
    defer { text.wipe() }
    let start = text.starts(with: WholeText.byteOrderMark) ? 3 : 0
    let line = text[start...].prefix { $0 != 10 && $0 != 13 }
    guard !line.isEmpty else { throw OptionProblem("askpass: the first line is empty; it must be the password") }
    guard line.count <= ProfileLimits.credentialBytes else {
      throw OptionProblem("askpass: the password is longer than \(ProfileLimits.credentialBytes) bytes")
    }
    return SecretBytes(line)
  }

  private mutating func readCredentials(_ line: OptionLine) throws(OptionProblem) {
    profile.wantsCredentials = true
    if line.body == nil, line.arguments.isEmpty || line.text(0) == "username-only" || line.text(0) == "stdin" { return }
    guard line.arguments.count < 2 || line.arguments[1] == "username-only" else {
      // Never quoted: it may be a password.
      throw OptionProblem(
        "`auth-user-pass` takes a file; user name and password stand in it, on two lines", argument: 1)
    }
    let source = line.arguments.first.map { "the file `\($0)`" } ?? "the block <auth-user-pass>"
    let (credentials, remark) = try CredentialsText.parse(try line.content(), source: source)
    profile.credentials = credentials
    if let remark { note(line, remark) }
  }
}
