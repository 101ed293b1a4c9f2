import Base
import Profile
import Testing

@Suite("Options about the connection")
struct ConnectionOptionTests {
  private func remotes(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> [Remote] {
    try Samples.whole(Samples.base + text, sourceLocation: sourceLocation).remotes
  }

  @Test("O-04: each remote keeps its own protocol, in order")
  func mixedProtocols() throws {
    let remotes = try remotes("remote vpn.example.net 1198 udp\nremote vpn.example.net 502 tcp\n")
    #expect(remotes.map(\.transport) == [.udp, .tcp])
    #expect(remotes.map(\.port) == [1198, 502])
  }

  @Test(
    "O-06: 4 and 6 pin the family, without suffix both are tried",
    arguments: [
      ("udp", Transport.udp, nil), ("udp4", .udp, .ipv4), ("udp6", .udp, .ipv6), ("tcp", .tcp, nil),
      ("tcp4", .tcp, .ipv4), ("tcp6-client", .tcp, .ipv6), ("tcp-client", .tcp, nil), ("tcp4-client", .tcp, .ipv4),
    ] as [(String, Transport, AddressFamily?)])
  func families(word: String, transport: Transport, family: AddressFamily?) throws {
    let remote = try #require(try remotes("remote vpn.example.net\nproto \(word)\n").first)
    #expect(remote.transport == transport)
    #expect(remote.family == family)
  }

  @Test("O-06: IPv6 literals are taken with and without brackets; a family that does not fit is an error")
  func literals() throws {
    let remotes = try remotes("remote 2001:db8::5 1194\nremote [2001:db8::5] 443\n")
    #expect(remotes.map(\.host) == ["2001:db8::5", "2001:db8::5"])
    #expect(Samples.errors("remote 192.0.2.1 1194 udp6\n").mention("does not fit"))
  }

  @Test("O-07: port and protocol stand anywhere in the file; port never binds our side")
  func separatePort() throws {
    let remote = try #require(try remotes("remote vpn.example.net\nnobind\nport 443\nproto tcp\n").first)
    #expect(remote.port == 443)
    #expect(remote.transport == .tcp)
    #expect(remote.localPort == nil)
    let plain = try #require(try self.remotes("remote vpn.example.net\n").first)
    #expect(plain.port == 1194 && plain.transport == .udp)
  }

  @Test("lport and local bind, unless nobind says otherwise")
  func binding() throws {
    let bound = try #require(try remotes("remote a.example\nlocal 192.0.2.1\nlport 5000\n").first)
    #expect(bound.localPort == 5000)
    #expect(bound.localAddress == IPAddress("192.0.2.1"))
    #expect(try remotes("remote a.example\nlport 5000\nnobind\n").first?.localPort == nil)
    #expect(Samples.errors("local router.lan").mention("an address of this router"))
  }

  @Test("O-09: 70 remotes are all taken, and so are 1,000; beyond that a warning says so")
  func manyRemotes() throws {
    let lines = (0..<1_001).map { "remote vpn\($0).example.net 1194\n" }
    #expect(try remotes(lines[..<70].joined()).count == 70)
    #expect(try remotes(lines[..<ProfileLimits.remotes].joined()).count == ProfileLimits.remotes)
    #expect(try remotes(lines.joined()).count == ProfileLimits.remotes)
    #expect(Samples.warnings(lines.joined()).mention("only the first 1000"))
  }

  @Test("O-10: equal remotes are kept, and remote-random is noted once")
  func randomRemotes() throws {
    let profile = try Samples.whole(
      Samples.base + String(repeating: "remote a.example.net 443\n", count: 7) + "remote-random\n")
    #expect(profile.remotes.count == 7)
    #expect(profile.remoteRandom)
  }

  @Test("O-12: options of a block count there only, globals are its defaults")
  func blocks() throws {
    let remotes = try remotes(
      """
      <connection>
        proto tcp-client
        remote 203.0.113.9 443
      </connection>
      <connection>
        proto udp
        remote 203.0.113.9
        explicit-exit-notify 2
        mssfix 1300
      </connection>
      port 1200
      connect-timeout 7
      """)
    #expect(remotes.map(\.transport) == [.tcp, .udp])
    #expect(remotes.map(\.port) == [443, 1200])
    #expect(remotes.map(\.explicitExitNotify) == [0, 2])
    #expect(remotes.map(\.mssFix) == [.standard, .packet(1300)])
    #expect(remotes.map(\.connectTimeout) == [.seconds(7), .seconds(7)])
  }

  @Test("O-12: with blocks, remotes outside do not count, and only the options of the manual may stand in one")
  func blockRules() throws {
    let text = Samples.minimal + "<connection>\nremote b.example\n</connection>\n"
    #expect(try Samples.whole(text).remotes.map(\.host) == ["b.example"])
    #expect(Samples.errors("<connection>\nremote b.example\nverb 3\n</connection>\n").mention("may not stand inside"))
  }

  @Test("O-13: a block without remote is left out with a warning")
  func emptyBlock() throws {
    let text = "<connection>\nremote b.example\n</connection>\n<connection>\nconnect-retry-max 1\n</connection>\n"
    #expect(try remotes(text).map(\.host) == ["b.example"])
    #expect(Samples.warnings(text).mention("no remote"))
    #expect(try Samples.profile("<connection>\nconnect-retry-max 1\n</connection>\n").remotes.count == 1)
  }

  @Test("proto-force keeps the remotes of one protocol; none left is an error")
  func forcedProtocol() throws {
    #expect(
      try remotes("remote a.example 1 udp\nremote b.example 2 tcp\nproto-force tcp\n").map(\.host) == ["b.example"])
    #expect(Samples.errors("proto-force tcp\n").mention("leaves no remote"))
  }

