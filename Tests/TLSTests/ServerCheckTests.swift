import Base
import TLS
import TestKit
import Testing

@Suite("Who the server is") struct ServerCheckTests {
  @Test("a good server passes every check at once") func allGood() throws {
    let server = World.authority.issue(
      .server().with { $0.subject = [("C", "KG"), ("ST", "NA"), ("L", "Bishkek"), ("CN", "Server-1")] })
    let fault = try World.verdict(on: server) {
      $0.keyUsages = []
      $0.extendedKeyUsage = "TLS Web Server Authentication"
      $0.netscapeType = .server
      $0.x509Name = "C=KG, ST=NA, L=Bishkek, CN=Server-1"
      $0.peerFingerprints = [server.fingerprint()]
      $0.issuerFingerprints = [World.authority.fingerprint(), World.authority.fingerprint(.sha1)]
    }
    #expect(fault == nil)
  }

  @Test("a certificate of another CA is untrusted, and the server hears why") func wrongAuthority() throws {
    let stranger = World.otherAuthority.issue(.server())
    let (client, server) = try World.handshake(server: World.serverOptions(stranger))
    #expect(client?.code == .tlsCertificateUntrusted)
    #expect(client?.detail?.contains("CN=server") == true)
    #expect(server?.code == .tlsAlert)
    #expect(server?.detail?.contains("unknown CA") == true)
  }

  @Test("expired, not yet valid: judged at the time that is passed in") func dates() throws {
    #expect(try World.handshake(at: TestTime.days(4_000)).client?.code == .tlsCertificateExpired)
    #expect(try World.handshake(at: WallTime(seconds: 0)).client?.code == .tlsCertificateNotYetValid)
    let old = World.authority.issue(.server().with { $0.notAfter = TestTime.days(-1) })
    #expect(try World.verdict(on: old)?.code == .tlsCertificateExpired)
  }

