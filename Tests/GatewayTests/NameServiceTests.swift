import Base
import Gateway
import Profile
import Settings
import Testing

@Suite("What the router's resolver is told")
struct NameServiceTests {
  static func domain(_ text: String) throws -> DomainName { try #require(DomainName(text)) }
  static func server(_ text: String, port: UInt16 = 53) throws -> Endpoint {
    Endpoint(address: try address(text), port: port)
  }
  static let place = DnsmasqPlace(
    directory: "/etc/dnsmasq.d", serversFile: "/run/adit/dnsmasq/servers", restart: .initScript)

  /// A dnsmasq at every address of the router.
  static func dnsmasq(_ change: (inout DnsmasqFacts) -> Void = { _ in }) -> ResolverFacts {
    var facts = ResolverFacts()
    facts.listeners = [
      .init(address: .v4(IPv4Address(0)), program: .dnsmasq, process: 70),
      .init(address: .v6(IPv6Address(high: 0, low: 0)), program: .dnsmasq, process: 70),
    ]
    var dnsmasq = DnsmasqFacts(place: place)
    change(&dnsmasq)
    facts.dnsmasq = [70: dnsmasq]
    facts.uplink = [.v4(IPv4Address(198, 51, 100, 1))]
    return facts
  }

  static func other(_ name: String, at text: String = "0.0.0.0") throws -> ResolverFacts {
    var facts = ResolverFacts()
    facts.listeners = [.init(address: try address(text), program: .init(command: name), process: 80)]
    return facts
  }

  // MARK: Text

  @Test("The snippet and the servers are dnsmasq's own lines")
  func text() throws {
    var dnsmasq = NameService.Dnsmasq(place: Self.place, isExclusive: true)
    dnsmasq.forwarders = [
      .init([try Self.server("10.8.0.1"), try Self.server("fd00:8::1", port: 5353)]),
      .init([try Self.server("10.20.0.2")], for: [try Self.domain("corp.example"), try Self.domain("lab.example")]),
    ]
    dnsmasq.trusted = [try Self.domain("corp.example")]
    dnsmasq.sets = DomainSets([
      PolicyDomains(policy: try #require(TunnelName("tv")), domains: [try Self.domain("video.example")]),
      PolicyDomains(
        policy: try #require(TunnelName("work")), isNegated: true, domains: [try Self.domain("a.video.example")]),
    ])
    #expect(
      dnsmasq.snippet == """
        \(DnsmasqPlace.firstLine)
        no-resolv
        servers-file=/run/adit/dnsmasq/servers
        rebind-domain-ok=/corp.example/
        nftset=/a.video.example/4#inet#adit#names4_tv,6#inet#adit#names6_tv,4#inet#adit#notnames4_work,6#inet#adit#notnames6_work
        nftset=/video.example/4#inet#adit#names4_tv,6#inet#adit#names6_tv

        """)
    #expect(
      dnsmasq.servers == """
        server=10.8.0.1
        server=fd00:8::1#5353
        server=/corp.example/lab.example/10.20.0.2

        """)
  }

  @Test("resolvconf gets a resolv.conf, systemd-resolved the domains it shall route")
  func links() throws {
    var link = NameService.LinkResolvers(
      program: .resolvconf, device: try device("tun-home"), servers: [try Self.server("10.8.0.1")],
      domains: [try Self.domain("corp.example")], takesAll: true)
    #expect(link.resolvConf == "nameserver 10.8.0.1\nsearch corp.example\n")
    #expect(link.routingDomains == ["~.", "corp.example"])
    link.takesAll = false
    #expect(link.routingDomains == ["~corp.example"])
  }

  // MARK: dnsmasq's own configuration

  @Test(
    "Where dnsmasq reads further files from is found in its command line and its files",
    arguments: [
      (["-x", "/run/d.pid", "-7", "/etc/dnsmasq.d,.dpkg-dist,.dpkg-old"], "", "/etc/dnsmasq.d", true),
      (["-kC", "/var/etc/dnsmasq.conf.x"], "conf-dir=/tmp/dnsmasq.d/\nconf-file=/x", "/tmp/dnsmasq.d", true),
      (["--conf-dir=/etc/d,*.conf"], "", "/etc/d", true), (["--conf-dir", "/etc/d,*.dns"], "", "/etc/d", false),
      (["-k"], "  # conf-dir=/no\n\tconf-dir = /yes , *.conf", "/yes", true),
    ])
  func directories(arguments: [String], file: String, path: String, reads: Bool) {
    var options = DnsmasqOptions()
    options.read(arguments: arguments)
    options.read(text: file)
    #expect(options.directories.map(\.path) == [path])
    #expect(options.directories.first?.reads("adit.conf") == reads)
    #expect(options.directories.first?.reads(".adit.servers") == false)
  }

  @Test("What would clash with ours is seen")
  func clashes() {
    var options = DnsmasqOptions()
    options.read(arguments: ["-C", "/etc/a.conf", "-S", "9.9.9.9", "-p53"])
    #expect(options.mainFile == "/etc/a.conf" && options.hasServers && options.serversFile == nil)
    options = DnsmasqOptions()
    options.read(text: "server=/lan/192.168.1.9\nlocal=/home/\nservers-file=/x\nstop-dns-rebind\nconf-file=/more\n")
    #expect(!options.hasServers && options.serversFile == "/x" && options.stopsRebinding && options.files == ["/more"])
  }

  // MARK: Plans

  @Test("G-06: a full tunnel's servers take every name, and dnsmasq asks nobody else")
  func full() throws {
    let plan = try Situations.full().plan(resolver: Self.dnsmasq())
    #expect(
      plan.nameService.lines == [
        "names /etc/dnsmasq.d/adit.conf: no-resolv",
        "names /etc/dnsmasq.d/adit.conf: servers-file=/run/adit/dnsmasq/servers",
        "names /run/adit/dnsmasq/servers: server=192.0.2.53",
      ])
    #expect(plan.warnings == [])
  }

