import Base
import Profile
import Testing

@Suite("Options about device, routes and DNS")
struct TunnelOptionTests {
  @Test("O-43: tap is refused by name, names become device names")
  func devices() throws {
    for text in ["dev tap", "dev tap0", "dev x\ndev-type tap"] {
      #expect(Samples.errors(text).mention("tap devices"), "\(text)")
    }
    #expect(try Samples.profile("dev tun").device == nil)
    #expect(try Samples.profile("dev tun5").device == DeviceName("tun5"))
    #expect(try Samples.profile("dev vpn0\ndev-type tun").device == DeviceName("vpn0"))
    #expect(try Samples.profile("dev tap0\ndev-type tun").device == DeviceName("tap0"))
    #expect(Samples.errors("dev a-name-longer-than-15").mention("not a device name"))
    #expect(Samples.errors("dev null").mention("no tunnel"))
  }

  @Test("O-33: flags of redirect-gateway, over several lines and inverted")
  func redirect() throws {
    let bare = try #require(try Samples.profile("redirect-gateway").tunnel.redirectGateway)
    #expect(bare == RedirectGateway())
    let flags = try #require(
      try Samples.profile("redirect-gateway def1 bypass-dhcp\nredirect-gateway autolocal").tunnel.redirectGateway)
    #expect(flags.def1 && flags.bypassDHCP && flags.autolocal && flags.redirectsDefault)
    let only6 = try #require(try Samples.profile("redirect-gateway ipv6 !ipv4").tunnel.redirectGateway)
    #expect(only6.ipv6 && !only6.ipv4)
    let kept = try #require(try Samples.profile("redirect-private block-local local bypass-dns").tunnel.redirectGateway)
    #expect(!kept.redirectsDefault && kept.blockLocal && kept.local && kept.bypassDNS)
    #expect(Samples.warnings("redirect-gateway def2").mention("unknown and left out"))
    #expect(try Samples.profile("redirect-gateway def2").tunnel.redirectGateway != nil)
    #expect(try Samples.profile("redirect-private\nredirect-gateway").tunnel.redirectGateway?.redirectsDefault == true)
  }

  private func route(_ text: String) throws -> RouteOption? { try Samples.profile(text).tunnel.routes.first }

  @Test(
    "O-34, O-36: networks, masks and keywords of route",
    arguments: [
      ("route 10.1.2.3", "10.1.2.3/32"), ("route 10.0.0.0 255.0.0.0", "10.0.0.0/8"),
      ("route 198.51.101.0 255.254.0.0", "198.50.0.0/15"), ("route 0.0.0.0 0.0.0.0 vpn_gateway", "0.0.0.0/0"),
      ("route default", "0.0.0.0/0"), ("route 10.9.0.0 255.255.0.0 default 7", "10.9.0.0/16"),
    ])
  func routes(text: String, expected: String) throws {
    #expect(try route(text)?.destination == .prefix(try prefix(expected)))
  }

  @Test("O-36: a mask with holes leaves out that route only; host bits are cleared with a warning")
  func odd() throws {
    let profile = try Samples.profile("route 10.0.0.0 255.0.255.0\nroute 10.2.0.0 255.255.0.0\n")
    #expect(profile.tunnel.routes.map(\.destination) == [.prefix(try prefix("10.2.0.0/16"))])
    #expect(Samples.warnings("route 10.0.0.0 255.0.255.0").mention("has holes"))
    #expect(Samples.warnings("route 198.51.101.0 255.254.0.0").mention("198.50.0.0/15 is meant"))
  }

  @Test("P-07: gateways and metrics of route; O-37: route-metric and route-delay")
  func gateways() throws {
    let explicit = try #require(try route("route 10.20.0.0 255.255.0.0 10.8.0.1 5"))
    #expect(explicit.gateway == .address(try address("10.8.0.1")))
    #expect(explicit.metric == 5)
    #expect(try route("route 10.0.0.0 255.0.0.0 net_gateway")?.gateway == .net)
    #expect(try route("route 10.0.0.0 255.0.0.0 vpn_gateway")?.gateway == .vpn)
    #expect(try route("route remote_host 255.255.255.255 net_gateway")?.destination == .remoteHost)
    #expect(try route("route vpn_gateway")?.destination == .vpnGateway)
    #expect(try route("route files.example.net")?.destination == .name("files.example.net"))
    let profile = try Samples.profile(
      "route-metric 1\nroute-delay 5\nroute-gateway 10.8.0.1\nroute-ipv6-gateway fd00::1\n")
    #expect(profile.tunnel.routeMetric == 1)
    #expect(profile.tunnel.routeGateway == IPv4Address("10.8.0.1"))
    #expect(profile.tunnel.routeGatewayIPv6 == IPv6Address("fd00::1"))
  }

  @Test("route-ipv6")
  func ipv6Routes() throws {
    let route = try #require(try route("route-ipv6 2001:db8::1/32 fd00::1 9"))
    #expect(route.destination == .prefix(try prefix("2001:db8::/32")))
    #expect(route.gateway == .address(try address("fd00::1")))
    #expect(route.metric == 9 && route.family == .ipv6)
    #expect(try self.route("route-ipv6 2000::/3 net_gateway_ipv6")?.gateway == .net)
    #expect(try self.route("route-ipv6 2000::/3 ::")?.gateway == .vpn)
  }

  @Test(
    "Damaged routes and addresses are errors",
    arguments: [
      "route 10.0.0.0/8", "route 10.0.0.0 255.0.0.0 gw!", "route 10.0.0.0 255.0.0.0 default x", "route 10.0.0.300",
      "route 10.0.0.0 mask", "route", "route-ipv6 10.0.0.0/8", "route-ipv6 fd00::/200", "route-ipv6 fd00::/8 10.0.0.1",
      "ifconfig 10.0.0.1", "ifconfig 10.0.0.1 nowhere", "ifconfig-ipv6 fd00::1", "ifconfig-ipv6 fd00::1/64 10.0.0.1",
      "topology mesh", "route-gateway here", "route-metric -1", "tun-mtu 50", "tun-mtu big",
      "redirect-gateway x y\nroute a b c d e",
    ])
  func damaged(text: String) {
    #expect(!Samples.errors(text).isEmpty)
  }

  @Test("Repeated routes keep their order")
  func order() throws {
    let text = (0..<50).map { "route 10.\($0).0.0 255.255.0.0\n" }.joined()
    let wanted = try (0..<50).map { RouteOption.Destination.prefix(try prefix("10.\($0).0.0/16")) }
    #expect(try Samples.profile(text).tunnel.routes.map(\.destination) == wanted)
  }

  @Test("Addresses, topology, sizes and the rest of the device")
  func device() throws {
    let profile = try Samples.profile(
      "topology subnet\nifconfig 10.8.0.2 255.255.255.0\nifconfig-ipv6 fd00::2/64 fd00::1\ntun-mtu 1400\ntxqueuelen 500\nblock-ipv6\nroute-noexec\nroute-nopull\nmax-packet-size 1000\n"
    )
    #expect(profile.tunnel.topology == .subnet)
    #expect(profile.tunnel.ipv4?.second == IPv4Address("255.255.255.0"))
    #expect(profile.tunnel.ipv6?.remote == IPv6Address("fd00::1"))
    #expect(profile.tunnel.ipv6?.prefix == IPPrefix("fd00::2/64"))
    #expect(profile.tunnel.mtu == 1400)
    #expect(profile.remotes.first?.tunMTU == 1400)
    #expect(profile.transmitQueueLength == 500)
    #expect(profile.tunnel.blockIPv6 && profile.routeNoExec && profile.routeNoPull)
    #expect(profile.remotes.first?.maximumControlPacket == 1000)
  }

  @Test("DNS of a profile: both grammars, ports, split domains; what cannot be used is left out with a warning")
  func dns() throws {
    let dns = try Samples.profile(
      """
      dhcp-option DNS 10.8.0.1
      dhcp-option DNS6 fd00::53
      dhcp-option DOMAIN corp.example
      dhcp-option DOMAIN-SEARCH lab.example
      dhcp-option NTP 10.8.0.1
      dns search-domains a.example b.example
      dns server 2 address 10.0.0.2:5353 [fd00::2]:54 fd00::3
      dns server -1 address 10.0.0.1
      dns server -1 resolve-domains corp.example
      dns server -1 dnssec optional
      dns server -1 transport plain
      """
    ).tunnel.dns
    #expect(dns.addresses == [try address("10.8.0.1"), try address("fd00::53")])
    #expect(dns.searchDomains.map(\.text) == ["corp.example", "lab.example", "a.example", "b.example"])
    #expect(dns.servers.map(\.priority) == [-1, 2])
    #expect(dns.servers[0].domains.map(\.text) == ["corp.example"])
    #expect(dns.servers[1].addresses.map(\.description) == ["10.0.0.2:5353", "[fd00::2]:54", "[fd00::3]:53"])
    #expect(Samples.warnings("dns server 1 resolve-domains a.example").mention("no address"))
    #expect(Samples.warnings("dns server 1 address 10.0.0.1\ndns server 1 transport DoT").mention("DoT"))
    for text in [
      "dns", "dns server x address 10.0.0.1", "dns server 1 address", "dns server 1 address host",
      "dns server 200 address 10.0.0.1", "dns upside down", "dhcp-option DNS", "dhcp-option DNS host",
    ] {
      #expect(!Samples.errors(text).isEmpty, "\(text)")
    }
  }

  @Test("pull-filter keeps order and text")
  func pullFilter() throws {
    let profile = try Samples.profile(#"pull-filter ignore "dhcp-option DNS""# + "\npull-filter accept route\n")
    #expect(
      profile.pullFilters == [
        PullFilter(action: .ignore, prefix: "dhcp-option DNS"), PullFilter(action: .accept, prefix: "route"),
      ])
    #expect(Samples.errors("pull-filter drop x").mention("is not one of"))
  }
}

