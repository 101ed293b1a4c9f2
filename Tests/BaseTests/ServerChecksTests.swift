import Base
import Testing

@Suite struct ServerChecksTests {
  private func identifies(_ ask: (inout ServerChecks) -> Void) -> Bool {
    var checks = ServerChecks()
    ask(&checks)
    return checks.identifiesServer
  }

  @Test("H-18 what a client's certificate of the same CA passes too identifies no server") func clientsPass() {
    let pin = ServerChecks.Fingerprint(digest: .sha256, bytes: Array(repeating: 1, count: 32))
    #expect(!identifies { _ in })
    #expect(!identifies { $0.keyUsages = [] })
    #expect(!identifies { $0.keyUsages = [0xa0] })
    #expect(!identifies { $0.issuerFingerprints = [pin] })
    #expect(!identifies { $0.netscapeType = .client })
    #expect(!identifies { $0.extendedKeyUsage = "TLS Web Client Authentication" })
    #expect(!identifies { $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.2" })
  }

  @Test("H-18 what only the server passes identifies it") func onlyServerPasses() {
    let pin = ServerChecks.Fingerprint(digest: .sha256, bytes: Array(repeating: 1, count: 32))
    #expect(identifies { $0.extendedKeyUsage = "TLS Web Server Authentication" })
    #expect(identifies { $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.1" })
    #expect(identifies { $0.netscapeType = .server })
    #expect(identifies { $0.x509Name = "server" })
    #expect(identifies { $0.peerFingerprints = [pin] })
  }
}
