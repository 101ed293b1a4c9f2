/// Reads as a profile: certificates and keys are looked at by the TLS room only.
enum Sample {
  static let authority = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
  static let key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
  static let profile = """
    client
    dev tun
    remote vpn.example.net 1194 udp
    remote-cert-tls server
    ca ca.crt
    auth-user-pass home.auth

    """
  static let section = "config tunnel 'home'\n\toption profile 'home.ovpn'\n"
}