@Suite("Options about the process, scripts and servers")
struct ProcessOptionTests {
  @Test("O-15: words of Windows are taken without effect")
  func windows() {
    let text =
      "block-outside-dns\nroute-method exe\nregister-dns\ndhcp-renew\nip-win32 dynamic\nsetenv opt block-outside-dns\nsetenv opt future-word 1\n"
    #expect(Samples.errors(text).isEmpty && Samples.warnings(text).isEmpty)
    #expect(Samples.notes(text).mention("`future-word` is unknown and left out"))
  }

  @Test("O-21: server words in a client's profile are warned about, server profiles are refused")
  func serverWords() {
    #expect(Samples.warnings("push \"route 10.0.0.0 255.0.0.0\"\ndh dh.pem\nduplicate-cn\n").count == 3)
    for text in ["server 10.8.0.0 255.255.255.0", "mode server", "tls-server", "server-bridge"] {
      #expect(Samples.errors(text).mention("this is a server's profile"), "\(text)")
    }
    #expect(Samples.errors("mode p2p").isEmpty)
  }

  @Test("O-22: scripts and plugins are never run, and the profile still starts")
  func scripts() {
    let text =
      "script-security 2\nup /etc/openvpn/update-resolv-conf\ndown /etc/openvpn/update-resolv-conf\nplugin x.so\nmanagement localhost 7505\n"
    #expect(Samples.errors(text).isEmpty)
    let warnings = Samples.warnings(text)
    #expect(warnings.mention("`up` has no effect here") && warnings.mention("pushed DNS is applied"))
    #expect(warnings.count == 4)
  }

