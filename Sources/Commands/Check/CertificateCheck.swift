import Base
import ConfigDirectory
import Crypto
import Profile
import Settings
import TLS

/// Looks into the certificates and keys of a tunnel, as the engine will.
struct CertificateCheck {
  let now: WallTime
  private(set) var diagnostics: [Diagnostic] = []

  /// Warned about this long before the end.
  private static let notice: Int64 = 30 * 86_400

  init(now: WallTime) { self.now = now }

  mutating func look(at tunnel: LoadedConfiguration.Tunnel, facts: inout TunnelFacts) {
    guard let profile = tunnel.profile else { return }
    for remote in profile.remotes { judge(remote.wrap, tunnel) }
    do {
      let context = try TLSContext(profile.tls, role: .client, wallTime: now)
      facts.certificate = context.certificate
      facts.authorities = context.authorities
      for note in context.notes {
        add(note.level <= .warning ? .warning : .note, place(tunnel, ["tls-cipher"]), note.sentence)
      }
    } catch {
      add(.error, place(tunnel, Self.options(of: error.code)), error.sentence)
      return
    }
    if let certificate = facts.certificate {
      judge(certificate, "the certificate", place(tunnel, ["cert", "pkcs12"]))
    }
    for authority in facts.authorities {
      judge(authority, "the authority \(authority.subject)", place(tunnel, ["ca", "pkcs12"]))
    }
  }

  private mutating func judge(_ facts: CertificateFacts, _ what: String, _ place: SourceLocation) {
    if let start = facts.notBefore, now < start {
      add(.warning, place, "\(what) is valid only from \(start.rfc3339), and this router's clock says \(now.rfc3339)")
    }
    guard let end = facts.notAfter else { return }
    if end < now {
      add(.warning, place, "\(what) has expired on \(end.rfc3339)")
    } else if end.seconds - now.seconds < Self.notice {
      add(.warning, place, "\(what) expires on \(end.rfc3339)")
    }
  }

  private mutating func judge(_ wrap: ControlWrapOptions, _ tunnel: LoadedConfiguration.Tunnel) {
    let (key, option): (SecretBytes, String)
    switch wrap {
    case .tlsAuth(let text, _): (key, option) = (text, "tls-auth")
    case .tlsCrypt(let text): (key, option) = (text, "tls-crypt")
    case .none, .tlsCryptV2: return
    }
    var text = key.exposed
    defer { text.wipe() }
    do {
      _ = try StaticKey(text: text)
    } catch {
      add(.error, place(tunnel, [option]), "\(option) key: \(error.rawValue)")
    }
  }

  /// Where the option stands that a fault is about.
  private static func options(of code: Fault.Code) -> [String] {
    switch code {
    case .keyUnreadable, .keyMismatch: ["key"]
    case .keyPasswordMissing, .keyPasswordWrong: ["askpass", "key", "pkcs12"]
    case .pkcs12Unreadable, .pkcs12NeedsLegacy: ["pkcs12"]
    case .crlUnreadable: ["crl-verify"]
    case .tlsOptionsInvalid: ["tls-cipher", "tls-ciphersuites", "tls-groups", "tls-version-min"]
    default: ["cert", "ca", "pkcs12"]
    }
  }

  private func place(_ tunnel: LoadedConfiguration.Tunnel, _ options: [String]) -> SourceLocation {
    for option in options {
      if let line = tunnel.lines.last(where: { $0.name == option }) { return line.location }
    }
    return tunnel.settings.profileLocation ?? tunnel.settings.location
  }

  private mutating func add(_ severity: Diagnostic.Severity, _ location: SourceLocation, _ text: String) {
    let diagnostic = Diagnostic(severity, location, text)
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }
}
