import Base
import Profile
import Testing

@Suite("Options about ciphers, keys and logins")
struct SecurityOptionTests {
  @Test(
    "O-01, O-03: compression options are framings",
    arguments: [
      ("comp-lzo no", CompressionFraming.lzoStub, false), ("comp-lzo", .lzo, true), ("comp-lzo yes", .lzo, true),
      ("comp-lzo adaptive", .lzo, true), ("compress", .stub, false), ("compress stub-v2", .stubV2, false),
      ("compress lz4-v2", .lz4V2, true), ("compress lzo", .lzo, true), ("compress stub", .stub, false),
      ("", nil, false),
      ("compress migrate", nil, false), ("allow-compression asym", nil, true),
      ("comp-lzo\nallow-compression no", .lzo, false),
    ] as [(String, CompressionFraming?, Bool)])
  func compression(text: String, framing: CompressionFraming?, isAllowed: Bool) throws {
    let profile = try Samples.profile(text)
    #expect(profile.compression == framing)
    #expect(profile.allowsCompression == isAllowed)
  }

  @Test("O-03: an unknown algorithm is an error")
  func unknownCompression() {
    #expect(Samples.errors("compress zstd").mention("is not one of"))
    #expect(Samples.errors("comp-lzo maybe").mention("is not one of"))
  }

  @Test("L-21: names of ciphers and digests match without regard to case, names of options do not")
  func letterCase() throws {
    let profile = try Samples.profile("cipher aes-256-cbc\nauth sha512\ndata-ciphers aes-256-gcm:AES-256-cbc\n")
    #expect(profile.cipher == .aes256CBC)
    #expect(profile.auth == .sha512)
    #expect(profile.dataCiphers == [.aes256GCM, .aes256CBC])
    #expect(Samples.errors("CIPHER AES-256-CBC").mention("lower case"))
  }

