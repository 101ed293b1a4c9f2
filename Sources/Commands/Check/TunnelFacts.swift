import Base
import ConfigDirectory
import Profile
import Settings
package import TLS

/// What a tunnel's profile means, for people: the facts OpenVPNAdapter's evaluation gave, and those of the certificates.
package struct TunnelFacts: Hashable, Sendable {
  package struct Server: Hashable, Sendable {
    package var host: String
    package var port: UInt16
    /// `udp`, `tcp`, and a 4 or 6 behind when the profile fixes the family.
    package var proto: String
  }

  package var name: String
  package var isValid: Bool
  package var isEnabled: Bool
  package var profilePath: String?
  package var device: String
  package var servers: [Server] = []
  /// True when nobody has to type anything.
  package var logsInAlone = false
  /// `user name and password`, `certificate`.
  package var login: [String] = []
  package var hasKeyPassword = false
  /// How the server must prove who it is.
  package var serverChecks: [String] = []
  /// `none`, `tls-auth`, `tls-crypt`, `tls-crypt-v2`.
  package var control: String?
  package var ciphers: [String] = []
  package var minimumTLS: String?
  /// Our own certificate.
  package var certificate: CertificateFacts?
  package var authorities: [CertificateFacts] = []

  init(_ tunnel: LoadedConfiguration.Tunnel) {
    name = tunnel.settings.name.text
    isValid = tunnel.isValid
    isEnabled = tunnel.settings.isEnabled
    profilePath = tunnel.settings.profilePath
    device = tunnel.settings.device.text
    guard let profile = tunnel.profile else { return }
    servers = profile.remotes.map { remote in
      let family = remote.family.map { "\($0.rawValue)" } ?? ""
      return Server(host: remote.host, port: remote.port, proto: remote.transport.rawValue + family)
    }
    if profile.tls.certificate != nil || profile.tls.pkcs12 != nil { login.append("certificate") }
    if profile.wantsCredentials { login.append("user name and password") }
    hasKeyPassword = profile.tls.keyPassword != nil
    logsInAlone = !profile.wantsCredentials || profile.credentials != nil
    serverChecks = Self.words(profile.tls.checks)
    control = profile.remotes.first.map { Self.word($0.wrap) }
    ciphers = profile.dataCiphers.map(\.rawValue)
    minimumTLS = profile.tls.minimumVersion.name
  }

  private static func word(_ wrap: ControlWrapOptions) -> String {
    switch wrap {
    case .none: "none"
    case .tlsAuth: "tls-auth"
    case .tlsCrypt: "tls-crypt"
    case .tlsCryptV2: "tls-crypt-v2"
    }
  }

  private static func words(_ checks: ServerChecks) -> [String] {
    var words: [String] = []
    if checks.keyUsages != nil { words.append("key usage") }
    if let usage = checks.extendedKeyUsage { words.append("extended key usage \(usage)") }
    if let type = checks.netscapeType { words.append("Netscape type \(type.rawValue)") }
    if let name = checks.x509Name { words.append("\(checks.x509NameKind.rawValue) \(name)") }
    if !checks.peerFingerprints.isEmpty { words.append("fingerprint") }
    if !checks.issuerFingerprints.isEmpty { words.append("fingerprint of the authority") }
    return words
  }
}
