package import Base

extension Profile {
  /// What `parse` makes of an option whose file nobody has read in.
  package enum FileExpectation: Hashable, Sendable {
    /// An error: "was not read".
    case mustBeRead
    /// Taken as given: whoever read the files has reported it already, as `adit check` does.
    case mayBeUnread
  }

  /// - Parameters:
  ///   - lines: of one profile, files read in (`inliningFiles`), keys of a settings section behind them.
  ///   - ignoringUnknown: unknown options are warned about only.
  /// - Returns: all problems at once; the profile is `nil` when one of them is an error.
  package static func parse(
    _ lines: [OptionLine], ignoringUnknown: Bool = false, files: FileExpectation = .mustBeRead
  ) -> (profile: Profile?, diagnostics: [Diagnostic]) {
    var draft = ProfileDraft(ignoringUnknown: ignoringUnknown, files: files)
    draft.read(lines)
    draft.finish(file: lines.first?.location.file ?? "", namesServer: lines.contains { $0.name == "remote" })
    let diagnostics = draft.findings.all
    return (diagnostics.hasErrors ? nil : draft.profile, diagnostics)
  }
}

extension ProfileDraft {
  /// What only the whole can tell.
  /// - Parameter namesServer: there is a `remote`, be it a damaged one that is reported already.
  mutating func finish(file: String, namesServer: Bool) {
    let whole = SourceLocation(file: file)
    finishRemotes()
    finishCiphers()
    finishTLS()
    finishTunnel()
    finishDNS()
    finishIdentity(whole)
    finishServerChecks(whole)
    if profile.remotes.isEmpty, !isGiven("proto-force"), !namesServer {
      report(.error, whole, "no `remote`: there is no server to connect to")
    }
    if !saysClient {
      report(
        saysTLSClient ? .note : .warning, whole,
        "neither `client` nor `pull`: Adit asks the server for its settings anyway")
    }
  }

  private mutating func finishIdentity(_ whole: SourceLocation) {
    let tls = profile.tls
    func hasOrAwaits(_ value: SecretBytes?, _ name: String) -> Bool {
      value != nil || unread.contains(name) || isGiven(name)
    }
    let hasCertificate = hasOrAwaits(tls.certificate, "cert")
    let hasKey = hasOrAwaits(tls.key, "key")
    let hasPKCS12 = hasOrAwaits(tls.pkcs12, "pkcs12")
    let hasLogin = profile.wantsCredentials || unread.contains("auth-user-pass") || isGiven("auth-user-pass")
    if hasCertificate != hasKey {
      report(
        .error, location(of: hasCertificate ? "cert" : "key") ?? whole,
        hasCertificate
          ? "`cert` without `key`: the private key is missing" : "`key` without `cert`: the certificate is missing")
    } else if !hasCertificate, !hasPKCS12, !hasLogin {
      report(
        .error, whole,
        "neither a client certificate (`cert` and `key`, or `pkcs12`) nor `auth-user-pass`: no login can succeed")
    }
    if !hasPKCS12, !hasOrAwaits(tls.authorities.first, "ca"), tls.checks.peerFingerprints.isEmpty {
      report(.error, whole, "no `ca`: the server's certificate cannot be checked")
    }
    if profile.wantsCredentials, profile.credentials == nil, let location = location(of: "auth-user-pass") {
      report(
        .error, location,
        "user name and password are needed: set `option auth_user_pass` to a file with two lines, or add an"
          + " <auth-user-pass> block"
      )
    }
    if profile.staticChallenge != nil, let credentials = profile.credentials, credentials.oneTimePassword == nil,
      let location = location(of: "static-challenge")
    {
      report(
        .warning, location, "`static-challenge` wants an answer: put it in the third line of the auth-user-pass file")
    }
    if let key = tls.key, KeyFile.isEncrypted(key), tls.keyPassword == nil, !unread.contains("askpass") {
      report(
        .error, askpassLine?.location ?? location(of: "key") ?? whole,
        "the private key is encrypted: `askpass` must name a file with its password")
    }
  }

  private mutating func finishServerChecks(_ whole: SourceLocation) {
    let checks = profile.tls.checks
    if !checks.peerFingerprints.isEmpty, !checks.issuerFingerprints.isEmpty {
      report(.error, location(of: "verify-hash") ?? whole, "`peer-fingerprint` and `verify-hash` exclude each other")
    }
    let isAsked = ["remote-cert-tls", "remote-cert-eku", "verify-x509-name", "tls-remote", "ns-cert-type"]
      .contains(where: isGiven)
    if !checks.identifiesServer, !isAsked {
      report(
        .warning, whole,
        "nothing says who the server must be: any client of the same CA could pose as it; add `remote-cert-tls server`")
    }
  }
}
