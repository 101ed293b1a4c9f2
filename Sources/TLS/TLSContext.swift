package import Base
internal import COpenSSL

/// What all TLS connections of one session share: versions, ciphers, credentials, trust, and the checks of the peer.
///
/// Built once per session from the profile and used for the connection of every key id (protocol.md section 5.1).
@safe package final class TLSContext {
  /// The server's part exists for the mirror that tests run against.
  package enum Role: Hashable, Sendable { case client, server }

  package let role: Role
  /// Names that were skipped and the like, for the log.
  package private(set) var notes: [Note] = []
  /// Our own certificate.
  package private(set) var certificate: CertificateFacts?
  /// The certificates that we trust, in the order of the profile.
  package private(set) var authorities: [CertificateFacts] = []

  let raw: OpaquePointer
  private let verification: PeerVerification
  /// Why the last chain was refused; written by the callback, taken by the endpoint that drove the handshake.
  private var refusal: Fault?

  /// - Parameter wallTime: the time certificates are judged at, unless an endpoint brings its own.
  package init(_ options: TLSOptions, role: Role, wallTime: WallTime) throws(Fault) {
    Self.start
    OpenSSLErrors.clear()
    defer { OpenSSLErrors.clear() }
    guard let raw = unsafe SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
      throw Fault(.internalError, "SSL_CTX_new")
    }
    unsafe self.raw = raw
    self.role = role
    verification = PeerVerification(options)
    unsafe adit_tls_plain_options(raw)
    if role == .server { unsafe adit_tls_server_options(raw) }
    try setVersions(options)
    try setNames(options)
    try setCredentials(options)
    try setTrust(options, wallTime: wallTime)
  }

  deinit { unsafe SSL_CTX_free(raw) }

  /// The level that OpenSSL ended up with; `tls-cipher …@SECLEVEL=n` has the last word.
  var securityLevel: Int { unsafe Int(SSL_CTX_get_security_level(raw)) }

  func takeRefusal() -> Fault? { refusal.take() }

  private static let start: Void = adit_tls_start()

  private func setVersions(_ options: TLSOptions) throws(Fault) {
    if let maximum = options.maximumVersion, maximum < options.minimumVersion {
      throw Fault(.tlsOptionsInvalid, "tls-version-max is below tls-version-min")
    }
    let maximum = options.maximumVersion?.openSSL ?? 0
    guard unsafe adit_tls_set_versions(raw, options.minimumVersion.openSSL, maximum) == 1 else {
      throw Fault(.tlsOptionsInvalid, "tls-version-min \(options.minimumVersion.name)")
    }
  }

  /// The level comes first and the list after it, so that `@SECLEVEL` in the list wins.
  private func setNames(_ options: TLSOptions) throws(Fault) {
    let profile = options.certificateProfile ?? .legacy
    unsafe SSL_CTX_set_security_level(raw, profile.securityLevel)
    guard let scratch = unsafe SSL_CTX_new(TLS_client_method()) else { throw Fault(.internalError, "SSL_CTX_new") }
    defer { unsafe SSL_CTX_free(scratch) }
    var names = unsafe CipherNames(scratch: scratch)
    let list: String
    if let written = options.cipherList {
      list = try names.cipherList(written)
    } else {
      list = profile == .suiteb ? "SUITEB128" : Self.defaultCiphers
    }
    guard unsafe SSL_CTX_set_cipher_list(raw, list) == 1 else { throw Fault(.tlsOptionsInvalid, "tls-cipher \(list)") }
    if let written = options.cipherSuites {
      let suites = try names.cipherSuites(written)
      guard unsafe SSL_CTX_set_ciphersuites(raw, suites) == 1 else {
        throw Fault(.tlsOptionsInvalid, "tls-ciphersuites \(suites)")
      }
    }
    if let written = options.groups {
      let groups = try names.groups(written)
      guard unsafe adit_tls_set_groups(raw, groups) == 1 else {
        throw Fault(.tlsOptionsInvalid, "tls-groups \(groups)")
      }
    }
    notes += names.notes
    // Above level 0 OpenSSL 3 fails in the middle of an old handshake, and nobody would guess why.
    if options.minimumVersion < .v1_2, securityLevel > 0 { notes.append(Note(.tlsOldVersionsNeedLevel)) }
  }

  /// protocol.md section 5.1.
  private static let defaultCiphers = "DEFAULT:!EXP:!LOW:!MEDIUM:!kDH:!kECDH:!DSS:!PSK:!SRP:!kRSA"

  private func setCredentials(_ options: TLSOptions) throws(Fault) {
    let credentials = try Credentials(options)
    if let leaf = credentials.certificate {
      unsafe try use(leaf.raw, "cert") { unsafe SSL_CTX_use_certificate($0, $1) }
      certificate = CertificateFacts(leaf)
    }
    if let key = credentials.key {
      if let leaf = credentials.certificate, unsafe X509_check_private_key(leaf.raw, key.raw) != 1 {
        throw Fault(.keyMismatch)
      }
      unsafe try use(key.raw, "key") { unsafe SSL_CTX_use_PrivateKey($0, $1) }
    }
    for other in credentials.chain {
      unsafe try use(other.raw, "extra-certs") { unsafe adit_tls_add_chain_certificate($0, $1) }
    }
    for authority in credentials.authorities { try trust(authority) }
  }

  /// Installs one of our own certificates or keys; OpenSSL refuses what its security level finds too weak (H-06).
  private func use(
    _ object: OpaquePointer, _ option: String, _ install: (OpaquePointer, OpaquePointer) -> Int32
  ) throws(Fault) {
    if unsafe install(raw, object) == 1 { return }
    let errors = OpenSSLErrors.take()
    if let weak = errors.first(where: \.isWeakness) { throw Fault(.tlsCertificateTooWeak, "\(option): \(weak.words)") }
    throw Fault(option == "key" ? .keyUnreadable : .certificateUnreadable, "\(option): \(errors.first?.words ?? "")")
  }

  private func setTrust(_ options: TLSOptions, wallTime: WallTime) throws(Fault) {
    for text in options.authorities {
      for authority in try PEM.certificates(in: text, of: "ca") { try trust(authority) }
    }
    if role == .client, authorities.isEmpty, options.checks.peerFingerprints.isEmpty {
      throw Fault(.configurationInvalid, "neither ca nor peer-fingerprint is set")
    }
    let parameters = unsafe SSL_CTX_get0_param(raw)
    unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(wallTime.seconds))
    unsafe X509_VERIFY_PARAM_set_depth(parameters, Self.largestDepth)
    if !options.revocationLists.isEmpty {
      unsafe X509_VERIFY_PARAM_set_flags(parameters, adit_tls_crl_flags())
      try addRevocationLists(options)
    }
    guard role == .client || !authorities.isEmpty else { return }
    unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    unsafe SSL_CTX_set_cert_verify_callback(raw, verifyChain, Unmanaged.passUnretained(self).toOpaque())
  }

  /// OpenSSL counts the certificates between the leaf and the anchor: depth 15 and more is refused (protocol.md 5.3).
  private static let largestDepth: Int32 = 14

  /// An authority without a list is accepted (protocol.md section 5.3, crl-verify), but not in silence.
  private func addRevocationLists(_ options: TLSOptions) throws(Fault) {
    var issuers: Set<String> = []
    for text in options.revocationLists {
      for list in try PEM.revocationLists(in: text) {
        guard unsafe X509_STORE_add_crl(SSL_CTX_get_cert_store(raw), list.raw) == 1 else { throw Fault(.crlUnreadable) }
        unsafe issuers.insert(DistinguishedName.text(of: X509_CRL_get_issuer(list.raw)))
      }
    }
    for authority in authorities where !issuers.contains(authority.subject) {
      notes.append(Note(.revocationListMissing, authority.subject))
    }
  }

  private func trust(_ authority: Certificate) throws(Fault) {
    guard unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), authority.raw) == 1 else {
      throw Fault(.certificateUnreadable, "ca")
    }
    authorities.append(CertificateFacts(authority))
  }

  fileprivate func judge(_ store: OpaquePointer) -> Bool {
    refusal = unsafe verification.judge(store, hasAuthorities: !authorities.isEmpty)
    return refusal == nil
  }
}

/// OpenSSL's call for a chain to judge.
private func verifyChain(_ store: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let store = unsafe store, let argument = unsafe argument else { return 0 }
  return unsafe Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue().judge(store) ? 1 : 0
}

extension TLSVersion {
  var openSSL: Int32 {
    switch self {
    case .v1_0: TLS1_VERSION
    case .v1_1: TLS1_1_VERSION
    case .v1_2: TLS1_2_VERSION
    case .v1_3: TLS1_3_VERSION
    }
  }
}

extension CertificateProfile {
  var securityLevel: Int32 {
    switch self {
    case .insecure: 0
    case .legacy: 1
    case .preferred: 2
    case .suiteb: 3
    }
  }
}