  @Test(
    "Damaged remotes are errors at their argument",
    arguments: [
      ("remote a.example 70000", "is not a port"), ("remote a.example 0", "is not a port"),
      ("remote a.example udp", "is not a port"), ("remote a.example:443", "a port is a word of its own"),
      ("remote 999.1.1.1", "is not an IPv4 address"), ("remote b\u{fc}cher.example", "xn--"),
      ("remote a_b!.example", "neither a host name"), ("remote a.example 1194 upd", "did you mean `udp`?"),
      ("remote a.example 1194 tcp-server", "server profile"), ("remote", "lacks an argument"),
      ("remote \"\"", "empty host name"), ("remote a b c d", "too many arguments"),
      ("proto udpp", "did you mean `udp`?"),
    ])
  func badRemotes(line: String, expected: String) {
    #expect(Samples.errors(line).mention(expected))
  }

  @Test("A damaged remote is no missing one")
  func damagedRemote() {
    let found = Samples.read(Samples.base + "remote a.example 70000\n").diagnostics.map(\.text)
    #expect(found.mention("is not a port") && !found.mention("no `remote`"))
  }

  @Test("No remote at all is an error")
  func noRemote() {
    #expect(Samples.read(Samples.base).diagnostics.map(\.text).mention("no `remote`"))
  }

  @Test(
    "O-27: mssfix in its shapes",
    arguments: [
      ("mssfix", MSSFix.standard), ("mssfix 0", .off), ("mssfix 1360 mtu", .outer(1360)),
      ("mssfix 1300 fixed", .inner(1300)), ("mssfix 1450", .packet(1450)), ("", .standard),
      ("max-packet-size 1300", .outer(1300)),
    ])
  func mssFix(line: String, expected: MSSFix) throws {
    #expect(try Samples.profile(line).remotes.first?.mssFix == expected)
  }

  @Test(
    "O-28: fragment in its shapes, for all remotes and inside a block",
    arguments: [
      ("fragment 1300", FragmentLimit(size: 1300, includesHeaders: false)),
      ("fragment 600 mtu", FragmentLimit(size: 600, includesHeaders: true)),
      ("fragment 1300\nmssfix 1200", FragmentLimit(size: 1300, includesHeaders: false)), ("", nil),
    ] as [(String, FragmentLimit?)])
  func fragment(line: String, expected: FragmentLimit?) throws {
    #expect(try Samples.profile(line).remotes.first?.fragment == expected)
  }

  @Test("O-28: fragment belongs to the remote of its block, and a bare mssfix takes its size")
  func fragmentInBlocks() throws {
    let remotes = try Samples.profile(
      """
      mssfix
      <connection>
      remote a.example 1194 udp
      fragment 1300
      </connection>
      <connection>
      remote b.example 1194 udp
      fragment 1200 mtu
      mssfix 1000
      </connection>
      <connection>
      remote c.example 443 tcp
      </connection>
      <connection>
      remote d.example 1194 udp
      fragment 1200 mtu
      </connection>
      """
    ).remotes.suffix(4)
    #expect(remotes.map(\.fragment?.size) == [1300, 1200, nil, 1200])
    #expect(remotes.map(\.mssFix) == [.packet(1300), .packet(1000), .standard, .outer(1200)])
    let unsaid = try Samples.profile("fragment 1300").remotes
    #expect(unsaid.map(\.mssFix) == [.standard])
  }

