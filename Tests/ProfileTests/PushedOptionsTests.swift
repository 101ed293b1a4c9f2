import Base
import Profile
import Testing

@Suite("Pushed options")
struct PushedOptionsTests {
  @Test("A reply is cut at its commas")
  func items() {
    #expect(
      PushedOptions.items(ofReply: "PUSH_REPLY,route 10.0.0.0 255.0.0.0, ping 10,,") == [
        "route 10.0.0.0 255.0.0.0", "ping 10",
      ])
    #expect(PushedOptions.items(ofReply: "PUSH_REPLY") == [])
  }

  @Test("P-01: parts say whether more follow, and together they are one push in order")
  func continuation() throws {
    let first = PushedOptions.items(ofReply: "PUSH_REPLY,route 10.1.0.0 255.255.0.0,push-continuation 2")
    let second = PushedOptions.items(
      ofReply: "PUSH_REPLY,topology subnet,ifconfig 10.8.0.6 255.255.255.0,push-continuation 1")
    #expect(PushedOptions.continuation(of: first) == 2)
    #expect(PushedOptions.continuation(of: second) == 1)
    #expect(PushedOptions.continuation(of: ["ping 10"]) == nil)
    let (pushed, notes) = try PushedOptions.parse(first + second, profile: try Samples.profile("")).get()
    #expect(notes.isEmpty)
    #expect(pushed.continuation == 1)
    #expect(pushed.tunnel.routes.count == 1)
    #expect(pushed.tunnel.ipv4?.local == IPv4Address("10.8.0.6"))
    #expect(pushed.tunnel.topology == .subnet)
  }

  @Test("A reply as a 2.6 server sends it")
  func typical() throws {
    let pushed = try Samples.pushed(
      "PUSH_REPLY,route-gateway 10.8.0.1,topology subnet,ping 10,ping-restart 120,ifconfig-ipv6 fd00::2/64 fd00::1,ifconfig 10.8.0.2 255.255.255.0,peer-id 3,cipher AES-256-GCM,protocol-flags cc-exit tls-ekm dyn-tls-crypt,tun-mtu 1500"
    )
    #expect(pushed.tunnel.routeGateway == IPv4Address("10.8.0.1"))
    #expect(pushed.ping == .seconds(10) && pushed.pingRestart == .seconds(120))
    #expect(pushed.tunnel.ipv6?.remote == IPv6Address("fd00::1"))
    #expect(pushed.peerID == 3 && pushed.cipher == .aes256GCM)
    #expect(pushed.exportsKeys && pushed.controlChannelExit && pushed.dynamicTLSCrypt && !pushed.epochDataFormat)
    #expect(pushed.tunnel.mtu == 1500)
    #expect(pushed.items.count == 10)
  }

  @Test("P-04: SoftEther: a pair of addresses, no topology, no peer id, no cipher")
  func softEther() throws {
    let pushed = try Samples.pushed(
      "PUSH_REPLY,ping 3,ping-restart 10,ifconfig 192.168.30.29 192.168.30.30,dhcp-option DNS 192.0.2.53,route-gateway 192.168.30.30,redirect-gateway def1"
    )
    #expect(pushed.peerID == nil && pushed.cipher == nil && pushed.tunnel.topology == nil)
    #expect(pushed.tunnel.ipv4?.second == IPv4Address("192.168.30.30"))
    #expect(pushed.ping == .seconds(3) && pushed.pingRestart == .seconds(10))
    #expect(pushed.tunnel.redirectGateway?.def1 == true)
  }

  @Test("H-09: MikroTik pushes no cipher, P-06: routes by vpn_gateway without a gateway stand")
  func others() throws {
    let mikroTik = try Samples.pushed(
      "PUSH_REPLY,ping 20,ping-restart 60,topology subnet,route-gateway 172.18.0.1,ifconfig 172.18.0.5 255.255.255.0",
      profile: "cipher AES-256-CBC")
    #expect(mikroTik.cipher == nil && mikroTik.tunnel.ipv4?.local == IPv4Address("172.18.0.5"))
    let route = try Samples.pushed(
      "PUSH_REPLY,topology subnet,ifconfig 192.168.123.136 255.255.255.0,route 172.29.64.0 255.255.255.0 vpn_gateway"
    ).tunnel.routes.first
    #expect(route?.gateway == .vpn)
    #expect(route?.isPushed == true)
  }

  @Test("P-07: gateway and metric of a pushed route are kept; P-09: masks as they are")
  func routesAndMasks() throws {
    let route = try #require(
      try Samples.pushed("PUSH_REPLY,route 10.20.0.0 255.255.0.0 10.8.0.1 5").tunnel.routes.first)
    #expect(route.gateway == .address(try address("10.8.0.1")) && route.metric == 5)
    for mask in ["255.255.255.255", "255.255.255.254", "255.255.240.0"] {
      #expect(
        try Samples.pushed("PUSH_REPLY,ifconfig 10.8.0.2 \(mask),route-gateway 10.8.0.1").tunnel.ipv4?.second
          == IPv4Address(mask))
    }
  }

  @Test("P-12, O-15: Windows words and unknown words are one debug line each")
  func windowsWords() throws {
    let (pushed, notes) = try Samples.push(
      "PUSH_REPLY,dhcp-renew,dhcp-release,register-dns,block-outside-dns,future-word 1 2,ping 5"
    ).get()
    #expect(pushed.ping == .seconds(5))
    #expect(notes.map(\.code) == [.pushOptionIgnored, .pushOptionIgnored, .pushOptionIgnored, .pushOptionUnknown])
    #expect(notes.allSatisfy { $0.level == .debug })
  }

  @Test(
    "P-15, O-03: framing is switched to the pushed kind",
    arguments: [
      ("comp-lzo no", "comp-lzo", CompressionFraming.lzoStub), ("compress lz4-v2", "comp-lzo", .lz4V2),
      ("compress stub-v2", "comp-lzo", .stubV2), ("compress stub-v2", "", .stubV2), ("comp-lzo no", "", .lzoStub),
      ("compress", "", .stub), ("compress lz4", "allow-compression asym", .lz4),
      ("comp-lzo", "allow-compression yes", .lzo),
      ("compress migrate", "", CompressionFraming.none),
    ])
  func compression(item: String, profile: String, expected: CompressionFraming) throws {
    #expect(try Samples.pushed("PUSH_REPLY,\(item)", profile: profile).compression == expected)
  }

  @Test(
    "P-15: a real compressor without permission, or an unknown one, is a fault",
    arguments: [
      ("comp-lzo", ""), ("compress lz4", ""), ("compress lzo", "comp-lzo no"),
      ("compress lz4-v2", "allow-compression no"),
      ("comp-lzo yes", "comp-lzo\nallow-compression no"),
    ])
  func compressionRefused(item: String, profile: String) throws {
    #expect(try Samples.pushFault("PUSH_REPLY,\(item)", profile: profile)?.code == .compressionRefused)
  }

  @Test("P-16: a pushed MTU is taken, above tun-mtu-max it is clipped")
  func mtu() throws {
    #expect(try Samples.pushed("PUSH_REPLY,tun-mtu 1400").tunnel.mtu == 1400)
    #expect(try Samples.pushed("PUSH_REPLY,tun-mtu 9000").tunnel.mtu == 1600)
    #expect(try Samples.pushed("PUSH_REPLY,tun-mtu 9000", profile: "tun-mtu-max 9000").tunnel.mtu == 9000)
    #expect(try Samples.pushed("PUSH_REPLY,tun-mtu 10").tunnel.mtu == nil)
  }

  @Test("P-18: DNS options of all kinds")
  func dns() throws {
    let dns = try Samples.pushed(
      "PUSH_REPLY,dhcp-option DNS 10.8.0.1,dhcp-option DNS 10.8.0.2,dhcp-option DNS6 fd00::53,dhcp-option DOMAIN corp.example,dhcp-option DOMAIN-SEARCH lab.example,dhcp-option ADAPTER_DOMAIN_SUFFIX x,dhcp-option NTP 10.8.0.1,dns server 1 address 10.8.0.9 port 5353,dns server 1 resolve-domains corp.example"
    ).tunnel.dns
    #expect(dns.addresses.map(\.description) == ["10.8.0.1", "10.8.0.2", "fd00::53"])
    #expect(dns.searchDomains.map(\.text) == ["corp.example", "lab.example", "x"])
    #expect(dns.servers.map { $0.addresses.map(\.description) } == [["10.8.0.9:5353"]])
    #expect(dns.servers.first?.domains.map(\.text) == ["corp.example"])
    #expect(try Samples.pushed("PUSH_REPLY,ping 1").tunnel.dns == DNSOptions())
  }

  @Test("P-18: a name that could not stand in a resolver's file is left out")
  func hostileNames() throws {
    let notes = try Samples.pushNotes("PUSH_REPLY,dhcp-option DOMAIN a/b,dhcp-option DOMAIN \"x\\\\y\"")
    #expect(notes.count == 2)
  }

  @Test("P-19: tokens are taken, and stay out of the items that travel")
  func tokens() throws {
    let pushed = try Samples.pushed("PUSH_REPLY,auth-token SESS_ID_AT_xxx,auth-token-user dXNlcg==,ping 1")
    #expect(pushed.authToken?.text == "SESS_ID_AT_xxx")
    #expect(pushed.authTokenUser == "user")
    #expect(pushed.items == ["ping 1"])
    let notes = try Samples.pushNotes("PUSH_REPLY,auth-token \"SESS_ID,auth-token-user !!")
    #expect(!notes.contains { $0.sentence.contains("SESS_ID") })
  }

  @Test("P-24: echo and setenv do nothing, options of the owner cannot be pushed")
  func allowList() throws {
    let items = [
      "echo hello", "setenv-safe A b", "up /bin/sh", "script-security 2", "remote evil.example", "ca x", "dev tun9",
      "reneg-sec 0",
      "setenv UV_X y", "fragment 1300", "plugin x", "config y", "route-table 5",
    ]
    let (pushed, notes) = try Samples.push("PUSH_REPLY," + items.joined(separator: ",")).get()
    #expect(pushed == PushedOptions())
    #expect(notes.count == items.count)
    #expect(notes.allSatisfy { $0.code == .pushOptionIgnored })
  }

  @Test("O-39: pull-filter compares the start of the whole text, the first match decides")
  func pullFilter() throws {
    let filters = """
      pull-filter ignore "ping"
      pull-filter accept "dhcp-option DNS"
      pull-filter ignore "dhcp-option"
      pull-filter reject "comp-lzo"
      """
    let pushed = try Samples.pushed(
      "PUSH_REPLY,ping 5,ping-restart 120,dhcp-option DNS 10.0.0.1,dhcp-option DOMAIN a.example,route 10.0.0.0",
      profile: filters)
    #expect(pushed.ping == nil && pushed.pingRestart == nil)
    #expect(pushed.tunnel.dns.addresses.count == 1 && pushed.tunnel.dns.searchDomains.isEmpty)
    #expect(pushed.tunnel.routes.count == 1)
    #expect(try Samples.pushFault("PUSH_REPLY,comp-lzo no", profile: filters)?.code == .pushRejected)
    #expect(
      try Samples.pushed("PUSH_REPLY,dhcp-option DNS 10.0.0.1", profile: "pull-filter ignore DNS").tunnel.dns.addresses
        .count == 1)
  }

  @Test("O-40: route-nopull drops routes, redirection and DNS, and takes the rest")
  func routeNoPull() throws {
    let profile = try Samples.profile("route-nopull\nroute 192.168.123.0 255.255.255.0 vpn_gateway\n")
    let reply =
      "PUSH_REPLY,redirect-gateway def1,dhcp-option DNS 10.0.0.1,route 10.0.0.0 255.0.0.0,block-ipv6,route-gateway 10.8.0.1,ifconfig 10.8.0.2 255.255.255.0,topology subnet,ping 10,peer-id 1,cipher AES-256-GCM"
    let (pushed, _) = try PushedOptions.parse(PushedOptions.items(ofReply: reply), profile: profile).get()
    #expect(pushed.tunnel.redirectGateway == nil && pushed.tunnel.routes.isEmpty && !pushed.tunnel.blockIPv6)
    #expect(pushed.tunnel.dns == DNSOptions())
    #expect(pushed.peerID == 1 && pushed.ping == .seconds(10) && pushed.tunnel.routeGateway != nil)
    let merged = TunnelOptions.merged(local: profile.tunnel, pushed: pushed.tunnel)
    #expect(merged.routes.count == 1)
    #expect(merged.routeGateway == IPv4Address("10.8.0.1"))
  }

  @Test(
    "What both ends must agree on is a fault when it is wrong",
    arguments: [
      ("key-derivation other", Fault.Code.pushInvalid), ("protocol-flags cc-exit future", .pushInvalid),
      ("peer-id x", .pushInvalid), ("peer-id 99999999", .pushInvalid), ("cipher", .pushInvalid),
      ("cipher AES-256-CBC", .cipherRefused), ("cipher none", .cipherRefused), ("cipher BF-CBC", .cipherUnsupported),
      ("cipher CAMELLIA-256-CBC", .cipherUnsupported), ("cipher Wat", .cipherUnsupported),
    ])
  func faults(item: String, code: Fault.Code) throws {
    #expect(try Samples.pushFault("PUSH_REPLY,\(item)")?.code == code)
  }

  @Test("A fallback cipher may be pushed; the largest peer id may come as -1")
  func edges() throws {
    #expect(
      try Samples.pushed("PUSH_REPLY,cipher aes-256-cbc", profile: "data-ciphers-fallback AES-256-CBC").cipher
        == .aes256CBC)
    #expect(try Samples.pushed("PUSH_REPLY,peer-id -1").peerID == 0xff_ffff)
    #expect(try Samples.pushed("PUSH_REPLY,peer-id 16777215").peerID == 0xff_ffff)
    #expect(try Samples.pushed("PUSH_REPLY,key-derivation tls-ekm").exportsKeys)
    #expect(try Samples.pushed("PUSH_REPLY,protocol-flags aead-epoch").epochDataFormat)
  }

  @Test(
    "A known option that is malformed is dropped with a note, and the others stand",
    arguments: [
      "ifconfig 10.8.0.2", "ifconfig a b", "route 10.0.0.0 255.0.255.0", "ping x", "route \"10", "topology star",
      "route files.example.net",
      "dhcp-option DNS host", "dns server 1 address", "dns server 5 resolve-domains a.example", "ifconfig-ipv6 fd00::1",
      "auth WHIRLPOOL", "tun-mtu x",
    ])
  func malformed(item: String) throws {
    let (pushed, notes) = try Samples.push("PUSH_REPLY,\(item),ping 7").get()
    #expect(pushed.ping == .seconds(7))
    #expect(notes.count == 1)
    #expect(pushed.tunnel.routes.isEmpty && pushed.tunnel.ipv4 == nil && pushed.tunnel.dns.servers.isEmpty)
  }

  @Test("Access Server: auth, keepalive and exit notices are taken")
  func accessServer() throws {
    let pushed = try Samples.pushed(
      "PUSH_REPLY,explicit-exit-notify,redirect-gateway def1 bypass-dhcp autolocal,comp-lzo no,block-ipv6,auth SHA256,keepalive 8 40 1 2,session-timeout 3600,inactive 600 100,reneg-sec 0"
    )
    #expect(pushed.explicitExitNotify == 1)
    #expect(pushed.auth == .sha256)
    #expect(pushed.ping == .seconds(8) && pushed.pingRestart == .seconds(40))
    #expect(pushed.sessionTimeout == .seconds(3600) && pushed.inactive == .seconds(600) && pushed.inactiveBytes == 100)
    #expect(pushed.tunnel.blockIPv6)
  }

  @Test("Items longer than 255 bytes are taken; beyond the limits of number and size the push is a fault")
  func limits() throws {
    let long = "PUSH_REPLY,dns search-domains " + (0..<40).map { "domain\($0).example" }.joined(separator: " ")
    #expect(try Samples.pushed(long).tunnel.dns.searchDomains.count == 40)
    let profile = try Samples.profile("")
    let many = Array(repeating: "ping 1", count: ProfileLimits.pushedItems)
    #expect(try PushedOptions.parse(many, profile: profile).get().0.ping == .seconds(1))
    for items in [many + ["ping 1"], Array(repeating: String(repeating: "x", count: 1_024), count: 300)] {
      guard case .failure(let fault) = PushedOptions.parse(items, profile: profile) else { throw CancellationError() }
      #expect(fault.code == .pushInvalid)
    }
  }

  @Test("A server cannot fill the log or the resolver's lists, and its words are cleaned")
  func flood() throws {
    let items = (0..<5_000).map { "future-\($0)" }
    let (_, notes) = try PushedOptions.parse(items, profile: try Samples.profile("")).get()
    #expect(notes.count <= 100)
    let (pushed, _) = try PushedOptions.parse(
      (0..<5_000).map { "dhcp-option DOMAIN d\($0).example" }, profile: try Samples.profile("")
    ).get()
    #expect(pushed.tunnel.dns.searchDomains.count == ProfileLimits.dnsEntries)
    let note = try Samples.pushNotes("PUSH_REPLY,bad\u{1b}[2J" + String(repeating: "y", count: 500)).first
    #expect(note?.sentence.contains("\u{1b}") == false)
    #expect(note.map { $0.sentence.utf8.count < 200 } == true)
  }

  @Test("Accepted items parsed again give the same options")
  func again() throws {
    let profile = try Samples.profile("pull-filter ignore ping\ncomp-lzo\n")
    let reply =
      "PUSH_REPLY,ping 5,route 10.0.0.0 255.0.0.0,cipher AES-256-GCM,peer-id 9,compress lz4-v2,dhcp-option DNS 10.0.0.1,junk"
    let (first, _) = try PushedOptions.parse(PushedOptions.items(ofReply: reply), profile: profile).get()
    let (second, notes) = try PushedOptions.parse(first.items, profile: profile).get()
    #expect(first == second)
    #expect(notes.isEmpty)
  }

  @Test("Random pushes never trap")
  func noise() throws {
    let profile = try Samples.profile("comp-lzo\n")
    let names = OptionTable.all.filter(\.isPushable).map(\.name)
    let words = [
      "", "-1", "0", "1", "255.255.255.0", "10.0.0.1", "fd00::/64", "::", "server", "address", "port", "a.example",
      "\"", "\\", "99999999999999999999", "é", "#", "resolve-domains", "-9223372036854775808",
    ]
    var state: UInt64 = 11
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    for _ in 0..<3_000 {
      let items = (0..<5).map { _ in
        names[next(names.count)] + (0..<next(6)).map { _ in " " + words[next(words.count)] }.joined()
      }
      _ = PushedOptions.parse(items, profile: profile)
    }
  }
}