  @Test("revoked is refused; an issuer without a list is accepted; an old list is not") func revocation() throws {
    let revoked = World.authority.issue(.server("bad"))
    let lists = [World.authority.revocationList(of: [revoked])]
    func client(_ lists: [SecretBytes]) -> TLSOptions { World.clientOptions { $0.revocationLists = lists } }
    let refused = try World.handshake(client: client(lists), server: World.serverOptions(revoked)).client
    #expect(refused?.code == .tlsCertificateRevoked)
    #expect(try World.handshake(client: client(lists)).client == nil)
    #expect(try World.handshake(client: client([World.otherAuthority.revocationList()])).client == nil)
    #expect(try World.context(client(lists)).notes == [])
    #expect(
      try World.context(client([World.otherAuthority.revocationList()])).notes
        == [Note(.revocationListMissing, "CN=Adit test CA")])
    let old = World.authority.revocationList(until: TestTime.days(-1))
    #expect(try World.handshake(client: client([old])).client?.code == .crlUnusable)
  }

  @Test("remote-cert-tls refuses a certificate without usages and one for clients") func usages() throws {
    let ask: (inout ServerChecks) -> Void = {
      $0.keyUsages = []
      $0.extendedKeyUsage = "TLS Web Server Authentication"
    }
    let bare = World.authority.issue(
      .server().with {
        $0.keyUsage = nil
        $0.extendedKeyUsage = nil
      })
    #expect(try World.verdict(on: bare) == nil)
    #expect(try World.verdict(on: bare, ask)?.code == .tlsCertificateWrongUsage)
    // OpenSSL refuses a client's certificate even unasked.
    #expect(try World.verdict(on: World.client)?.code == .tlsCertificateWrongUsage)
    let withoutExtended = World.authority.issue(.server().with { $0.extendedKeyUsage = nil })
    #expect(try World.verdict(on: withoutExtended, ask)?.code == .tlsCertificateWrongUsage)
    #expect(try World.verdict(on: World.server, ask) == nil)
  }

  @Test("remote-cert-ku and remote-cert-eku values") func usageValues() throws {
    #expect(try World.verdict(on: World.server) { $0.keyUsages = [0xa0] } == nil)
    #expect(try World.verdict(on: World.server) { $0.keyUsages = [0x88, 0x80] } == nil)
    #expect(try World.verdict(on: World.server) { $0.keyUsages = [0x88] }?.code == .tlsCertificateWrongUsage)
    #expect(try World.verdict(on: World.server) { $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.1" } == nil)
    let fault = try World.verdict(on: World.server) { $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.3" }
    #expect(fault?.code == .tlsCertificateWrongUsage)
    #expect(fault?.detail?.contains("TLS Web Server Authentication") == true)
  }

  @Test("O-16 ns-cert-type server: nsCertType or the server usage must be there") func netscapeType() throws {
    let neither = World.authority.issue(.server().with { $0.extendedKeyUsage = nil })
    let netscape = World.authority.issue(
      .server().with {
        $0.extendedKeyUsage = nil
        $0.netscapeType = "server"
      })
    let ask: (inout ServerChecks) -> Void = { $0.netscapeType = .server }
    #expect(try World.verdict(on: neither, ask)?.code == .tlsCertificateWrongUsage)
    #expect(try World.verdict(on: netscape, ask) == nil)
    #expect(try World.verdict(on: World.server, ask) == nil)
  }

  @Test("O-19 verify-x509-name in its three forms") func names() throws {
    let server = World.authority.issue(
      .server().with {
        $0.subject = [
          ("C", "de"), ("L", "Köln"), ("O", "Example"), ("CN", "old"), ("CN", "gw.example.net"),
          ("emailAddress", "a@example.net"),
        ]
      })
    func verdict(_ name: String, _ kind: ServerChecks.NameKind) throws -> Fault.Code? {
      try World.verdict(on: server) {
        $0.x509Name = name
        $0.x509NameKind = kind
      }?.code
    }
    let full = "C=de, L=Köln, O=Example, CN=old, CN=gw.example.net, emailAddress=a@example.net"
    #expect(try verdict(full, .subject) == nil)
    #expect(try verdict("CN=gw.example.net", .subject) == .tlsCertificateWrongName)
    #expect(try verdict("gw.example.net", .name) == nil)
    #expect(try verdict("old", .name) == .tlsCertificateWrongName)
    #expect(try verdict("GW.example.net", .name) == .tlsCertificateWrongName)
    #expect(try verdict("gw.", .namePrefix) == nil)
    #expect(try verdict("gx", .namePrefix) == .tlsCertificateWrongName)
  }

  @Test("x509-username-field: other fields, joined, and alternative names") func usernameFields() throws {
    let server = World.authority.issue(
      .server().with {
        $0.subject = [("CN", "server"), ("OU", "Gate"), ("serialNumber", "17")]
        $0.alternativeName = "email:one@example.net,DNS:server.example.net,email:two@example.net"
      })
    func verdict(_ fields: [String], _ name: String) throws -> Fault.Code? {
      try World.verdict(on: server) {
        $0.usernameFields = fields
        $0.x509Name = name
        $0.x509NameKind = .name
      }?.code
    }
    #expect(try verdict(["OU"], "Gate") == nil)
    #expect(try verdict(["ou"], "Gate") == nil)
    #expect(try verdict(["CN", "OU"], "server_Gate") == nil)
    #expect(try verdict(["2.5.4.11"], "Gate") == nil)
    #expect(try verdict(["ext:subjectAltName"], "two@example.net") == nil)
    #expect(try verdict(["ext:issuerAltName"], "two@example.net") == .tlsCertificateWrongName)
    #expect(try verdict(["L"], "") == .tlsCertificateWrongName)
  }

  @Test("control characters and a leading dash in names become underscores") func nameCleaning() throws {
    let server = World.authority.issue(.server().with { $0.subject = [("CN", "-a\u{1}b")] })
    #expect(
      try World.verdict(on: server) {
        $0.x509Name = "_a_b"
        $0.x509NameKind = .name
      } == nil)
  }

  @Test("peer-fingerprint stands in for the CA") func pinned() throws {
    let alone = TestCertificate(.server("self signed").with { $0.notAfter = TestTime.days(-1) })
    func client(_ pins: [ServerChecks.Fingerprint]) -> TLSOptions {
      World.clientOptions {
        $0.authorities = []
        $0.checks.peerFingerprints = pins
      }
    }
    let pins = [World.server.fingerprint(), alone.fingerprint()]
    #expect(try World.handshake(client: client(pins), server: World.serverOptions(alone)).client == nil)
    let fault = try World.handshake(
      client: client([World.server.fingerprint()]), server: World.serverOptions(alone)
    ).client
    #expect(fault?.code == .tlsCertificateWrongFingerprint)
  }

  @Test("with a CA the fingerprint comes on top") func pinnedAndSigned() throws {
    let stranger = World.otherAuthority.issue(.server())
    let pinned = try World.verdict(on: stranger) { $0.peerFingerprints = [stranger.fingerprint()] }
    #expect(pinned?.code == .tlsCertificateUntrusted)
    let signed = try World.verdict(on: World.server) { $0.peerFingerprints = [stranger.fingerprint()] }
    #expect(signed?.code == .tlsCertificateWrongFingerprint)
  }

  @Test("verify-hash pins the issuer, and a chain without issuer cannot meet it") func issuerPin() throws {
    let wrong = try World.verdict(on: World.server) { $0.issuerFingerprints = [World.server.fingerprint()] }
    #expect(wrong?.code == .tlsCertificateWrongFingerprint)
    let alone = TestCertificate(.server("alone").with { $0.keyUsage = nil })
    let client = World.clientOptions {
      $0.authorities = [alone.pem]
      $0.checks.issuerFingerprints = [alone.fingerprint()]
    }
    let fault = try World.handshake(client: client, server: World.serverOptions(alone)).client
    #expect(fault?.code == .tlsCertificateWrongFingerprint)
  }

  @Test("an intermediate is sent along by the server, and a chain of more than 16 is refused") func chains() throws {
    func server(intermediates count: Int) -> TLSOptions {
      var issuer = World.authority
      var chain: [TestCertificate] = []
      for index in 0..<count {
        issuer = issuer.issue(.authority("intermediate \(index)"))
        chain.insert(issuer, at: 0)
      }
      let leaf = issuer.issue(.server())
      return World.serverOptions(leaf) { options in
        options.extraCertificates = chain.map(\.pem).reduce(nil) { all, next in all.map { $0 + next } ?? next }
      }
    }
    #expect(try World.handshake(server: server(intermediates: 1)).client == nil)
    #expect(try World.handshake(server: server(intermediates: 14)).client == nil)
    #expect(try World.handshake(server: server(intermediates: 15)).client?.code == .tlsCertificateUntrusted)
  }
}
