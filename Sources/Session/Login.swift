internal import Base
internal import Profile

/// Who we say we are: the password of the profile, or a token in its place (protocol.md section 11.9).
struct Login {
  private let credentials: Credentials?
  private(set) var token: SecretBytes?
  private(set) var tokenUser: String?

  init(_ setup: SessionSetup) throws(Fault) {
    credentials = setup.profile.wantsCredentials ? setup.profile.credentials : nil
    token = setup.token
    tokenUser = setup.tokenUser
    if setup.profile.wantsCredentials, credentials == nil, !usesToken { throw Fault(.credentialsMissing) }
  }

  /// With certificates only, a token without a user name is of no use.
  var usesToken: Bool { token != nil && user != nil }

  var user: String? { token != nil ? tokenUser ?? credentials?.user : credentials?.user }

  var password: SecretBytes? {
    if usesToken { return token }
    guard let credentials else { return nil }
    guard let code = credentials.oneTimePassword else { return credentials.password }
    var parts = (credentials.password.exposed, code.exposed)
    // Room for both from the start: an array that grows leaves a copy behind.
    var joined: [UInt8] = []
    joined.reserveCapacity(parts.0.count + parts.1.count)
    joined += parts.0
    joined += parts.1
    parts.0.wipe()
    parts.1.wipe()
    return SecretBytes(wiping: &joined)
  }

  mutating func receive(token: SecretBytes, user: String?) {
    self.token = token
    if let user { tokenUser = user }
  }
}
