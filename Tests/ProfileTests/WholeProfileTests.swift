import Base
import Profile
import Testing

/// Profiles in the shape in which providers and servers hand them out; names and addresses are examples.
@Suite("Whole profiles of many makers")
struct WholeProfileTests {
  /// Reads, and checks that the canonical text makes the same profile.
  private func read(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Profile {
    let profile = try Samples.whole(text, sourceLocation: sourceLocation)
    let canonical = Profile.canonicalText(of: Samples.lex(text).lines).text
    #expect(try Samples.whole(canonical, sourceLocation: sourceLocation) == profile, sourceLocation: sourceLocation)
    return profile
  }

  private static let login = "<auth-user-pass>\nuser\npassword\n</auth-user-pass>\n"

  @Test("A large provider: two remotes, tls-auth, LZO framing, timers that end OpenVPN, CRLF")
  func commercial() throws {
    let text = """
      # sample provider
      client
      dev tun
      proto udp
      remote 203.0.113.10 1194
      remote 203.0.113.11 1194
      resolv-retry infinite
      remote-random
      nobind
      tun-mtu 1500
      tun-mtu-extra 32
      mssfix 1450
      persist-key
      persist-tun
      ping 15
      ping-restart 0
      ping-timer-rem
      reneg-sec 0
      comp-lzo no
      verify-x509-name CN=xx1.provider.example
      remote-cert-tls server
      verb 3
      pull
      fast-io
      cipher AES-256-CBC
      auth SHA512
      \(Self.login)<ca>
      \(Samples.certificate)</ca>
      key-direction 1
      <tls-auth>
      #
      # 2048 bit OpenVPN static key
      #
      \(Samples.staticKey)</tls-auth>
      """.replacing("\n", with: "\r\n")
    let profile = try read(text)
    #expect(profile.remotes.map(\.host) == ["203.0.113.10", "203.0.113.11"])
    #expect(profile.remotes.map(\.mssFix) == [.packet(1450), .packet(1450)])
    #expect(profile.timers.renegotiateAfter == .zero)
    #expect(profile.timers.pingRestart == .zero)
    #expect(profile.compression == .lzoStub && profile.cipher == .aes256CBC && profile.auth == .sha512)
    guard case .tlsAuth(let key, let direction) = profile.remotes[0].wrap else { throw CancellationError() }
    #expect(direction == 1)
    #expect(key.text.contains("BEGIN OpenVPN Static key V1"))
    #expect(profile.tls.checks.x509Name == "CN=xx1.provider.example")
  }

  @Test("Access Server: comments with metadata, many remotes, setenv opt, inline client certificate")
  func accessServer() throws {
    let profile = try read(
      """
      # Automatically generated OpenVPN client config file
      # OVPN_ACCESS_SERVER_USERNAME=user
      # OVPN_ACCESS_SERVER_PROFILE=user@as.example.net/AUTOLOGIN
      setenv FORWARD_COMPATIBLE 1
      client
      server-poll-timeout 4
      nobind
      remote as.example.net 1194 udp
      remote as.example.net 1194 udp
      remote as.example.net 443 tcp
      dev tun
      dev-type tun
      ns-cert-type server
      setenv opt tls-version-min 1.0 or-highest
      reneg-sec 604800
      sndbuf 100000
      rcvbuf 100000
      # NOTE: LZO commands are pushed by the Access Server at connect time.
      comp-lzo no
      verb 3
      setenv PUSH_PEER_INFO
      future-access-server-word 1
      <ca>
      \(Samples.certificate)</ca>
      <cert>
      \(Samples.certificate)</cert>
      <key>
      \(Samples.privateKey)</key>
      key-direction 1
      <tls-auth>
      \(Samples.staticKey)</tls-auth>
      ## -----BEGIN RSA SIGNATURE-----
      ## DIGEST:sha256
      ## -----END RSA SIGNATURE-----
      """)
    #expect(profile.remotes.map(\.transport) == [.udp, .udp, .tcp])
    #expect(profile.remotes.allSatisfy { $0.connectTimeout == .seconds(4) })
    #expect(profile.tls.minimumVersion == .v1_0)
    #expect(profile.tls.checks.netscapeType == .server)
    #expect(profile.pushPeerInfo && !profile.wantsCredentials && profile.sendBuffer == 100_000)
  }

  @Test("pfSense: data-ciphers with fallback, tls-crypt, name check, files read in")
  func pfSense() throws {
    let text = """
      dev tun
      persist-tun
      persist-key
      data-ciphers AES-256-GCM:AES-128-GCM:CHACHA20-POLY1305:AES-256-CBC
      data-ciphers-fallback AES-256-CBC
      auth SHA256
      tls-client
      client
      resolv-retry infinite
      remote vpn.example.net 1194 udp4
      nobind
      verify-x509-name "vpn server" name
      pkcs12 firewall-udp4-1194-user.p12
      tls-crypt firewall-udp4-1194-user-tls.key
      remote-cert-tls server
      explicit-exit-notify
      """
    let (lines, diagnostics) = Profile.inliningFiles(in: Samples.lex(text).lines) { reference in
      #expect(reference.isSecret)
      return .success(reference.option == "pkcs12" ? [0x30, 0x82, 1, 2, 3] : Array(Samples.staticKey.utf8))
    }
    #expect(diagnostics.isEmpty)
    let profile = try #require(Profile.parse(lines).profile)
    #expect(profile.dataCipherFallback == .aes256CBC && profile.dataCiphers.count == 4)
    #expect(profile.remotes.first?.family == .ipv4)
    #expect(profile.remotes.first?.explicitExitNotify == 1)
    #expect(profile.tls.pkcs12?.count == 5)
    #expect(profile.tls.checks.x509NameKind == .name)
    #expect(try Samples.whole(Profile.canonicalText(of: lines).text) == profile)
  }

  @Test("H-09: MikroTik: TCP, SHA1 and CBC, certificate and password, routes of its own")
  func mikroTik() throws {
    let profile = try read(
      """
      client
      dev tun
      proto tcp-client
      remote 198.51.100.7 1194
      nobind
      persist-key
      persist-tun
      tls-client
      remote-cert-tls server
      verb 4
      mute 10
      cipher AES-256-CBC
      auth SHA1
      auth-nocache
      route 192.168.88.0 255.255.255.0
      \(Self.login)<ca>
      \(Samples.certificate)</ca>
      <cert>
      \(Samples.certificate)</cert>
      <key>
      \(Samples.privateKey)</key>
      """)
    #expect(profile.remotes.first?.transport == .tcp)
    #expect(profile.remotes.first?.wrap == ControlWrapOptions.none)
    #expect(profile.dataCiphers.contains(.aes256CBC) && profile.auth == .sha1)
    #expect(profile.authNoCache && profile.wantsCredentials && profile.tls.certificate != nil)
    #expect(profile.tunnel.routes.count == 1)
  }

  @Test("SoftEther, VPN Gate: comments everywhere, no server check, tap offered in a comment, CR LF mixed")
  func softEther() throws {
    let text =
      "###############################################################################\r\n# OpenVPN 2.0 Sample Configuration File\r\n# for PacketiX VPN / SoftEther VPN Server\r\n\r\n# dev tap\r\ndev tun\r\n\r\nproto udp\nremote public-vpn.example.net 1195\r\n;http-proxy-retry\r\n;http-proxy [proxy server] [proxy port]\r\n\r\ncipher AES-128-CBC\r\nauth SHA1\r\n\r\nresolv-retry infinite\r\nnobind\r\npersist-key\r\npersist-tun\r\nclient\r\nverb 3\r\n#auth-user-pass\r\n\r\n<ca>\r\n"
      + Samples.certificate.replacing("\n", with: "\r\n")
      + "</ca>\r\n\r\n<cert>\r\n" + Samples.certificate + "</cert>\r\n<key>\r\n" + Samples.privateKey + "</key>\r\n\r\n"
    let profile = try read(text)
    #expect(profile.remotes.first?.port == 1195)
    #expect(profile.cipher == .aes128CBC)
    #expect(Samples.read(text).diagnostics.map(\.text).mention("nothing says who the server must be"))
  }

  @Test("A provider of today: tls-crypt, many ports at random, GCM, scripts for the resolver")
  func modern() throws {
    let profile = try read(
      """
      client
      dev tun
      proto udp

      remote 192.0.2.20 80
      remote 192.0.2.20 51820
      remote 192.0.2.20 4569
      remote 192.0.2.20 1194
      remote 192.0.2.20 5060
      server-poll-timeout 20

      remote-random
      resolv-retry infinite
      nobind

      cipher AES-256-GCM

      setenv CLIENT_CERT 0
      tun-mtu 1500
      mssfix 0
      persist-key
      persist-tun

      reneg-sec 0

      remote-cert-tls server
      \(Self.login)
      script-security 2
      up /etc/openvpn/update-resolv-conf
      down /etc/openvpn/update-resolv-conf

      <ca>
      \(Samples.certificate)
      \(Samples.certificate)</ca>
      <tls-crypt>
      \(Samples.staticKey)</tls-crypt>
      """)
    #expect(profile.remotes.count == 5 && profile.remoteRandom)
    #expect(profile.remotes.allSatisfy { $0.mssFix == .off })
    #expect(profile.tls.authorities.first?.text == Samples.certificate + Samples.certificate)
    guard case .tlsCrypt = profile.remotes[0].wrap else { throw CancellationError() }
  }

  @Test("An old provider: names of 2.3, default route as a route, everything with CBC")
  func old() throws {
    let profile = try read(
      """
      client
      dev tun0
      proto tcp
      remote vpn.example.net 443 # Stockholm
      route-method exe
      route-delay 2
      route 0.0.0.0 0.0.0.0
      redirect-gateway def1
      dhcp-option DNS 192.0.2.53
      tls-remote server
      keysize 256
      cipher aes-256-cbc
      key-method 2
      comp-lzo adaptive
      comp-noadapt
      mute-replay-warnings
      replay-window 512 60
      tls-cipher TLS-DHE-RSA-WITH-AES-256-CBC-SHA:TLS-RSA-WITH-AES-256-CBC-SHA
      explicit-exit-notify 2
      inactive 3600
      ping-exit 60
      <ca>
      Certificate:
          Data:
              Version: 3 (0x2)
      \(Samples.certificate)
      </ca>
      \(Self.login)
      """)
    #expect(profile.device == DeviceName("tun0"))
    #expect(profile.allowsCompression && profile.compression == .lzo)
    #expect(profile.tunnel.routes.first?.destination == .prefix(.everything(.ipv4)))
    #expect(profile.remotes.first?.explicitExitNotify == 0)
    #expect(profile.replayWindow == 512 && profile.replayTime == .seconds(60))
    #expect(profile.tls.checks.x509NameKind == .namePrefix)
  }

  @Test("Without a CA: a fingerprint of the server is enough")
  func fingerprint() throws {
    let digest = Array(repeating: "0A", count: 32).joined(separator: ":")
    let profile = try read(
      """
      client
      dev tun
      remote vpn.example.net
      <cert>
      \(Samples.certificate)</cert>
      <key>
      \(Samples.privateKey)</key>
      <peer-fingerprint>
      \(digest)
      </peer-fingerprint>
      """)
    #expect(profile.tls.authorities.isEmpty)
    #expect(profile.tls.checks.identifiesServer)
  }

  @Test("The options that most real profiles use are none of them refused")
  func common() {
    let common = [
      "dev", "remote", "client", "cipher", "proto", "nobind", "persist-key", "verb", "persist-tun", "resolv-retry",
      "ca",
      "remote-cert-tls", "auth-user-pass", "auth", "comp-lzo", "key-direction", "tls-auth", "cert", "key", "reneg-sec",
      "tls-client", "ns-cert-type", "script-security", "redirect-gateway", "tun-mtu", "mssfix", "auth-nocache",
      "remote-random", "ping", "route-delay", "pull", "verify-x509-name", "setenv", "rcvbuf", "sndbuf", "ping-restart",
      "down", "up", "tls-version-min", "tls-cipher", "explicit-exit-notify", "mute", "fast-io", "tls-crypt",
      "persist-remote-ip", "keepalive", "tun-mtu-extra", "ping-timer-rem", "route", "compress", "route-method",
      "mute-replay-warnings", "data-ciphers", "keysize", "port", "ping-exit", "block-outside-dns", "float",
      "ncp-disable",
      "ignore-unknown-option", "dhcp-option", "server-poll-timeout", "hand-window", "auth-retry", "dev-type",
      "push-peer-info", "data-ciphers-fallback", "route-metric", "ncp-ciphers", "inactive", "tun-ipv6", "connect-retry",
      "connect-retry-max", "ifconfig-nowarn", "remote-random-hostname", "group", "tls-timeout", "user", "replay-window",
      "dh", "push", "route-nopull", "crl-verify", "remote-cert-eku", "status", "tls-remote", "allow-compression",
      "comp-noadapt", "key-method", "passtos", "pull-filter", "route-ipv6", "tls-exit", "txqueuelen", "tls-crypt-v2",
      "client-cert-not-required", "ecdh-curve", "http-proxy-retry", "keying-material-exporter", "log", "max-routes",
      "pkcs12", "plugin", "tls-version-max", "topology", "disable-occ", "down-pre", "ifconfig-ipv6", "link-mtu",
      "mtu-test", "reneg-bytes", "service", "tun-ipv4", "remote-cert-ku",
    ]
    for name in common {
      let entry = OptionTable.entry(named: name)
      #expect(entry != nil && entry?.className != "refused", "\(name)")
    }
  }
}