@Suite("What the profile says and what the server pushed, together")
struct MergedTunnelTests {
  private func merged(_ profile: String, _ reply: String) throws -> TunnelOptions {
    TunnelOptions.merged(
      local: try Samples.profile(profile).tunnel, pushed: try Samples.pushed(reply, profile: profile).tunnel)
  }

  @Test("Single values are replaced, routes and flags add up, the profile's own first")
  func scalarsAndLists() throws {
    let tunnel = try merged(
      "topology net30\nroute 10.1.0.0 255.255.0.0\nredirect-private local\nroute-metric 5\ntun-mtu 1400",
      "PUSH_REPLY,topology subnet,route 10.2.0.0 255.255.0.0,redirect-gateway def1 ipv6,tun-mtu 1450,route-metric 9")
    #expect(tunnel.topology == .subnet && tunnel.routeMetric == 9 && tunnel.mtu == 1450)
    #expect(tunnel.routes.map(\.isPushed) == [false, true])
    let redirect = try #require(tunnel.redirectGateway)
    #expect(redirect.redirectsDefault && redirect.def1 && redirect.ipv6 && redirect.local)
    #expect(try merged("tun-mtu 1400", "PUSH_REPLY,ping 1").mtu == 1400)
  }

  @Test("A pushed dns server replaces the local one of the same number")
  func dns() throws {
    let dns = try merged(
      "dns server 1 address 10.0.0.1\ndns server 5 address 10.0.0.5\ndhcp-option DNS 10.0.0.9\ndhcp-option DOMAIN a.example",
      "PUSH_REPLY,dns server 1 address 10.9.0.1,dhcp-option DNS 10.9.0.9,dhcp-option DNS 10.0.0.9,dhcp-option DOMAIN a.example,dhcp-option DOMAIN b.example"
    ).dns
    #expect(dns.servers.map { $0.addresses.map(\.description) } == [["10.9.0.1:53"], ["10.0.0.5:53"]])
    #expect(dns.addresses.map(\.description) == ["10.0.0.9", "10.9.0.9"])
    #expect(dns.searchDomains.map(\.text) == ["a.example", "b.example"])
  }

  @Test("!ipv4 counts when either side says it")
  func onlyIPv6() throws {
    #expect(try merged("redirect-gateway ipv6 !ipv4", "PUSH_REPLY,redirect-gateway").redirectGateway?.ipv4 == false)
  }
}
