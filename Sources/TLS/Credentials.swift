internal import Base

/// What we show the server: certificate, key, and the certificates sent along.
struct Credentials {
  var certificate: Certificate?
  var key: PrivateKey?
  /// Sent in the chain, not trusted.
  var chain: [Certificate] = []
  /// From a PKCS#12 file, trusted only where the profile has no `ca` (protocol.md section 5.2).
  var authorities: [Certificate] = []

  init(_ options: TLSOptions) throws(Fault) {
    if let text = options.certificate {
      var found = try PEM.certificates(in: text, of: "cert")
      certificate = found.removeFirst()
      chain = found
    }
    if let text = options.key { key = try PEM.privateKey(in: text, password: options.keyPassword) }
    if let file = options.pkcs12 {
      let content = try PKCS12Content.read(file, password: options.keyPassword)
      certificate = content.certificate ?? certificate
      key = content.key ?? key
      if options.authorities.isEmpty { authorities = content.others } else { chain += content.others }
    }
    if let text = options.extraCertificates { chain += try PEM.certificates(in: text, of: "extra-certs") }
    if certificate != nil, key == nil { throw Fault(.keyUnreadable, "the certificate has no key") }
    if certificate == nil, key != nil { throw Fault(.certificateUnreadable, "the key has no certificate") }
  }
}
