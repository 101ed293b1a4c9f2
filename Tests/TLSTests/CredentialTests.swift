import Base
import TLS
import TestKit
import Testing

@Suite("Certificates and keys from memory") struct CredentialTests {
  @Test("garbage, a missing half and foreign keys each have their fault") func broken() {
    let garbage = SecretBytes(Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
    #expect(World.buildFault(World.clientOptions { $0.authorities = [garbage] })?.code == .certificateUnreadable)
    #expect(World.buildFault(World.clientOptions { $0.authorities = [SecretBytes([])] })?.detail == "ca")
    #expect(World.buildFault(World.clientOptions { $0.certificate = garbage })?.code == .certificateUnreadable)
    #expect(World.buildFault(World.clientOptions { $0.key = garbage })?.code == .keyUnreadable)
    #expect(World.buildFault(World.clientOptions { $0.key = nil })?.code == .keyUnreadable)
    #expect(World.buildFault(World.clientOptions { $0.certificate = nil })?.code == .certificateUnreadable)
    #expect(World.buildFault(World.clientOptions { $0.key = World.server.key.pem })?.code == .keyMismatch)
    #expect(World.buildFault(World.clientOptions { $0.authorities = [] })?.code == .configurationInvalid)
    #expect(World.buildFault(World.clientOptions { $0.extraCertificates = garbage })?.code == .certificateUnreadable)
  }

  @Test("a second, broken block spoils the whole text") func brokenSecond() {
    let broken = SecretBytes(Array("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".utf8))
    let fault = World.buildFault(World.clientOptions { $0.authorities = [World.authority.pem + broken] })
    #expect(fault?.code == .certificateUnreadable)
  }

  @Test("several authorities in one text, with words around them") func severalAuthorities() throws {
    let words = SecretBytes(Array("# of the provider\n".utf8))
    let options = World.clientOptions {
      $0.authorities = [words + World.otherAuthority.pem + words + World.authority.pem]
    }
    let context = try World.context(options)
    #expect(context.authorities.map(\.subject) == ["CN=Another CA", "CN=Adit test CA"])
    #expect(try World.handshake(client: options).client == nil)
  }

  @Test("every kind of key", arguments: [TestKey.Kind.ecP256, .ecP384, .rsa(2_048), .ed25519])
  func kinds(kind: TestKey.Kind) throws {
    let client = World.authority.issue(.client().with { $0.key = kind })
    let server = World.authority.issue(.server().with { $0.key = kind })
    let options = World.clientOptions {
      $0.certificate = client.pem
      $0.key = client.key.pem
    }
    let faults = try World.handshake(client: options, server: World.serverOptions(server))
    #expect(faults.client == nil && faults.server == nil)
  }

  @Test("an encrypted key: right, wrong and no password, in both forms") func encryptedKeys() throws {
    for text in [
      World.client.key.pem(encryptedWith: "sesame"), World.client.key.traditionalPEM(encryptedWith: "sesame"),
    ] {
      func fault(_ password: String?) -> Fault.Code? {
        World.buildFault(
          World.clientOptions {
            $0.key = text
            $0.keyPassword = password.map { SecretBytes(Array($0.utf8)) }
          })?.code
      }
      #expect(fault("sesame") == nil)
      #expect(fault("Sesame") == .keyPasswordWrong)
      #expect(fault("") == .keyPasswordWrong)
      #expect(fault(String(repeating: "x", count: 5_000)) == .keyPasswordWrong)
      #expect(fault(nil) == .keyPasswordMissing)
    }
  }

  @Test("PKCS#12: the empty password first, then the given") func pkcs12() throws {
    func options(_ file: SecretBytes, _ password: String?) -> TLSOptions {
      World.clientOptions {
        $0.certificate = nil
        $0.key = nil
        $0.pkcs12 = file
        $0.keyPassword = password.map { SecretBytes(Array($0.utf8)) }
      }
    }
    let open = World.client.pkcs12(password: "")
    let locked = World.client.pkcs12(password: "sesame")
    #expect(try World.handshake(client: options(open, nil)).server == nil)
    #expect(try World.handshake(client: options(open, "unneeded")).server == nil)
    #expect(try World.handshake(client: options(locked, "sesame")).server == nil)
    #expect(World.buildFault(options(locked, "wrong"))?.code == .keyPasswordWrong)
    #expect(World.buildFault(options(locked, nil))?.code == .keyPasswordMissing)
    #expect(World.buildFault(options(SecretBytes([1, 2, 3]), nil))?.code == .pkcs12Unreadable)
  }

  @Test("authorities inside a PKCS#12 file count only without ca") func pkcs12Authorities() throws {
    let file = World.client.pkcs12(password: "", others: [World.authority])
    func options(_ authorities: [SecretBytes]) -> TLSOptions {
      World.clientOptions {
        $0.authorities = authorities
        $0.certificate = nil
        $0.key = nil
        $0.pkcs12 = file
      }
    }
    #expect(try World.handshake(client: options([])).client == nil)
    let other = try World.handshake(client: options([World.otherAuthority.pem])).client
    #expect(other?.code == .tlsCertificateUntrusted)
  }

  @Test("H-07 a PKCS#12 file with RC2 is named as such") func legacyPKCS12() throws {
    let file = try #require(Base64.bytes(legacyFile.utf8))
    let fault = World.buildFault(
      World.clientOptions {
        $0.certificate = nil
        $0.key = nil
        $0.pkcs12 = SecretBytes(file)
        $0.keyPassword = SecretBytes(Array("sesame".utf8))
      })
    #expect(fault?.code == .pkcs12NeedsLegacy)
  }

  @Test("O-45 an unreadable revocation list fails closed, also beside a good one") func brokenRevocationList() {
    let broken = SecretBytes(Array("-----BEGIN X509 CRL-----\nMIIBAAA=\n-----END X509 CRL-----\n".utf8))
    let good = World.authority.revocationList()
    // OpenSSL passes over a block that does not begin well.
    let headless = SecretBytes(good.exposed.dropFirst())
    for lists in [[broken], [good, broken], [good + broken], [SecretBytes([])], [good + headless], [headless + good]] {
      #expect(World.buildFault(World.clientOptions { $0.revocationLists = lists })?.code == .crlUnreadable)
    }
  }

  @Test("what check says about a certificate") func facts() throws {
    let server = World.authority.issue(.server().with { $0.key = .rsa(2_048) })
    let facts = try CertificateFacts.read(pem: server.pem + World.authority.pem, of: "cert")
    #expect(facts.map(\.subject) == ["CN=server", "CN=Adit test CA"])
    #expect(facts.map(\.issuer) == ["CN=Adit test CA", "CN=Adit test CA"])
    #expect(facts.map(\.keyType) == ["RSA", "EC"])
    #expect(facts.map(\.keyBits) == [2_048, 256])
    #expect(facts[0].notBefore == TestTime.days(-365))
    #expect(facts[0].notAfter == TestTime.days(3_285))
    let context = try World.context(World.clientOptions())
    #expect(context.certificate?.subject == "CN=client")
  }
}
