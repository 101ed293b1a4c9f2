import Base
import ControlChannel
import Crypto
import Exchange
import Profile
import Session

/// One authority with a server and a client, and profiles that fit a mirror.
package enum TestProfile {
  package static let authority = TestCertificate.authority()
  package static let server = authority.issue(.server())
  package static let client = authority.issue(.client())

  package static let staticKey: StaticKey = {
    guard let key = StaticKey(bytes: SecretBytes((0...255).map { UInt8($0) })) else { preconditionFailure() }
    return key
  }()
  package static let serverKey: TLSCryptV2ServerKey = {
    guard let key = TLSCryptV2ServerKey(bytes: SecretBytes((0..<128).map { UInt8($0) })) else { preconditionFailure() }
    return key
  }()

  package static func mirror(_ change: (inout MirrorSetup) -> Void = { _ in }) -> MirrorSetup {
    var setup = MirrorSetup(authority: authority, certificate: server)
    change(&setup)
    return setup
  }

  /// The text of a static key file.
  package static func text(of key: StaticKey) -> SecretBytes {
    var bytes = key.bytes.exposed
    defer { bytes.wipe() }
    let lines = stride(from: 0, to: bytes.count, by: 16).map { Hex.text(bytes[$0..<$0 + 16]) }
    let text =
      "-----BEGIN OpenVPN Static key V1-----\n" + lines.joined(separator: "\n")
      + "\n-----END OpenVPN Static key V1-----\n"
    return SecretBytes(Array(text.utf8))
  }

  /// A client of `mirror`: same wrap, transport and digest.
  package static func client(
    of mirror: MirrorSetup, _ change: (inout SessionSetup) -> Void = { _ in }
  ) -> SessionSetup {
    var profile = Profile()
    profile.tls.authorities = [authority.pem]
    if mirror.wantsCertificate {
      profile.tls.certificate = client.pem
      profile.tls.key = client.key.pem
    }
    profile.tls.checks.extendedKeyUsage = "TLS Web Server Authentication"
    profile.auth = mirror.auth
    if let user = mirror.user {
      profile.wantsCredentials = true
      profile.credentials = Credentials(user: user, password: SecretBytes(Array((mirror.password ?? "").utf8)))
    }
    if !profile.dataCiphers.contains(mirror.cipher) { profile.dataCiphers = [mirror.cipher] }
    var remote = Remote(host: "vpn.example.net", transport: mirror.transport, location: SourceLocation(file: "test"))
    switch mirror.wrap {
    case .none: remote.wrap = .none
    case .tlsAuth(let key, let digest):
      profile.auth = digest
      remote.wrap = .tlsAuth(key: text(of: key), direction: 1)
    case .tlsCrypt(let key): remote.wrap = .tlsCrypt(key: text(of: key))
    case .tlsCryptV2(let server, _):
      guard let wrapped = server.wrap(staticKey, metadata: [1] + [UInt8](repeating: 0, count: 8)) else {
        preconditionFailure()
      }
      remote.wrap = .tlsCryptV2(clientKey: TLSCryptV2ServerKey.clientKeyText(staticKey, wrapped: wrapped))
    }
    profile.remotes = [remote]
    var setup = SessionSetup(
      profile: profile, remote: remote, outerFamily: .ipv4, wallTime: TestTime.now, hasAlternatives: false)
    change(&setup)
    return setup
  }
}
