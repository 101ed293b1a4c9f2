import Base
import TLS
import TestKit
import Testing

@Suite("Versions, ciphers and levels") struct AgreementTests {
  /// The cipher that a client with these options gets, or why none.
  private func agreed(
    server: TLSOptions = World.serverOptions(), _ change: (inout TLSOptions) -> Void
  ) throws -> (cipher: String?, client: Fault?, server: Fault?, notes: [Note]) {
    let context = try World.context(World.clientOptions(change))
    var pair = try Pair(client: context, server: World.context(server, .server))
    pair.run()
    return (pair.client.summary?.cipher, pair.clientFault, pair.serverFault, context.notes)
  }

  @Test("O-42 dead names are skipped with a note, IANA's names are understood") func ciphers() throws {
    let result = try agreed {
      $0.maximumVersion = .v1_2
      $0.cipherList =
        "TLS-NOT-A-CIPHER:TLS-ECDHE-ECDSA-WITH-AES-128-GCM-SHA256:TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256:BOGUS"
    }
    #expect(result.cipher == "ECDHE-ECDSA-AES128-GCM-SHA256")
    #expect(result.notes.map(\.fields) == [["tls-cipher", "TLS-NOT-A-CIPHER"], ["tls-cipher", "BOGUS"]])
  }

  @Test("O-42 only when no name is left it is an error") func noCipherLeft() {
    for list in ["TLS-NOT-A-CIPHER", "", ":", "!aNULL", "@SECLEVEL=0", "NOPE:!aNULL:@SECLEVEL=1"] {
      #expect(World.buildFault(World.clientOptions { $0.cipherList = list })?.code == .tlsOptionsInvalid, "\(list)")
    }
  }

  @Test("O-42 tls-cipher does not touch the suites of TLS 1.3") func cipherListAndTLS13() throws {
    let list =
      "TLS-DHE-RSA-WITH-AES-256-CBC-SHA:TLS-DHE-DSS-WITH-AES-256-CBC-SHA:TLS-RSA-WITH-AES-256-CBC-SHA"
    #expect(try agreed { $0.cipherList = list }.cipher == "TLS_AES_256_GCM_SHA384")
  }

  @Test("tls-ciphersuites with dashes, unknown ones skipped") func suites() throws {
    let result = try agreed { $0.cipherSuites = "TLS-NOT-ONE:TLS-CHACHA20-POLY1305-SHA256" }
    #expect(result.cipher == "TLS_CHACHA20_POLY1305_SHA256")
    #expect(result.notes == [Note(.tlsNameSkipped, "tls-ciphersuites", "TLS_NOT_ONE")])
    #expect(World.buildFault(World.clientOptions { $0.cipherSuites = "TLS_NOPE" })?.code == .tlsOptionsInvalid)
  }

  @Test("tls-groups with the aliases profiles use") func groups() throws {
    let server = World.serverOptions { $0.groups = "P-384" }
    for name in ["secp384r1", "P-384", "nonsense:secp384r1:X25519"] {
      #expect(try agreed(server: server) { $0.groups = name }.client == nil, "\(name)")
    }
    #expect(World.buildFault(World.clientOptions { $0.groups = "prime256v1" }) == nil)
    #expect(World.buildFault(World.clientOptions { $0.groups = "nonsense" })?.code == .tlsOptionsInvalid)
    #expect(try agreed(server: server) { $0.groups = "X25519" }.client?.code == .tlsNoSharedCipher)
  }

  @Test("no version in common is named on our side, whoever finds out") func versions() throws {
    let new = World.serverOptions { $0.minimumVersion = .v1_3 }
    let refused = try agreed(server: new) { $0.maximumVersion = .v1_2 }
    #expect(refused.client?.code == .tlsProtocolVersion)
    let old = World.serverOptions { $0.maximumVersion = .v1_2 }
    #expect(try agreed(server: old) { $0.minimumVersion = .v1_3 }.client?.code == .tlsProtocolVersion)
    let impossible = World.clientOptions {
      $0.minimumVersion = .v1_3
      $0.maximumVersion = .v1_2
    }
    #expect(World.buildFault(impossible)?.code == .tlsOptionsInvalid)
  }

  @Test("no cipher in common is named on our side") func noSharedCipher() throws {
    let server = World.serverOptions {
      $0.maximumVersion = .v1_2
      $0.cipherList = "ECDHE-ECDSA-AES256-GCM-SHA384"
    }
    let result = try agreed(server: server) { $0.cipherList = "ECDHE-ECDSA-AES128-GCM-SHA256" }
    #expect(result.client?.code == .tlsNoSharedCipher)
    #expect(result.server?.code == .tlsNoSharedCipher)
  }