  @Test("O-28: fragment that cannot be is an error that says why")
  func fragmentErrors() {
    let stream = "proto-force tcp\nremote a.example 443 tcp\nfragment 1300\n"
    #expect(Samples.errors(stream).mention("`fragment` is for UDP only"))
    let block = "<connection>\nremote a.example 443 tcp\nfragment 1300\n</connection>"
    #expect(Samples.errors(block).mention("the server a.example is reached over TCP"))
    #expect(Samples.errors("fragment").mention("lacks an argument: `fragment bytes [mtu]`"))
    #expect(Samples.errors("fragment 100").mention("100 is out of range (200 to 65535)"))
    #expect(Samples.errors("fragment 0").mention("0 is out of range"))
    #expect(Samples.errors("fragment 70000").mention("out of range"))
    #expect(Samples.errors("fragment 1300 fixed").mention("is not one of mtu"))
    #expect(Samples.errors("mtu-dynamic 1300").mention("the old name of `fragment`"))
  }

  @Test("O-31: exit notices do not apply to TCP; buffers of 0 leave the kernel's; a bad number is an error")
  func buffers() throws {
    let profile = try Samples.whole(
      Samples.base + "remote a.example 443 tcp\nexplicit-exit-notify 3\nsndbuf 0\nrcvbuf 393216\n")
    #expect(profile.remotes.first?.explicitExitNotify == 0)
    #expect(profile.sendBuffer == nil)
    #expect(profile.receiveBuffer == 393_216)
    #expect(Samples.errors("sndbuf size 1655368").mention("too many arguments"))
    #expect(Samples.errors("sndbuf big").mention("is not a number"))
    #expect(try Samples.profile("explicit-exit-notify").remotes.first?.explicitExitNotify == 1)
  }

  @Test("O-30: what would end OpenVPN reconnects here, and the numbers are read")
  func exits() throws {
    let profile = try Samples.profile("ping 10\nping-exit 60\ninactive 3600 1000\nsession-timeout 86400\n")
    #expect(profile.timers.ping == .seconds(10))
    #expect(profile.timers.pingRestart == .seconds(60))
    #expect(profile.timers.inactive == .seconds(3600))
    #expect(profile.timers.inactiveBytes == 1000)
    #expect(profile.timers.sessionTimeout == .seconds(86_400))
    #expect(Samples.notes("ping-exit 60\n").mention("reconnects"))
  }

  @Test("O-49: Access Server extras: a time for each remote, a limit for TLS, max-routes without effect")
  func accessServerExtras() throws {
    let profile = try Samples.profile(
      "server-poll-timeout 4\nhand-window 30\nmax-routes 500\nreneg-sec 604800\nreneg-bytes 0\n")
    #expect(profile.remotes.first?.connectTimeout == .seconds(4))
    #expect(profile.timers.handWindow == .seconds(30))
    #expect(profile.timers.renegotiateAfter == .seconds(604_800))
  }

  @Test(
    "Numbers of timers are checked",
    arguments: [
      "ping 10s", "ping -1", "ping 999999", "hand-window 0", "reneg-sec x", "tls-timeout", "keepalive 10", "inactive",
    ])
  func badTimers(line: String) {
    #expect(!Samples.errors(line).isEmpty)
  }

  @Test("The other timers and retries")
  func timers() throws {
    let profile = try Samples.profile(
      "keepalive 10 60\ntran-window 100\ntls-timeout 4\nreneg-pkts 9\nconnect-retry 5 30\nconnect-retry-max 3\nresolv-retry 20\nreplay-window 128 20\n"
    )
    #expect(profile.timers.ping == .seconds(10))
    #expect(profile.timers.pingRestart == .seconds(60))
    #expect(profile.timers.transitionWindow == .seconds(100))
    #expect(profile.timers.tlsTimeout == .seconds(4))
    #expect(profile.timers.renegotiatePackets == 9)
    #expect(profile.connectRetry == .seconds(5))
    #expect(profile.connectRetryMaximum == .seconds(30))
    #expect(profile.connectRetryLimit == 3)
    #expect(profile.resolveRetry == .seconds(20))
    #expect(profile.replayWindow == 128)
    #expect(try Samples.profile("resolv-retry infinite\nconnect-retry-max unlimited\n").connectRetryLimit == nil)
  }

  @Test("Proxies are refused by name")
  func proxies() {
    for line in [
      "http-proxy p.example 3128", "socks-proxy p.example", "<http-proxy-user-pass>\nu\np\n</http-proxy-user-pass>",
    ] {
      #expect(Samples.errors(line).mention("not yet supported"))
    }
  }
}