  @Test("cipher is offered to servers too, unless data-ciphers says what is")
  func cipherOffered() throws {
    #expect(
      try Samples.profile("cipher AES-256-CBC").dataCiphers == [.aes256GCM, .aes128GCM, .chacha20Poly1305, .aes256CBC])
    #expect(try Samples.profile("cipher AES-256-GCM").dataCiphers == [.aes256GCM, .aes128GCM, .chacha20Poly1305])
    #expect(try Samples.profile("cipher AES-256-CBC\ndata-ciphers AES-128-GCM").dataCiphers == [.aes128GCM])
    #expect(try Samples.profile("").cipher == nil)
  }

  @Test("O-48: odd ciphers and digests")
  func oddNames() throws {
    #expect(Samples.errors("cipher none").mention("without encryption"))
    #expect(Samples.errors("data-ciphers AES-256-GCM:UNKNOWN-X:AES-128-GCM").mention("unknown cipher `UNKNOWN-X`"))
    #expect(
      try Samples.profile("data-ciphers AES-256-GCM:?UNKNOWN-X:?CHACHA20-POLY1305").dataCiphers == [
        .aes256GCM, .chacha20Poly1305,
      ])
    #expect(
      try Samples.profile("data-ciphers AES-256-CBC:DEFAULT").dataCiphers == [
        .aes256CBC, .aes256GCM, .aes128GCM, .chacha20Poly1305,
      ])
    #expect(Samples.errors("data-ciphers ?X:?Y").mention("no cipher is left"))
    #expect(Samples.warnings("auth MD5\ncipher AES-256-CBC").mention("weak"))
    #expect(try Samples.profile("auth MD5").auth == .md5)
    #expect(try Samples.profile("auth none").auth == nil)
    #expect(Samples.errors("auth RIPEMD160").mention("not available"))
    #expect(Samples.errors("auth SHA265").mention("did you mean SHA256?"))
    #expect(Samples.errors("data-ciphers AES-265-GCM").mention("not available"))
    #expect(try Samples.profile("data-ciphers-fallback AES-256-CBC").dataCipherFallback == .aes256CBC)
  }

  @Test("H-07: a legacy cipher is named: a warning as `cipher`, an error where it would be offered")
  func legacyCiphers() throws {
    #expect(Samples.warnings("cipher BF-CBC").mention("BF-CBC is a legacy cipher"))
    #expect(try Samples.profile("cipher BF-CBC").cipher == nil)
    #expect(Samples.errors("data-ciphers BF-CBC").mention("legacy cipher"))
    #expect(Samples.errors("data-ciphers-fallback DES-EDE3-CBC").mention("legacy cipher"))
    #expect(try Samples.profile("data-ciphers AES-256-GCM:?BF-CBC").dataCiphers == [.aes256GCM])
  }

  @Test("O-16: words that OpenVPN removed are understood")
  func removedWords() throws {
    let profile = try Samples.profile("keysize 256\nkey-method 2\ntun-ipv6\nncp-disable\ncipher AES-128-CBC\n")
    #expect(profile.dataCiphers == [.aes128CBC])
    #expect(try Samples.profile("ncp-ciphers AES-128-GCM:AES-256-GCM").dataCiphers == [.aes128GCM, .aes256GCM])
    #expect(Samples.errors("no-replay").mention("refused"))
  }

  @Test("O-16: old server checks become today's, never nothing")
  func oldChecks() throws {
    let plain = Samples.minimal.replacing("remote-cert-tls server\n", with: "")
    #expect(try Samples.whole(plain + "ns-cert-type server").tls.checks.netscapeType == .server)
    let prefix = try Samples.whole(plain + "tls-remote vpn.example.net").tls.checks
    #expect(prefix.x509Name == "vpn.example.net" && prefix.x509NameKind == .namePrefix)
    let subject = try Samples.whole(plain + "tls-remote /C=de/O=Example/CN=gw").tls.checks
    #expect(subject.x509Name == "C=de, O=Example, CN=gw" && subject.x509NameKind == .subject)
    // Every name begins with nothing.
    for empty in ["\"\"", "/", "/="] { #expect(Samples.errors("tls-remote \(empty)").mention("needs a name")) }
  }

  @Test("O-18: remote-cert-tls without argument is an error, not its absence")
  func remoteCertTLS() throws {
    #expect(Samples.errors("remote-cert-tls").mention("lacks an argument"))
    let checks = try Samples.profile("").tls.checks
    #expect(checks.keyUsages == [])
    #expect(checks.extendedKeyUsage == "TLS Web Server Authentication")
    #expect(
      try Samples.profile("remote-cert-ku a0 0x88\nremote-cert-eku 1.3.6.1.5.5.7.3.1").tls.checks.keyUsages == [
        0xa0, 0x88,
      ])
    #expect(Samples.errors("remote-cert-ku zz").mention("hexadecimal"))
  }

  @Test(
    "O-19: verify-x509-name in four shapes",
    arguments: [
      ("CN=vpn1.example.net", "CN=vpn1.example.net", ServerChecks.NameKind.subject),
      (#""C=de, L=Town, CN=gw.example.net""#, "C=de, L=Town, CN=gw.example.net", .subject),
      ("gw name", "gw", .name), ("gw name-prefix", "gw", .namePrefix),
    ])
  func x509Name(arguments: String, name: String, kind: ServerChecks.NameKind) throws {
    let checks = try Samples.profile("verify-x509-name " + arguments).tls.checks
    #expect(checks.x509Name == name)
    #expect(checks.x509NameKind == kind)
  }

  @Test("Fingerprints: lists, blocks, lengths, and which digest")
  func fingerprints() throws {
    let sha256 = Array(repeating: "ab", count: 32).joined(separator: ":")
    let sha1 = Array(repeating: "CD", count: 20).joined(separator: ":")
    let profile = try Samples.profile(
      "<peer-fingerprint>\n# ours\n\(sha256)\n\n\(sha256)\n</peer-fingerprint>\npeer-fingerprint \(sha256)\n")
    #expect(profile.tls.checks.peerFingerprints.count == 3)
    #expect(try Samples.profile("verify-hash \(sha1)").tls.checks.issuerFingerprints.first?.digest == .sha1)
    #expect(try Samples.profile("verify-hash \(sha256) SHA256").tls.checks.issuerFingerprints.first?.digest == .sha256)
    #expect(
      try Samples.profile("<verify-hash>\n\(sha256)\n</verify-hash>").tls.checks.issuerFingerprints.first?.digest
        == .sha256)
    #expect(Samples.errors("peer-fingerprint \(sha1)").mention("32 bytes"))
    #expect(Samples.errors("peer-fingerprint \(sha256)\nverify-hash \(sha1)").mention("exclude each other"))
  }

  @Test("H-18: a profile that does not say who the server is works with a loud warning")
  func noServerCheck() throws {
    let text = Samples.minimal.replacing("remote-cert-tls server\n", with: "")
    let (profile, diagnostics) = Samples.read(text)
    #expect(profile?.tls.checks.identifiesServer == false)
    #expect(diagnostics.filter { $0.severity == .warning }.map(\.text).mention("nothing says who the server must be"))
    #expect(!Samples.warnings("").mention("nothing says who"))
  }

  @Test("O-24: auth-user-pass with nothing behind it says what is needed")
  func missingCredentials() {
    let text = Samples.minimal.replacing("<auth-user-pass>\nuser\nsecret\n</auth-user-pass>", with: "auth-user-pass")
    let (profile, diagnostics) = Samples.read(text)
    #expect(profile == nil)
    #expect(diagnostics.map(\.text).mention("user name and password are needed"))
  }

  @Test(
    "O-25: shapes of a credentials file",
    arguments: [
      ("user\r\npass word$1 \r\n", "user", "pass word$1 ", nil), ("\u{feff}user\npw", "user", "pw", nil),
      ("user\npw\n123456\n", "user", "pw", "123456"), ("user\rpw\r", "user", "pw", nil),
      ("user\n" + String(repeating: "p", count: 4_096), "user", String(repeating: "p", count: 4_096), nil),
    ] as [(String, String, String, String?)])
  func credentials(content: String, user: String, password: String, third: String?) throws {
    let line = OptionLine(name: "auth-user-pass", arguments: ["login"], location: SourceLocation(file: "a"))
    let lines = Samples.lex(Samples.minimal).lines + [line.inlined(Array(content.utf8))]
    let credentials = try #require(Profile.parse(lines).profile?.credentials)
    #expect(credentials.user == user)
    #expect(credentials.password.text == password)
    #expect(credentials.oneTimePassword?.text == third)
  }

  @Test(
    "O-25: what is missing in it is said, with the file's name and no content",
    arguments: [
      ("user\n", "no password"), ("\npw\n", "no user name"), ("user\n\n", "no password"), ("", "no user name"),
      ("user\n" + String(repeating: "p", count: 4_097), "more than 4096 bytes"),
    ])
  func badCredentials(content: String, expected: String) {
    let line = OptionLine(name: "auth-user-pass", arguments: ["login"], location: SourceLocation(file: "a"))
    let lines = Samples.lex(Samples.minimal).lines + [line.inlined(Array(content.utf8))]
    let texts = Profile.parse(lines).diagnostics.filter { $0.severity == .error }.map(\.text)
    #expect(texts.mention("the file `login`") && texts.mention(expected))
    #expect(!texts.mention("ppp"))
  }

  @Test("A password on the line of auth-user-pass is never quoted")
  func passwordOnLine() {
    let errors = Samples.read(Samples.minimal + "auth-user-pass bob hunter2\n").diagnostics.map(\.text)
    #expect(!errors.mention("hunter2"))
    #expect(errors.mention("takes a file"))
  }

  @Test("O-46: wraps exclude each other; each alone is read")
  func wraps() throws {
    let tlsAuth = "<tls-auth>\n\(Samples.staticKey)</tls-auth>\n"
    let tlsCrypt = "<tls-crypt>\n\(Samples.staticKey)</tls-crypt>\n"
    let v2 = "<tls-crypt-v2>\n\(Samples.tlsCryptV2Key)</tls-crypt-v2>\n"
    let key = SecretBytes(Array(Samples.staticKey.utf8))
    #expect(Samples.errors(tlsAuth + tlsCrypt).mention("exclude each other"))
    #expect(Samples.errors(tlsCrypt + v2).mention("exclude each other"))
    #expect(try Samples.profile(tlsAuth).remotes.first?.wrap == .tlsAuth(key: key, direction: nil))
    #expect(try Samples.profile(tlsAuth + "key-direction 1").remotes.first?.wrap == .tlsAuth(key: key, direction: 1))
    #expect(
      try Samples.profile(tlsAuth + "key-direction bidirectional").remotes.first?.wrap
        == .tlsAuth(key: key, direction: nil))
    #expect(try Samples.profile(tlsCrypt).remotes.first?.wrap == .tlsCrypt(key: key))
    #expect(
      try Samples.profile(v2).remotes.first?.wrap
        == .tlsCryptV2(clientKey: SecretBytes(Array(Samples.tlsCryptV2Key.utf8))))
  }

  @Test("O-46: a block's wrap replaces the global one")
  func wrapOfBlock() throws {
    let text =
      "<tls-auth>\n\(Samples.staticKey)</tls-auth>\n<connection>\nremote a.example\n<tls-crypt>\n\(Samples.staticKey)</tls-crypt>\n</connection>\n"
    #expect(try Samples.profile(text).remotes.first?.wrap == .tlsCrypt(key: SecretBytes(Array(Samples.staticKey.utf8))))
  }

  @Test("U-07: a damaged END line is an error at file and line, for every kind of key file")
  func damagedKeys() {
    let damaged = Samples.staticKey.replacing("END OpenVPN Static key", with: "END OpenVPN Statickey")
    let (_, diagnostics) = Samples.read(Samples.minimal + "<tls-auth>\n\(damaged)</tls-auth>\n")
    let error = diagnostics.first { $0.severity == .error }
    #expect(error?.text.contains("tls-auth: no END line") == true)
    #expect(error?.location.line == 14)
    for (tag, body) in [
      ("tls-crypt", damaged), ("ca", "-----BEGIN CERTIFICATE-----\nMIIB\n"),
      ("cert", "MIIB\n-----END CERTIFICATE-----\n"),
      ("key", "nothing\n"), ("crl-verify", Samples.certificate), ("tls-crypt-v2", Samples.staticKey),
      ("extra-certs", Samples.certificate + "-----BEGIN CERTIFICATE-----\n"),
    ] {
      #expect(Samples.errors("<\(tag)>\n\(body)</\(tag)>").mention("\(tag): no "), "\(tag)")
    }
  }

  @Test("L-11: PEM bodies lose blanks at the edges of lines; headers of an encrypted key keep their empty line")
  func pemLines() throws {
    let padded = "  -----BEGIN CERTIFICATE-----  \n\n MIIBexample \n-----END CERTIFICATE-----\n"
    let profile = try Samples.profile("<ca>\n\(padded)</ca>")
    #expect(profile.tls.authorities.map(\.text) == [Samples.certificate])
    let encrypted =
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMIIB\n-----END RSA PRIVATE KEY-----\n"
    let text = "<cert>\n\(Samples.certificate)</cert>\n<key>\n\(encrypted)</key>\n"
    #expect(Samples.errors(text).mention("the private key is encrypted"))
    let unlocked = try Samples.profile(text + "<askpass>\nsecret\n</askpass>")
    #expect(unlocked.tls.key?.text == encrypted)
    #expect(unlocked.tls.keyPassword?.text == "secret")
  }

  @Test("Certificate and key come together, and some login must be possible")
  func identity() {
    #expect(Samples.errors("<cert>\n\(Samples.certificate)</cert>").mention("private key is missing"))
    #expect(Samples.errors("<key>\n\(Samples.privateKey)</key>").mention("certificate is missing"))
    let bare = "client\ndev tun\nremote a.example\nremote-cert-tls server\n"
    let texts = Samples.read(bare).diagnostics.map(\.text)
    #expect(texts.mention("no login can succeed") && texts.mention("no `ca`"))
  }

  @Test("O-45: several revocation lists add up")
  func revocationLists() throws {
    let block = "<crl-verify>\n\(Samples.revocationList)</crl-verify>\n"
    #expect(try Samples.profile(block + block).tls.revocationLists.count == 2)
    #expect(
      Samples.errors("crl-verify /etc/crls dir").mention("was not read")
        || Samples.errors("crl-verify d dir").mention("directory"))
  }

  @Test("O-42: TLS lists are kept as written, versions are checked")
  func tlsOptions() throws {
    let tls = try Samples.profile(
      "tls-cipher TLS-DHE-RSA-WITH-AES-256-CBC-SHA:DEFAULT:@SECLEVEL=0\ntls-ciphersuites TLS_AES_256_GCM_SHA384\ntls-groups X25519:P-256\ntls-version-min 1.0 or-highest\ntls-version-max 1.2\ntls-cert-profile insecure\n"
    ).tls
    #expect(tls.cipherList == "TLS-DHE-RSA-WITH-AES-256-CBC-SHA:DEFAULT:@SECLEVEL=0")
    #expect(tls.minimumVersion == .v1_0 && tls.maximumVersion == .v1_2)
    #expect(tls.certificateProfile == .insecure)
    #expect(Samples.errors("tls-version-min 1.3\ntls-version-max 1.2").mention("is below"))
    #expect(Samples.errors("tls-version-min 2.0").mention("not a TLS version"))
    #expect(Samples.errors("tls-cipher \"A B\"").mention("needs names"))
  }

  @Test(
    "compat-mode lifts what later versions tightened",
    arguments: [
      ("2.6.0", false, [DataCipher.aes256GCM], nil, TLSVersion.v1_2),
      ("2.5.0", true, [.aes256GCM], nil, .v1_2),
      ("2.4.9", true, [.aes256GCM, .aes256CBC], nil, .v1_2),
      ("2.3.7", true, [.aes256GCM, .aes256CBC], .aes256CBC, .v1_2),
      ("2.3.6", true, [.aes256GCM, .aes256CBC], .aes256CBC, .v1_0),
    ] as [(String, Bool, [DataCipher], DataCipher?, TLSVersion)])
  func compatibility(
    version: String, compression: Bool, ciphers: [DataCipher], fallback: DataCipher?, minimum: TLSVersion
  ) throws {
    let profile = try Samples.profile("compat-mode \(version)\ncipher AES-256-CBC\ndata-ciphers AES-256-GCM\n")
    #expect(profile.allowsCompression == compression)
    #expect(profile.dataCiphers == ciphers)
    #expect(profile.dataCipherFallback == fallback)
    #expect(profile.tls.minimumVersion == minimum)
  }

  @Test("Static keys, tokens in hardware and scripts that check the server are refused")
  func refused() {
    for text in [
      "secret s.key", "<secret>\nx\n</secret>", "pkcs11-id x", "management-external-key", "tls-verify ./v", "capath d",
    ] {
      #expect(Samples.errors(text).mention("is refused"), "\(text)")
    }
  }

  @Test("static-challenge needs the third line")
  func challenge() throws {
    #expect(Samples.warnings("static-challenge \"Your PIN\" 1").mention("third line"))
    #expect(try Samples.profile("static-challenge PIN 0 concat").staticChallenge == .concatenated)
  }
}
