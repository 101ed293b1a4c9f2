/// A certificate authority of its own and a profile that trusts it; the key protects nothing.
enum Sample {
  static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBgjCCASegAwIBAgIUfxTq8fTCoDvLElCs461FYOwUg5UwCgYIKoZIzj0EAwIw
    FTETMBEGA1UEAwwKRXhhbXBsZSBDQTAgFw0yNjExMzAwNDA1NDRaGA8yMDU2MTEy
    MjA0MDU0NFowFTETMBEGA1UEAwwKRXhhbXBsZSBDQTBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABAFp4QQi01uy5aWyr4Ix5l5wh5VJS1J+ILNWwpFYMebgo97LaPmM
    rvhgotyDm0+nTZQAMGdsvnj4YDpQc/hiv9KjUzBRMB0GA1UdDgQWBBRWzgFxLP1j
    e0ls4xlsRdWQNeU6YTAfBgNVHSMEGDAWgBRWzgFxLP1je0ls4xlsRdWQNeU6YTAP
    BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDbaiFwHf99v+5RDJzV
    krHNCMynCc2NWJesz3iCPlEIlAIhAPPOVVtckkapGIUoVvTlVWUhN5gWxu9bHQgK
    kZETeabj
    -----END CERTIFICATE-----

    """
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtwx5bxx0qWgM4y/B
    x7pfBUyu2VCfYEeH1I6qVV2ktxehRANCAAQBaeEEItNbsuWlsq+CMeZecIeVSUtS
    fiCzVsKRWDHm4KPey2j5jK74YKLcg5tPp02UADBnbL54+GA6UHP4Yr/S
    -----END PRIVATE KEY-----

    """
  /// A month after the certificate begins.
  static let now: Int64 = 1_798_761_600

  static func profile(_ more: String = "") -> String {
    """
    client
    dev tun
    remote vpn.example.net 1194 udp
    remote 203.0.113.9 443 tcp4
    remote-cert-tls server
    <ca>
    \(authority)</ca>
    <cert>
    \(authority)</cert>
    <key>
    \(key)</key>
    \(more)

    """
  }
}
