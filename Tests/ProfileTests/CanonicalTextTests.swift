import Base
import Profile
import Testing

@Suite("The canonical text makes the same profile again")
struct CanonicalTextTests {
  private func expectRoundTrip(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
    let lines = Samples.lex(text).lines
    let profile = try Samples.whole(text, sourceLocation: sourceLocation)
    let canonical = Profile.canonicalText(of: lines)
    #expect(
      try Samples.whole(canonical.text, sourceLocation: sourceLocation) == profile, sourceLocation: sourceLocation)
  }

  @Test("A profile with blocks, quotes and connection blocks")
  func roundTrip() throws {
    try expectRoundTrip(Samples.minimal)
    try expectRoundTrip(
      Samples.base + """
        verify-x509-name "C=de, O=\\"Example\\" \\\\ Co, CN=gw" # subject
        pull-filter ignore "dhcp-option DNS"
        setenv UV_EMPTY ""
        setenv UV_HASH '#1'
        setenv opt tls-version-min 1.2 or-highest
        route 10.0.0.0 255.0.0.0
        <connection>
          remote a.example.net 443 tcp
          <tls-crypt>
        \(Samples.staticKey)  </tls-crypt>
        </connection>
        <connection>
          remote b.example.net
          key-direction 1
          <tls-auth>
        \(Samples.staticKey)  </tls-auth>
        </connection>
        """)
  }

  @Test("File references are read in, those of connection blocks and of included files too")
  func inlining() throws {
    let files: [String: String] = [
      "ca.crt": "\u{feff}" + Samples.certificate.replacing("\n", with: "\r\n"), "ta.key": Samples.staticKey,
      "login": "user\r\npass word$1 \r\n", "more.ovpn": "ca ca.crt\nauth-user-pass login\n",
    ]
    let text =
      "client\ndev tun\nremote-cert-tls server\nconfig more.ovpn\n<connection>\nremote a.example.net\ntls-auth ta.key 1\n</connection>\n"
    let lines = Samples.lex(text).lines
    #expect(Profile.fileReferences(in: lines).map(\.path) == ["more.ovpn", "ta.key"])
    let (inlined, diagnostics) = Profile.inliningFiles(in: lines) { reference in
      files[reference.path].map { .success(Array($0.utf8)) } ?? .failure(FileProblem("no such file"))
    }
    #expect(diagnostics.isEmpty)
    let profile = try #require(Profile.parse(inlined).profile)
    #expect(profile.credentials?.password.text == "pass word$1 ")
    #expect(profile.remotes.first?.wrap == .tlsAuth(key: SecretBytes(Array(Samples.staticKey.utf8)), direction: 1))
    #expect(profile.tls.authorities.first?.text == Samples.certificate)
    #expect(try Samples.whole(Profile.canonicalText(of: inlined).text) == profile)
  }

  @Test("What was not read is an error, unless whoever reads the files has said so already")
  func unread() {
    let lines = Samples.lex(Samples.minimal.replacing("<ca>\n\(Samples.certificate)</ca>", with: "ca missing.crt"))
      .lines
    #expect(Profile.parse(lines).diagnostics.map(\.text).mention("the file `missing.crt` was not read"))
    let (kept, diagnostics) = Profile.inliningFiles(in: lines) { _ in .failure(FileProblem("no such file")) }
    #expect(
      diagnostics.map(\.description) == ["home.ovpn:4:4: error: the file `missing.crt` cannot be read: no such file"])
    #expect(!Profile.parse(kept, files: .mayBeUnread).diagnostics.hasErrors)
  }

  @Test("Files that include each other end in an error")
  func includeLoop() {
    let lines = Samples.lex("config a\n").lines
    let (_, diagnostics) = Profile.inliningFiles(in: lines) { _ in .success(Array("config a\nconfig a\n".utf8)) }
    #expect(diagnostics.hasErrors)
  }

  @Test("A binary PKCS#12 file travels as base64")
  func pkcs12() throws {
    let der: [UInt8] = [0x30, 0x82, 0x01, 0x00, 0x0a, 0x0d, 0x00, 0xff] + Array(repeating: 7, count: 100)
    let text = "client\ndev tun\nremote a.example.net\nremote-cert-tls server\npkcs12 me.p12\n"
    let (lines, _) = Profile.inliningFiles(in: Samples.lex(text).lines) { _ in .success(der) }
    let profile = try #require(Profile.parse(lines).profile)
    #expect(profile.tls.pkcs12?.exposed == der)
    #expect(try Samples.whole(Profile.canonicalText(of: lines).text) == profile)
  }
}
