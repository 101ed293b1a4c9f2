import Base
import TLS
import TestKit
import Testing

@Suite("Servers that almost fit are refused") struct AlmostFittingTests {
  /// What the client says to a leaf that comes with these certificates behind it.
  private func verdict(
    on leaf: TestCertificate, behind chain: [TestCertificate], _ change: (inout TLSOptions) -> Void = { _ in }
  ) throws -> Fault.Code? {
    let server = World.serverOptions(leaf) { options in
      if !chain.isEmpty { options.extraCertificates = SecretBytes(chain.flatMap(\.pem.exposed)) }
    }
    return try World.handshake(client: World.clientOptions(change), server: server).client?.code
  }

  @Test("an issuer that is no authority: a server's certificate, one without keyCertSign") func noAuthority() throws {
    let forged = World.server.issue(.server())
    #expect(try verdict(on: forged, behind: [World.server]) == .tlsCertificateUntrusted)
    let weak = World.authority.issue(.authority("weak").with { $0.keyUsage = "cRLSign" })
    #expect(try verdict(on: weak.issue(.server()), behind: [weak]) == .tlsCertificateUntrusted)
  }

  @Test("an intermediate that is expired, not yet valid or not there") func intermediates() throws {
    let old = World.authority.issue(.authority("old").with { $0.notAfter = TestTime.days(-1) })
    #expect(try verdict(on: old.issue(.server()), behind: [old]) == .tlsCertificateExpired)
    let young = World.authority.issue(.authority("young").with { $0.notBefore = TestTime.days(1) })
    #expect(try verdict(on: young.issue(.server()), behind: [young]) == .tlsCertificateNotYetValid)
    let good = World.authority.issue(.authority("good"))
    #expect(try verdict(on: good.issue(.server()), behind: []) == .tlsCertificateUntrusted)
  }

  @Test("an expired authority of our own") func expiredAuthority() throws {
    let old = TestCertificate.authority(.authority().with { $0.notAfter = TestTime.days(-1) })
    #expect(
      try verdict(on: old.issue(.server()), behind: []) { $0.authorities = [old.pem] } == .tlsCertificateExpired)
  }

  @Test("a stranger with the authority's name, sent along or not; an unknown self-signed server") func impostors()
    throws
  {
    let impostor = TestCertificate.authority()
    let leaf = impostor.issue(.server())
    #expect(try verdict(on: leaf, behind: []) == .tlsCertificateUntrusted)
    #expect(try verdict(on: leaf, behind: [impostor]) == .tlsCertificateUntrusted)
    #expect(try verdict(on: leaf, behind: [World.authority]) == .tlsCertificateUntrusted)
    let alone = TestCertificate(.server())
    #expect(try verdict(on: alone, behind: [World.authority]) == .tlsCertificateUntrusted)
  }

  @Test("the pinned certificate somewhere in the chain does not vouch for another leaf") func pinElsewhere() throws {
    let pin = World.server.fingerprint()
    let stranger = TestCertificate(.server())
    let alone = try verdict(on: stranger, behind: [World.server]) {
      $0.authorities = []
      $0.checks.peerFingerprints = [pin]
    }
    #expect(alone == .tlsCertificateWrongFingerprint)
    let other = World.authority.issue(.server("other"))
    #expect(
      try verdict(on: other, behind: [World.server]) { $0.checks.peerFingerprints = [pin] }
        == .tlsCertificateWrongFingerprint)
  }

  @Test("verify-hash wants the true issuer, not one that is merely sent along") func issuerElsewhere() throws {
    let leaf = World.otherAuthority.issue(.server())
    let fault = try verdict(on: leaf, behind: [World.authority]) {
      $0.authorities = [World.authority.pem, World.otherAuthority.pem]
      $0.checks.issuerFingerprints = [World.authority.fingerprint()]
    }
    #expect(fault == .tlsCertificateWrongFingerprint)
  }

  @Test("revoked: an intermediate counts too, and beside other lists; a forged list fails closed") func revoked() throws
  {
    let middle = World.authority.issue(.authority("middle"))
    let leaf = middle.issue(.server())
    let list = World.authority.revocationList(of: [middle])
    #expect(try verdict(on: leaf, behind: [middle]) { $0.revocationLists = [list] } == .tlsCertificateRevoked)
    let bad = middle.issue(.server("bad"))
    let lists = [World.authority.revocationList(), middle.revocationList(of: [bad])]
    #expect(try verdict(on: bad, behind: [middle]) { $0.revocationLists = lists } == .tlsCertificateRevoked)
    let both = [lists[0] + lists[1]]
    #expect(try verdict(on: bad, behind: [middle]) { $0.revocationLists = both } == .tlsCertificateRevoked)
    #expect(try verdict(on: leaf, behind: [middle]) { $0.revocationLists = both } == nil)
    let forged = TestCertificate.authority().revocationList()
    #expect(try verdict(on: World.server, behind: []) { $0.revocationLists = [forged] } == .crlUnusable)
  }

  @Test("names that only look right: of several CNs the last counts, whole and byte by byte") func names() throws {
    let names = [
      "gw.example.net\0.evil", "gw.example.net ", "*", "*.example.net", "gw.example.net.evil", "xgw.example.net",
      "GW.EXAMPLE.NET", "gw_example_net",
    ]
    for (index, name) in names.enumerated() {
      let server = World.authority.issue(
        .server().with { $0.subject = [("CN", "gw.example.net"), ("CN", name), ("O", "gw.example.net")] })
      let fault = try verdict(on: server, behind: []) {
        $0.checks.x509Name = "gw.example.net"
        $0.checks.x509NameKind = .name
      }
      #expect(fault == .tlsCertificateWrongName, "name \(index)")
    }
  }

  @Test("a name check without a name lets nobody in", arguments: [ServerChecks.NameKind.namePrefix, .name, .subject])
  func emptyName(kind: ServerChecks.NameKind) throws {
    let server = World.authority.issue(.server().with { $0.subject = [] })
    for leaf in [World.server, server] {
      let fault = try verdict(on: leaf, behind: []) {
        $0.checks.x509Name = ""
        $0.checks.x509NameKind = kind
      }
      #expect(fault == .tlsCertificateWrongName)
    }
  }

  @Test("usages: a value of no bits asks for something, and any usage is not the server's") func usages() throws {
    #expect(try World.verdict(on: World.server) { $0.keyUsages = [0] }?.code == .tlsCertificateWrongUsage)
    #expect(try World.verdict(on: World.server) { $0.keyUsages = [0, 0x80] } == nil)
    for usage in ["anyExtendedKeyUsage", "clientAuth,anyExtendedKeyUsage", "msSGC", "1.3.6.1.5.5.7.3.11"] {
      let server = World.authority.issue(.server().with { $0.extendedKeyUsage = usage })
      let fault = try verdict(on: server, behind: []) {
        $0.checks.extendedKeyUsage = "TLS Web Server Authentication"
      }
      #expect(fault == .tlsCertificateWrongUsage, "\(usage)")
    }
  }
}
