// What a profile says about TLS, as the TLS room consumes it. Profile fills it, TLS reads it; neither imports the other.

package enum TLSVersion: UInt8, Hashable, Sendable, Comparable, CaseIterable {
  case v1_0, v1_1, v1_2, v1_3

  package var name: String {
    switch self {
    case .v1_0: "1.0"
    case .v1_1: "1.1"
    case .v1_2: "1.2"
    case .v1_3: "1.3"
    }
  }
  package init?(name: String) {
    guard let version = TLSVersion.allCases.first(where: { $0.name == name }) else { return nil }
    self = version
  }
  package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// `tls-cert-profile` (protocol.md section 5.1): OpenSSL security levels 0 to 3.
package enum CertificateProfile: String, Hashable, Sendable, CaseIterable { case insecure, legacy, preferred, suiteb }

package struct TLSOptions: Hashable, Sendable {
  /// PEM; several certificates each.
  package var authorities: [SecretBytes] = []
  package var certificate: SecretBytes?
  package var key: SecretBytes?
  package var extraCertificates: SecretBytes?
  /// DER.
  package var pkcs12: SecretBytes?
  package var keyPassword: SecretBytes?
  /// PEM lists; every one must be readable.
  package var revocationLists: [SecretBytes] = []

  package var minimumVersion: TLSVersion = .v1_2
  package var maximumVersion: TLSVersion?
  /// For TLS up to 1.2, as written: IANA or OpenSSL names, `:` between them.
  package var cipherList: String?
  /// For TLS 1.3, as written.
  package var cipherSuites: String?
  package var groups: String?
  package var certificateProfile: CertificateProfile?
  package var checks = ServerChecks()

  package init() {}
}

/// How the server must prove who it is, beyond the chain (protocol.md section 5.3).
package struct ServerChecks: Hashable, Sendable {
  package enum NameKind: String, Hashable, Sendable { case subject, name, namePrefix = "name-prefix" }
  package enum Role: String, Hashable, Sendable { case server, client }

  /// A digest of a DER certificate.
  package struct Fingerprint: Hashable, Sendable {
    package var digest: Digest
    package var bytes: [UInt8]

    package init(digest: Digest, bytes: [UInt8]) {
      self.digest = digest
      self.bytes = bytes
    }
  }

  /// `remote-cert-ku`: `nil` = not asked, empty = the extension must exist, else any value's bits must all be set.
  package var keyUsages: [UInt8]?
  /// `remote-cert-eku`: OpenSSL's long name or a dotted OID.
  package var extendedKeyUsage: String?
  /// `ns-cert-type`.
  package var netscapeType: Role?
  package var x509Name: String?
  package var x509NameKind: NameKind = .subject
  /// `x509-username-field`; default CN.
  package var usernameFields: [String] = ["CN"]
  /// `peer-fingerprint`, depth 0; any may match.
  package var peerFingerprints: [Fingerprint] = []
  /// `verify-hash`, depth 1; any may match.
  package var issuerFingerprints: [Fingerprint] = []

  package init() {}

  /// False when any client of the same CA could pose as the server (cases H-18).
  ///
  /// A key usage and a pinned issuer are no help: both ends have the same.
  package var identifiesServer: Bool {
    let isForServers = extendedKeyUsage.map { !Self.clientUsage.contains($0) } ?? false
    return isForServers || netscapeType == .server || x509Name != nil || !peerFingerprints.isEmpty
  }

  /// Of `remote-cert-eku`: OpenSSL's name and the OID.
  private static let clientUsage = ["TLS Web Client Authentication", "1.3.6.1.5.5.7.3.2"]
}