  @Test("L-16: an unknown option fails by default, and is only warned about where that is asked for")
  func unknown() {
    #expect(
      Samples.errors("data-data-ciphers-fallbacks-fallback AES-256-CBC").mention(
        "did you mean `data-ciphers-fallback`?"))
    let (profile, diagnostics) = Samples.read(Samples.minimal + "futur 1\n", ignoringUnknown: true)
    #expect(profile != nil)
    #expect(diagnostics.contains { $0.severity == .warning && $0.text.contains("unknown option `futur`") })
    #expect(Samples.errors("ignore-unknown-option futur x\nfutur 1\nx\n").isEmpty)
    #expect(!Samples.errors("futur 1\nignore-unknown-option futur\n").isEmpty)
    #expect(Samples.errors("setenv FORWARD_COMPATIBLE 1\nfutur 1\n").isEmpty)
  }

  @Test("setenv opt: a known option counts, a faulty one is only warned about")
  func optional() throws {
    #expect(try Samples.profile("setenv opt hand-window 20").timers.handWindow == .seconds(20))
    #expect(Samples.errors("setenv opt hand-window x").isEmpty)
    #expect(Samples.warnings("setenv opt hand-window x").mention("is not a number"))
    #expect(Samples.errors("hand-window x").mention("is not a number"))
    #expect(Samples.errors("setenv opt").mention("lacks the option"))
  }

  @Test("setenv: peer information, AS words, and the profile that must not be used")
  func environment() throws {
    let profile = try Samples.profile(
      "setenv UV_ID a\nsetenv UV_ID b\nsetenv IV_GUI_VER \"x 1\"\nsetenv PUSH_PEER_INFO\nsetenv SERVER_POLL_TIMEOUT 9\nsetenv REMOTE_RANDOM_HOSTNAME\nsetenv CLIENT_CERT 0\nsetenv FOO bar\n"
    )
    #expect(profile.peerInfo == [NameValue("UV_ID", "b"), NameValue("IV_GUI_VER", "x 1")])
    #expect(profile.pushPeerInfo && profile.remoteRandomHostname)
    #expect(profile.remotes.first?.connectTimeout == .seconds(9))
    #expect(Samples.errors("setenv GENERIC_CONFIG 1").mention("must not be used"))
    #expect(Samples.errors("setenv UV_A=B c").mention("letters, digits"))
  }

  @Test("L-24: the last line counts for single values, with a note about the change; lists add up")
  func repeated() throws {
    #expect(try Samples.profile("cipher AES-128-CBC\ncipher AES-256-CBC").cipher == .aes256CBC)
    #expect(Samples.notes("cipher AES-128-CBC\ncipher AES-256-CBC").mention("was given before in line 14"))
    #expect(!Samples.notes("cipher AES-256-CBC\ncipher AES-256-CBC").mention("was given before"))
    #expect(try Samples.profile("auth-user-pass").credentials != nil)
    #expect(!Samples.notes("route 10.0.0.0\nroute 10.0.0.1").mention("was given before"))
  }

  @Test("All problems are reported at once, each with file, line and column")
  func allAtOnce() {
    let (_, diagnostics) = Samples.read(Samples.minimal + "remot x\n  ping ten\nsecret k\n\"open\n")
    #expect(
      diagnostics.filter { $0.severity == .error }.map(\.location).sorted { $0.line < $1.line }.map(\.description) == [
        "home.ovpn:14:1", "home.ovpn:15:8", "home.ovpn:16:1", "home.ovpn:17:1",
      ])
  }

  @Test("A control character in an argument is an error")
  func controlCharacters() {
    #expect(Samples.errors("verify-x509-name \"a\u{1b}[2J\" name").mention("control character"))
  }

  @Test("Words that only a server says have no effect in a profile")
  func serverOnly() {
    let text = "auth-token SESS_ID_secret\npeer-id 4\nprotocol-flags cc-exit\n"
    #expect(Samples.warnings(text).count == 3)
    #expect(!Samples.warnings(text).mention("SESS_ID"))
  }
}