  @Test("B-54: a dnsmasq with nftset gets the policies' domains, and the engine of its gateway's tunnel need not look")
  func sets() throws {
    var house = try Situations.full()
    let location = SourceLocation(file: "adit", line: 1)
    for (name, domains) in [("tv", ["example.lab"]), ("work", ["www.example.lab", "example.lab"])] {
      var policy = PolicySettings(name: try #require(TunnelName(name)), location: location)
      policy.destinations = try domains.map { PolicySettings.Term(match: .domain(try Self.domain($0))) }
      policy.via = .wan
      house.settings.policies.append(policy)
    }
    let both = "4#inet#adit#names4_tv,6#inet#adit#names6_tv,4#inet#adit#names4_work,6#inet#adit#names6_work"
    let plan = house.plan(resolver: Self.dnsmasq { $0.fillsSets = true })
    #expect(
      plan.nameService.lines.filter { $0.contains("nftset") } == [
        "names /etc/dnsmasq.d/adit.conf: nftset=/example.lab/\(both)",
        "names /etc/dnsmasq.d/adit.conf: nftset=/www.example.lab/\(both)",
      ])
    #expect(plan.unwatchedTunnels == Set(plan.tunnels.map(\.name)))
    // One that was built without, a name server that is none of ours, and a line that it could not read.
    #expect(house.plan(resolver: Self.dnsmasq()).unwatchedTunnels.isEmpty)
    #expect(house.plan(resolver: try Self.other("unbound")).unwatchedTunnels.isEmpty)
    for number in 0..<12 {
      var policy = house.settings.policies[0]
      policy.name = try #require(TunnelName("policy-with-a-long-name-\(number)"))
      house.settings.policies.append(policy)
    }
    let many = house.plan(resolver: Self.dnsmasq { $0.fillsSets = true })
    #expect(many.unwatchedTunnels.isEmpty && many.nameService.dnsmasq?.sets.isEmpty == true)
  }

  @Test("Opened for a time while its tunnel is down, dnsmasq asks the uplink's resolvers as ever")
  func opened() throws {
    var house = try Situations.full()
    let openings = Openings(lan: [try device("br-lan")], router: [.ipv4, .ipv6])
    #expect(house.plan(openings: openings, resolver: Self.dnsmasq()).nameService.dnsmasq?.isExclusive == true)
    house.tunnels[0].isUp = false
    #expect(house.plan(resolver: Self.dnsmasq()).nameService.dnsmasq?.isExclusive == true)
    let plan = house.plan(openings: openings, resolver: Self.dnsmasq())
    #expect(plan.nameService == NameService())
    // The kernel alone closes it again.
    #expect(try chain("dns_router", of: plan).contains("meta nfproto @open_router return"))
  }

  @Test("G-24: a tunnel that is not for everything gets its own domains only, and nothing else changes")
  func split() throws {
    var house = try House()
    try house.addTunnel("work") {
      try $0.subnet("10.20.0.7", "255.255.240.0", gateway: "10.20.0.1")
      try $0.route("10.20.0.0/16")
      try $0.resolver("10.20.0.2")
      $0.dns.searchDomains = [try Self.domain("corp.example")]
    }
    try house.addGateway("work") { $0.routes = .pushed }
    let plan = house.plan(resolver: Self.dnsmasq { $0.stopsRebinding = true })
    #expect(
      plan.nameService.lines == [
        "names /etc/dnsmasq.d/adit.conf: servers-file=/run/adit/dnsmasq/servers",
        "names /etc/dnsmasq.d/adit.conf: rebind-domain-ok=/corp.example/",
        "names /run/adit/dnsmasq/servers: server=/corp.example/10.20.0.2",
      ])
    #expect(try chain("nat_dns", of: plan).isEmpty && chain("dns_mark", of: plan).isEmpty)
    #expect(plan.routes.contains { $0.destination.contains(.v4(IPv4Address(10, 20, 0, 2))) && $0.table == 44129 })
    // Without domains there is nothing to ask it.
    house.tunnels[0].pushed?.tunnel.dns.searchDomains = []
    #expect(house.plan(resolver: Self.dnsmasq()).nameService == NameService())
  }

  @Test("P-18: `dns server` counts before dhcp-option, with its port and its domains")
  func newer() throws {
    var house = try Situations.full()
    house.tunnels[0].pushed?.tunnel.dns.servers = [
      .init(priority: 1, [try Self.server("10.8.0.9", port: 5353)], for: []),
      .init(priority: 2, [try Self.server("10.8.0.10")], for: [try Self.domain("corp.example")]),
    ]
    let plan = house.plan(resolver: Self.dnsmasq())
    #expect(
      plan.nameService.lines.suffix(2) == [
        "names /run/adit/dnsmasq/servers: server=10.8.0.9#5353",
        "names /run/adit/dnsmasq/servers: server=/corp.example/10.8.0.10",
      ])
  }

  @Test("P-18: no server pushed: bootstrap_dns is asked through the tunnel, else whoever is asked now; both are said")
  func nonePushed() throws {
    var house = try Situations.full()
    house.tunnels[0].pushed?.tunnel.dns = DNSOptions()
    var plan = house.plan(resolver: Self.dnsmasq())
    #expect(plan.nameService == NameService())
    #expect(plan.warnings.contains { $0.contains("gave no resolver") && $0.contains("whoever is asked now") })
    #expect(try chain("dns_mark", of: plan).last == "meta mark set meta mark & 0x00ffffff | 0x01000000")
    #expect(try chain("nat_dns_out", of: plan).isEmpty)
    house.settings.globals.bootstrapDNS = [try address("9.9.9.9")]
    plan = house.plan(resolver: Self.dnsmasq())
    #expect(plan.nameService.lines.last == "names /run/adit/dnsmasq/servers: server=9.9.9.9")
    #expect(plan.warnings.contains { $0.contains("`bootstrap_dns` is asked through the tunnel") })
  }

  @Test("While a tunnel reconnects the servers stay and the ruleset refuses; before the first push nothing is told")
  func down() throws {
    var house = try Situations.full()
    house.tunnels[0].isUp = false
    var plan = house.plan(resolver: Self.dnsmasq())
    #expect(plan.nameService.lines.last == "names /run/adit/dnsmasq/servers: server=192.0.2.53")
    #expect(try chain("dns_router", of: plan).last == "goto refuse__router")
    #expect(try chain("dns_mark", of: plan).isEmpty)
    plan = try Situations.closed().plan(resolver: Self.dnsmasq())
    #expect(plan.nameService == NameService())
    #expect(try chain("dns_router", of: plan).last == "goto refuse__router")
    // Names of the house are answered meanwhile.
    #expect(try chain("dns_lan", of: plan).last == "meta l4proto { tcp, udp } redirect to :53")
  }

  @Test("While the clock is unset the names of time servers are asked of the uplink's resolvers, and nothing else")
  func clock() throws {
    let house = try Situations.closed()
    let plan = house.plan(clockIsUnset: true, resolver: Self.dnsmasq())
    #expect(plan.nameService.lines.first == "names /etc/dnsmasq.d/adit.conf: no-resolv")
    #expect(plan.nameService.lines.last?.contains("server=/ntp.org/") ?? false)
    #expect(plan.nameService.lines.last?.hasSuffix("/198.51.100.1") ?? false)
    let pass = "ip daddr 198.51.100.1/32 udp dport 53 return"
    #expect(try chain("dns_router", of: plan).contains(pass))
    // A dnsmasq with servers of its own would ask them everything.
    let own = house.plan(clockIsUnset: true, resolver: Self.dnsmasq { $0.hasServers = true })
    #expect(own.nameService == NameService())
    #expect(try !chain("dns_router", of: own).contains(pass))
  }

  @Test(
    "dnsmasq is one: it serves the first gateway, another is led to its own tunnel's resolver, domains are split for all"
  )
  func several() throws {
    var house = try Situations.full()
    try house.addTunnel("work", index: 2) {
      try $0.subnet("10.20.0.7", "255.255.240.0", gateway: "10.20.0.1")
      try $0.resolver("10.20.0.2")
      $0.dns.searchDomains = [try Self.domain("corp.example")]
    }
    try house.addGateway("work", lan: ["br-work"]) { $0.name = try #require(TunnelName("office")) }
    var plan = house.plan(resolver: Self.dnsmasq())
    #expect(
      plan.nameService.lines.suffix(2) == [
        "names /run/adit/dnsmasq/servers: server=192.0.2.53",
        "names /run/adit/dnsmasq/servers: server=/corp.example/10.20.0.2",
      ])
    #expect(try chain("dns_lan", of: plan).last == "meta l4proto { tcp, udp } redirect to :53")
    #expect(
      try chain("dns_office", of: plan).last == "meta nfproto ipv4 meta l4proto { tcp, udp } dnat ip to 10.20.0.2:53")
    // Its tunnel down, nothing of it goes through the other.
    house.tunnels[1].isUp = false
    plan = house.plan(resolver: Self.dnsmasq())
    #expect(
      try chain("dns_in", of: plan).last
        == "iifname @lan_office meta l4proto { tcp, udp } th dport 53 goto refuse_office")
  }

  @Test("A resolver that cannot be told: its queries are led to the tunnel's resolver, and the owner hears of it")
  func others() throws {
    var plan = try Situations.full().plan(resolver: Self.other("unbound"))
    #expect(plan.nameService == NameService() && plan.warnings == [])
    #expect(try chain("dns_lan", of: plan).last == "meta l4proto { tcp, udp } redirect to :53")
    #expect(try chain("nat_dns_out", of: plan).last?.hasSuffix("dnat ip to 192.0.2.53:53") ?? false)

    plan = try Situations.full().plan(
      resolver: Self.dnsmasq {
        $0.place = nil
        $0.trouble = "dnsmasq has a `servers-file` already, and it takes only one"
      })
    #expect(plan.nameService == NameService())
    #expect(plan.warnings.contains { $0.hasPrefix("lan: dnsmasq has a `servers-file` already") })

    // One for the router itself alone answers no LAN.
    plan = try Situations.full().plan(resolver: Self.other("systemd-resolved", at: "127.0.0.53"))
    #expect(plan.warnings.contains { $0.contains("nothing on this router answers its LANs' queries") })
    #expect(
      try chain("dns_lan", of: plan).last == "meta nfproto ipv4 meta l4proto { tcp, udp } dnat ip to 192.0.2.53:53")
  }

  @Test("resolved and resolvconf are told of the device; where they are missing the owner hears of it")
  func devices() throws {
    for (mode, program) in [(GatewaySettings.DNSMode.resolved, "resolved"), (.resolvconf, "resolvconf")] {
      var house = try Situations.full()
      house.settings.gateways[0].dns = mode
      var facts = try Self.other("unbound")
      #expect(house.plan(resolver: facts).warnings.contains { $0.contains("is not installed") })
      facts.hasResolvectl = true
      facts.hasResolvconf = true
      #expect(house.plan(resolver: facts).nameService.lines == ["names \(program) tun-home 192.0.2.53 ~."])
    }
  }

  @Test("`dns 'off'` leaves everything as it was")
  func off() throws {
    var house = try Situations.full()
    house.settings.gateways[0].dns = .off
    let plan = house.plan(resolver: Self.dnsmasq())
    #expect(plan.nameService == NameService() && plan.warnings == [])
    for name in ["nat_dns", "dns_early", "dns_in", "dns_mark", "nat_dns_out", "dns_out", "dns_router"] {
      #expect(try chain(name, of: plan).isEmpty, "\(name)")
    }
  }

  private func chain(_ name: String, of plan: NetworkPlan) throws -> [String] {
    let text = try #require(plan.ruleset)
    return rules(ofChain: name, in: text)
  }
}

extension DNSOptions.Server {
  fileprivate init(priority: Int, _ addresses: [Endpoint], for domains: [DomainName]) {
    self.init(priority: priority)
    self.addresses = addresses
    self.domains = domains
  }
}