  @Test(
    "no list brings in ciphers without a certificate", arguments: ["ALL", "aNULL:AES256-SHA", "ADH-AES256-SHA:ALL"])
  func anonymous(list: String) throws {
    let options = World.clientOptions { $0.cipherList = "\(list):@SECLEVEL=0" }
    var client = try TLSEndpoint(World.context(options))
    let server = try #require(AnonymousServer())
    var progress = client.advance()
    for _ in 0..<10 {
      _ = server.take(client.drain(atMost: .max))
      client.receive(server.give())
      progress = client.advance()
    }
    guard case .failed(let fault) = progress else {
      Issue.record("a server without a certificate is let in: \(progress)")
      return
    }
    #expect(fault.code == .tlsNoSharedCipher)
  }

  @Test("the old versions come up only at level 0, and a note says so", arguments: [TLSVersion.v1_0, .v1_1])
  func oldVersions(version: TLSVersion) throws {
    let server = World.serverOptions {
      $0.minimumVersion = .v1_0
      $0.maximumVersion = version
      $0.certificateProfile = .insecure
    }
    let refused = try agreed(server: server) { $0.minimumVersion = .v1_0 }
    #expect(refused.client?.code == .tlsProtocolVersion)
    #expect(refused.client?.detail?.contains("tls-cert-profile insecure") == true)
    #expect(refused.notes == [Note(.tlsOldVersionsNeedLevel)])
    let relaxed = try agreed(server: server) {
      $0.minimumVersion = .v1_0
      $0.certificateProfile = .insecure
    }
    #expect(relaxed.client == nil)
    #expect(relaxed.notes.isEmpty)
  }

  @Test("H-06 weak certificates are refused, and the two switches let them in") func weak() throws {
    let weakAuthority = TestCertificate.authority(.authority("Weak CA").with { $0.key = .rsa(1_024) })
    let cases = [
      World.authority.issue(.server().with { $0.digest = "SHA1" }),
      World.authority.issue(.server().with { $0.key = .rsa(768) }), weakAuthority.issue(.server()),
    ]
    for server in cases {
      let options = World.serverOptions(server) { $0.certificateProfile = .insecure }
      let authorities = [World.authority.pem, weakAuthority.pem]
      func client(_ change: (inout TLSOptions) -> Void) throws -> Fault.Code? {
        try World.handshake(
          client: World.clientOptions {
            $0.authorities = authorities
            change(&$0)
          }, server: options
        ).client?.code
      }
      let profile = server === cases[2] ? CertificateProfile.preferred : nil
      #expect(try client { $0.certificateProfile = profile } == .tlsCertificateTooWeak)
      #expect(try client { $0.certificateProfile = .insecure } == nil)
      #expect(try client { $0.cipherList = "DEFAULT:@SECLEVEL=0" } == nil)
    }
  }

  @Test("H-06 our own weak certificate is named at once") func weakOwn() {
    let weak = World.authority.issue(.client().with { $0.key = .rsa(768) })
    let options = World.clientOptions {
      $0.certificate = weak.pem
      $0.key = weak.key.pem
    }
    #expect(World.buildFault(options)?.code == .tlsCertificateTooWeak)
  }

  @Test("tls-cert-profile suiteb agrees on its own suite") func suiteB() throws {
    let authority = TestCertificate.authority(.authority().with { $0.key = .ecP256 })
    let server = authority.issue(.server())
    let options = World.serverOptions(server) {
      $0.authorities = []
      $0.maximumVersion = .v1_2
    }
    let client = World.clientOptions {
      $0.authorities = [authority.pem]
      $0.certificate = nil
      $0.key = nil
      $0.certificateProfile = .suiteb
    }
    let result = try World.handshake(client: client, server: options)
    #expect(result.client == nil)
  }

  @Test("the server's refusal of our certificate arrives in words", arguments: [TLSVersion.v1_2, .v1_3])
  func refusedByServer(version: TLSVersion) throws {
    let stranger = World.otherAuthority.issue(.client())
    let fault = try agreed {
      $0.minimumVersion = version
      $0.maximumVersion = version
      $0.certificate = stranger.pem
      $0.key = stranger.key.pem
    }.client
    #expect(fault == Fault(.tlsAlert, "it refuses our certificate (unknown CA)"))
    let expired = World.authority.issue(.client().with { $0.notAfter = TestTime.days(-2) })
    let second = try agreed {
      $0.maximumVersion = version
      $0.certificate = expired.pem
      $0.key = expired.key.pem
    }.client
    #expect(second == Fault(.tlsAlert, "it refuses our certificate (certificate expired)"))
  }
}
