import Base
import Commands
import Control
import Settings
import Testing

@Suite("adit doctor judges what it found") struct DoctorTests {
  private static func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }

  /// A house without trouble: LAN `br-lan`, uplink `wan`, gateway through `home` on `tun-home`.
  static func facts() throws -> DoctorFacts {
    var facts = DoctorFacts()
    let home = try #require(TunnelName("home"))
    let place = SourceLocation(file: "gateway", line: 1)
    facts.settings.tunnels = [TunnelSettings(name: home, device: try device("tun-home"), location: place)]
    var gateway = GatewaySettings(name: try #require(TunnelName("lan")), location: place)
    gateway.tunnels = [home]
    gateway.lan = [try device("br-lan")]
    facts.settings.gateways = [gateway]
    facts.servers = [DoctorFacts.ServerFacts(tunnel: home, host: "vpn.example.net", port: 1194, usesTCP: false)]
    facts.resolvers = [Endpoint(address: try #require(IPAddress("198.51.100.1")), port: 53)]
    let wan = try device("wan")
    facts.snapshot.links = [Link(index: 2, name: wan)]
    facts.snapshot.hasIPv6 = false
    facts.uplinks[.ipv4] = Path(device: wan, gateway: IPAddress("198.51.100.1"))
    facts.sysctls = ["net/ipv4/ip_forward": "1"]
    facts.now = WallTime(seconds: 1_800_000_000)
    facts.firewall = ForeignFirewall(.object([.init("nftables", .array([]))]))
    return facts
  }

  @Test("a house without trouble: every check says one line, all ok")
  func allOk() throws {
    let findings = try Doctor(Self.facts()).findings
    #expect(findings.filter { $0.state != .ok } == [])
    #expect(Set(findings.map(\.check)) == Set(Finding.Check.allCases))
    #expect(findings.count == Finding.Check.allCases.count)
  }

  struct Trouble: CustomTestStringConvertible, Sendable {
    var check: Finding.Check
    var state: Finding.State
    var words: String
    var change: @Sendable (inout DoctorFacts) throws -> Void

    init(
      _ check: Finding.Check, _ state: Finding.State, _ words: String,
      _ change: @escaping @Sendable (inout DoctorFacts) throws -> Void
    ) {
      self.check = check
      self.state = state
      self.words = words
      self.change = change
    }

    var testDescription: String { words }
  }

  static let troubles = [
    Trouble(.tun, .problem, "/dev/net/tun cannot be opened: No such file") { $0.tunProblem = "No such file" },
    Trouble(.nft, .problem, "the program nft is not installed") { $0.nft.isInstalled = false },
    Trouble(.nft, .problem, "the kernel's nf_tables cannot do fib: Error: no") {
      $0.nft.missing = [.init(.fib, "Error: no")]
    },
    Trouble(.forwarding, .problem, "IPv4 is not forwarded, and net/ipv4/ip_forward cannot be written") {
      $0.sysctls["net/ipv4/ip_forward"] = "0"
      $0.readOnlySysctls = ["net/ipv4/ip_forward"]
    },
    Trouble(.forwarding, .problem, "a daemon runs, but something has switched the forwarding of IPv4 off") {
      $0.sysctls["net/ipv4/ip_forward"] = "0"
      $0.daemon = StatusReport(version: "1")
    },
    Trouble(.ipv6, .warning, "gateway lan lets all IPv6 of its LAN past the tunnel") {
      $0.snapshot.hasIPv6 = true
      $0.sysctls["net/ipv6/conf/all/forwarding"] = "1"
      $0.settings.gateways[0].ipv6 = .bypass
    },
    Trouble(
      .clock, .warning, "the clock was never set: it says 1970-01-01T00:00:09Z, before this program was made"
    ) { $0.now = WallTime(seconds: 9) },
    Trouble(.configuration, .problem, "the configuration has 2 errors: gateway:1:1: error: x") {
      $0.configuration.errors = 2
      $0.configuration.first = "gateway:1:1: error: x"
    },
    Trouble(.configuration, .warning, "the configuration is valid, with a warning: w") {
      $0.configuration.warnings = 1
      $0.configuration.first = "w"
    },
    Trouble(.uplink, .problem, "there is no way out: no default route for our own packets") { $0.uplinks = [:] },
    Trouble(.uplink, .problem, "IPv4 leaves by wan by 198.51.100.1, which has no carrier") {
      $0.snapshot.links[0].hasCarrier = false
    },
    Trouble(.uplink, .warning, "IPv4 leaves by wan by 198.51.100.1, whose MTU is only 1000") {
      $0.snapshot.links[0].mtu = 1000
    },
    Trouble(.mtu, .warning, "home: packets of only up to 1248 bytes pass inside, too few for IPv6") {
      var tunnel = TunnelStatus(name: "home", status: .connected)
      tunnel.mtu = 1248
      var report = StatusReport(version: "1")
      report.tunnels = [tunnel]
      $0.daemon = report
    },
    Trouble(.server, .problem, "home: no route leads to its server 203.0.113.9") {
      $0.servers[0].host = "203.0.113.9"
      $0.servers[0].address = IPAddress("203.0.113.9")
    },
    Trouble(.server, .problem, "home: disconnected: The server refused the login; x") {
      var status = TunnelStatus(name: "home", status: .disconnected)
      status.lastError = .init(
        code: "auth_failed", text: "The server refused the login", since: nil, isFatal: true, action: "x")
      var report = StatusReport(version: "1")
      report.tunnels = [status]
      $0.daemon = report
    },
    Trouble(.resolvers, .problem, "no resolver of the uplink is known, and servers are given by name") {
      $0.resolvers = []
    },
    Trouble(.resolvers, .warning, "names of servers are looked up at 198.51.100.1, and there is no answer") {
      $0.silentResolvers = Set($0.resolvers.map(\.address))
    },
    Trouble(.dns, .warning, "home: The resolver 10.8.0.1 inside the tunnel does not answer") {
      $0.innerResolvers = [
        .init(tunnel: "home", address: try #require(IPAddress("10.8.0.1")), answers: false),
        .init(tunnel: "home", address: try #require(IPAddress("10.8.0.2")), answers: true),
      ]
    },
    Trouble(.firewall, .warning, "the rules of other programs cannot be read: no") {
      $0.firewall = nil
      $0.nft.readFailure = "no"
    },
    Trouble(.firewall, .warning, "iptables table filter of iptables-legacy is loaded, which nft does not show") {
      $0.legacyTables = ["iptables table filter"]
    },
    Trouble(
      .rules, .problem, "a rule of another program stands in our band 800-899: 850: fwmark 0x100/0x3f00 lookup 1"
    ) {
      $0.rules = [
        RuleOutline(family: .ipv4, priority: 850, mark: 0x100, markMask: 0x3f00, table: 1),
        RuleOutline(family: .ipv6, priority: 850, mark: 0x100, markMask: 0x3f00, table: 1),
      ]
    },
    Trouble(.rules, .warning, "a rule of another program is asked before ours: 99: from all lookup 9") {
      $0.rules = [RuleOutline(family: .ipv4, priority: 99, table: 9, isForAll: true)]
    },
    Trouble(
      .marks, .problem,
      "a rule of another program uses our bits 0xff000000 of marks: 5210: fwmark 0x1000000/0xff000000 another action"
    ) {
      $0.rules = [RuleOutline(family: .ipv4, priority: 5210, mark: 0x0100_0000, markMask: 0xff00_0000)]
    },
    Trouble(.routes, .problem, "another program has routes in our table 44001: 10.0.0.0/8 dev wan table 44001") {
      $0.snapshot.routes = [
        Route(destination: try prefix("10.0.0.0/8"), device: try device("wan"), table: 44_001, origin: 4)
      ]
    },
    Trouble(.routes, .warning, "wg0 takes all IPv4, our own transport too: another VPN") {
      let other = try device("wg0")
      $0.snapshot.routes = [
        Route(destination: try prefix("0.0.0.0/1"), device: other, origin: 3),
        Route(destination: try prefix("128.0.0.0/1"), device: other, origin: 3),
      ]
    },
    Trouble(.daemon, .problem, "the daemon cannot be asked: it does not answer") {
      $0.daemonFailure = "it does not answer"
    },
    Trouble(.reversePath, .problem, "the reverse path filter of br-lan is strict and does not ask with our marks") {
      $0.sysctls["net/ipv4/conf/br-lan/rp_filter"] = "1"
      $0.daemon = StatusReport(version: "1")
    },
  ]

  @Test("each trouble is named, with a remedy, and no other check is moved by it", arguments: troubles)
  func trouble(_ trouble: Trouble) throws {
    var facts = try Self.facts()
    try trouble.change(&facts)
    let findings = Doctor(facts).findings
    let bad = findings.filter { $0.state != .ok }
    #expect(bad.map(\.text) == [trouble.words])
    #expect(bad.first?.check == trouble.check)
    #expect(bad.first?.state == trouble.state)
    #expect(bad.first?.remedy != nil)
    #expect(Set(findings.map(\.check)) == Set(Finding.Check.allCases))
  }

  @Test("others at their own places are no trouble: tailscale, mwan3, wg-quick, loose reverse path filters")
  func peace() throws {
    var facts = try Self.facts()
    facts.rules = [
      RuleOutline(family: .ipv4, priority: 0, table: 255, isForAll: true),
      RuleOutline(family: .ipv4, priority: 800, mark: 0xad00_0000, markMask: 0xff00_0000, table: 254, origin: 173),
      RuleOutline(family: .ipv4, priority: 1001, table: 1, inputDevice: try Self.device("wan")),
      RuleOutline(family: .ipv4, priority: 2001, mark: 0x100, markMask: 0x3f00, table: 1),
      RuleOutline(family: .ipv4, priority: 5210, mark: 0x80000, markMask: 0xff0000, table: 254),
      RuleOutline(family: .ipv4, priority: 32_766, table: 254, isForAll: true),
    ]
    facts.sysctls["net/ipv4/conf/all/rp_filter"] = "2"
    facts.sysctls["net/ipv4/conf/br-lan/rp_filter"] = "1"
    facts.daemon = StatusReport(version: "1")
    #expect(Doctor(facts).findings.filter { $0.state != .ok } == [])
  }

  @Test("who answers on port 53 is said, and who only seems to")
  func nameServers() throws {
    var facts = try Self.facts()
    facts.nameServers = [.init(program: "dnsmasq", address: try #require(IPAddress("192.168.1.1")))]
    #expect(Doctor(facts).findings.first { $0.check == .dns }?.text == "dnsmasq listens on port 53")
    facts.nameServers = [.init(program: nil, address: try #require(IPAddress("127.0.0.53")))]
    #expect(
      Doctor(facts).findings.first { $0.check == .dns }?.text
        == "a program that cannot be named listens on port 53 of the loopback only, which no device of the LAN reaches")
  }

  @Test("text and JSON say the same, a line each")
  func forms() {
    let findings = [
      Finding(.tun, .ok, "fine"), Finding(.reversePath, .problem, "bad\u{7}", remedy: "mend it"),
    ]
    #expect(
      DoctorText.render(findings) == """
        ok       tun           fine
        problem  reverse path  bad?; mend it

        """)
    #expect(
      DoctorText.json(findings).line
        == #"{"checks":[{"check":"tun","state":"ok","text":"fine","remedy":null},"#
        + #"{"check":"reverse_path","state":"problem","text":"bad\u0007","remedy":"mend it"}],"warnings":0,"problems":1}"#
    )
  }
}

private func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }
private func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }
