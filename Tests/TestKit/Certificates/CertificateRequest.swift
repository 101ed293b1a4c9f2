import Base

/// The day all tests play on: 2026-01-01. Certificates last from a year before to nine years after, unless told otherwise.
package enum TestTime {
  package static let now = WallTime(seconds: 1_767_225_600)
  package static let day: Int64 = 86_400
  package static func days(_ count: Int64) -> WallTime { WallTime(seconds: now.seconds + count * day) }
}

/// What a certificate shall say.
package struct CertificateRequest {
  /// Short names and values in order: `("CN", "server")`.
  package var subject: [(String, String)]
  package var key = TestKey.Kind.ecP256
  package var digest = "SHA256"
  package var notBefore = TestTime.days(-365)
  package var notAfter = TestTime.days(3_285)
  /// OpenSSL's configuration words, as in `digitalSignature,keyAgreement`; `nil` leaves the extension out.
  package var keyUsage: String?
  package var extendedKeyUsage: String?
  package var netscapeType: String?
  package var alternativeName: String?
  package var isAuthority = false

  package init(subject: [(String, String)]) { self.subject = subject }

  package static func server(_ name: String = "server") -> CertificateRequest {
    var request = CertificateRequest(subject: [("CN", name)])
    request.keyUsage = "digitalSignature,keyEncipherment"
    request.extendedKeyUsage = "serverAuth"
    return request
  }

  package static func client(_ name: String = "client") -> CertificateRequest {
    var request = CertificateRequest(subject: [("CN", name)])
    request.keyUsage = "digitalSignature"
    request.extendedKeyUsage = "clientAuth"
    return request
  }

  package static func authority(_ name: String = "Adit test CA") -> CertificateRequest {
    var request = CertificateRequest(subject: [("CN", name)])
    request.keyUsage = "keyCertSign,cRLSign"
    request.isAuthority = true
    return request
  }

  /// Changes one thing: `.server().with { $0.extendedKeyUsage = nil }`.
  package func with(_ change: (inout CertificateRequest) -> Void) -> CertificateRequest {
    var copy = self
    change(&copy)
    return copy
  }
}
