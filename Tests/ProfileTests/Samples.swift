import Base
import Profile
import Testing

/// Small whole profiles and short ways to read them.
enum Samples {
  static let certificate = pem("CERTIFICATE")
  static let privateKey = pem("PRIVATE KEY")
  static let staticKey = pem("OpenVPN Static key V1")
  static let tlsCryptV2Key = pem("OpenVPN tls-crypt-v2 client key")
  static let revocationList = pem("X509 CRL")

  static func pem(_ label: String) -> String { "-----BEGIN \(label)-----\nMIIBexample\n-----END \(label)-----\n" }

  /// What every profile here needs, without a remote.
  static let base = """
    client
    dev tun
    remote-cert-tls server
    <ca>
    \(certificate)</ca>
    <auth-user-pass>
    user
    secret
    </auth-user-pass>

    """

  /// With a remote as well.
  static let minimal = base + "remote vpn.example.net 1194 udp\n"

  static func lex(_ text: String) -> (lines: [OptionLine], diagnostics: [Diagnostic]) {
    Lexer.lines(of: Array(text.utf8), file: "home.ovpn")
  }

  /// Text to profile, problems of lexer and parser together.
  static func read(_ text: String, ignoringUnknown: Bool = false) -> (profile: Profile?, diagnostics: [Diagnostic]) {
    let (lines, problems) = lex(text)
    let (profile, more) = Profile.parse(lines, ignoringUnknown: ignoringUnknown)
    return (problems.hasErrors ? nil : profile, problems + more)
  }

  /// The profile of `minimal` with `text` behind it; it must have no error.
  static func profile(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Profile {
    try whole(minimal + text, sourceLocation: sourceLocation)
  }

  static func whole(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Profile {
    let (profile, diagnostics) = read(text)
    let errors = diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty, sourceLocation: sourceLocation)
    return try #require(profile, sourceLocation: sourceLocation)
  }

  /// Texts of the errors that `text` behind `minimal` causes.
  static func errors(_ text: String) -> [String] { findings(text, .error) }
  static func warnings(_ text: String) -> [String] { findings(text, .warning) }
  static func notes(_ text: String) -> [String] { findings(text, .note) }

  static func findings(_ text: String, _ severity: Diagnostic.Severity) -> [String] {
    read(minimal + text).diagnostics.filter { $0.severity == severity }.map(\.text)
  }

  /// Items of one push against the profile of `minimal` and `text`.
  static func push(_ reply: String, profile text: String = "") throws -> Result<(PushedOptions, [Note]), Fault> {
    PushedOptions.parse(PushedOptions.items(ofReply: reply), profile: try profile(text))
  }

  static func pushed(_ reply: String, profile text: String = "") throws -> PushedOptions {
    try push(reply, profile: text).get().0
  }

  static func pushNotes(_ reply: String, profile text: String = "") throws -> [Note] {
    try push(reply, profile: text).get().1
  }

  static func pushFault(_ reply: String, profile text: String = "") throws -> Fault? {
    if case .failure(let fault) = try push(reply, profile: text) { fault } else { nil }
  }
}

extension [String] {
  /// One of the texts holds `part`.
  func mention(_ part: String) -> Bool { contains { $0.contains(part) } }
}

extension SecretBytes {
  var text: String { String(decoding: exposed, as: UTF8.self) }
}

func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }
func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
