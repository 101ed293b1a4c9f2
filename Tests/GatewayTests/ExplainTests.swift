import Base
import Gateway
import Profile
import Settings
import Testing

@Suite("Explaining where a packet goes") struct ExplainTests {
  struct Question: CustomTestStringConvertible, Sendable {
    var situation: String
    var house: @Sendable () throws -> House
    var from: String
    var to: String?
    var port: UInt16
    /// What becomes of it: `tunnel home`, `wan`, `lan`, `router`, `blocked`, a word a family that is answered.
    var ways: [String]

    init(
      _ house: @escaping @Sendable () throws -> House, _ situation: String, from: String = "192.168.1.40",
      to: String? = nil, port: UInt16 = 443, _ ways: String...
    ) {
      self.house = house
      self.situation = situation
      self.from = from
      self.to = to
      self.port = port
      self.ways = ways
    }

    var testDescription: String { "\(situation): \(from) to \(to ?? "anything") port \(port)" }
  }

  static let questions = [
    Question(Situations.closed, "before the first connection", "blocked", "blocked"),
    Question(Situations.closed, "before the first connection", to: "192.168.1.1", "router"),
    Question(Situations.closed, "before the first connection", to: "192.168.1.255", "router"),
    Question(Situations.full, "full tunnel", "tunnel home", "blocked"),
    Question(Situations.closed, "before the first connection", to: "224.0.0.251", "router"),
    Question(Situations.closed, "before the first connection", to: "fe80::1", "router"),
    Question(Situations.full, "full tunnel", to: "192.0.2.53", "tunnel home"),
    Question(Situations.full, "full tunnel", to: "192.168.1.77", "lan"),
    // The WAN's own net is no net of the house.
    Question(Situations.full, "full tunnel", to: "198.51.100.9", "tunnel home"),
    Question(Situations.full, "full tunnel, the router", from: "192.168.1.1", "wan", "wan"),
    Question(Situations.fullWithIPv6, "full tunnel with IPv6", "tunnel home", "tunnel home"),
    Question(Situations.fullWithIPv6, "full tunnel with IPv6", to: "fd01::9", "lan"),
    Question(Situations.specific, "no gateway, specific routes", "wan", "wan"),
    Question(Situations.specific, "no gateway, specific routes", to: "10.1.2.3", "tunnel work"),
    Question(Situations.specific, "no gateway, specific routes", to: "192.168.1.77", "lan"),
    Question(Situations.redirected, "no gateway, redirect-gateway", "wan", "wan"),
    Question(Situations.redirected, "the router with redirect-gateway", from: "198.51.100.2", "tunnel home", "blocked"),
    Question(Situations.pair, "SoftEther's pair", "tunnel home", "blocked"),
    Question(Situations.pushedOnly, "routes pushed only", "wan", "wan"),
    Question(Situations.pushedOnly, "routes pushed only", to: "172.29.64.9", "tunnel work"),
    Question(Situations.scopeAll, "scope all, the router", from: "192.168.1.1", "tunnel home", "blocked"),
    Question(Situations.scopeAll, "scope all, the router", from: "192.168.1.1", to: "192.168.1.40", "lan"),
    Question(Situations.oneArmed, "one-armed", from: "192.168.178.33", "tunnel home"),
    Question(Situations.oneArmed, "one-armed", from: "192.168.178.33", to: "192.168.178.44", "lan"),
    // By a next hop on the one card, which may be the way out.
    Question(Situations.oneArmed, "one-armed", from: "192.168.178.33", to: "10.99.1.1", "tunnel home"),
    Question(Situations.conflict, "subnet conflict", "blocked", "blocked"),
    Question(Situations.withoutIPv6, "IPv6 switched off", "tunnel home"),
    Question(Situations.exceptions, "net_gateway and exclude", to: "10.66.1.1", "wan"),
    Question(Situations.exceptions, "net_gateway and exclude", to: "100.64.1.1", "wan"),
    Question(Situations.exceptions, "net_gateway and exclude", to: "10.1.1.1", "tunnel home"),
    Question(Situations.open, "kill switch off and down", "wan", "wan"),
    Question(Situations.twoTunnels, "two tunnels, the first down", "tunnel backup", "blocked"),
    Question(Situations.bypass, "IPv6 bypass", "tunnel home", "wan"),
    Question(Situations.strict, "strict", "tunnel home", "blocked"),
    Question(Situations.strict, "strict, DNS over TLS", port: 853, "blocked", "blocked"),
    Question(Situations.strict, "strict, the router", from: "192.168.1.1", "tunnel home", "blocked"),
    Question(Situations.unusable, "unusable tunnel", "blocked", "blocked"),
  ]

  private func answers(
    _ house: House, from: String, to: String? = nil, transport: String? = nil, port: UInt16? = nil,
    neighbours: [Neighbour] = [], live: LiveSets = [:]
  ) throws -> [Explanation.Answer] {
    try house.explain(from: from, to: to, transport: transport, port: port, neighbours: neighbours, live: live)
  }

  @Test("B-51, C-8: the way of each family in the common situations", arguments: questions)
  func ways(_ question: Question) throws {
    let answers = try answers(question.house(), from: question.from, to: question.to, port: question.port)
    #expect(answers.map(\.words) == question.ways)
    for answer in answers {
      #expect(!answer.reason.isEmpty && answer.reason != "nothing of the configuration speaks of it")
      #expect((answer.refusal == nil) == (answer.way != .blocked))
    }
  }

  @Test(
    "G-01: in no situation does an armed gateway's LAN leave by the uplink, but where the owner excluded it",
    arguments: Situations.all.map(\.name))
  func neverBeside(name: String) throws {
    let house = try #require(Situations.all.first { $0.name == name }).house()
    guard house.settings.policies.isEmpty, let gateway = house.settings.gateways.first, gateway.killSwitch != .off,
      gateway.routes == .all,
      gateway.ipv6 != .bypass, let lan = house.snapshot.addresses.first(where: { gateway.lan.contains($0.device) })
    else { return }
    let source = lan.prefix.network.description.hasPrefix("192.168.1.") ? "192.168.1.40" : "192.168.178.40"
    for transport in ["tcp", "udp"] {
      for port: UInt16 in [22, 53, 123, 443, 853] {
        let ways = try answers(house, from: source, transport: transport, port: port).map(\.way)
        #expect(!ways.contains(.wan), "\(transport) \(port)")
      }
    }
  }

  @Test("the deciding key is named: gateway, exclude, ipv6, block_dot, a tunnel's profile")
  func places() throws {
    var house = try Situations.exceptions()
    let section = SourceLocation(file: "gateways", line: 3, column: 1)
    let exclude = SourceLocation(file: "gateways", line: 9, column: 2)
    house.settings.gateways[0].location = section
    house.settings.gateways[0].keys["exclude"] = exclude
    let excluded = try answers(house, from: "192.168.1.40", to: "100.64.1.1")[0]
    #expect(excluded.place == exclude.description)
    #expect(excluded.reason == "gateway lan")
    let through = try answers(house, from: "192.168.1.40")[0]
    #expect(through.place == section.description)
    let pushed = try answers(house, from: "192.168.1.40", to: "10.1.1.1")[0]
    #expect(pushed.reason == "a route for 10.0.0.0/8 that tunnel home has from its server or profile")

    house = try Situations.bypass()
    house.settings.gateways[0].keys["ipv6"] = exclude
    #expect(try answers(house, from: "192.168.1.40")[1].place == exclude.description)
    house = try Situations.strict()
    house.settings.gateways[0].keys["block_dot"] = exclude
    let closed = try answers(house, from: "192.168.1.40", port: 853)[0]
    #expect(closed.place == exclude.description)
    #expect(closed.refusal == "a TCP reset")
    #expect(
      try answers(house, from: "192.168.1.40", transport: "udp", port: 853)[0].refusal
        == "an ICMP message: administratively prohibited")
  }

  @Test("a hijacked query says where it goes instead, and every answer what becomes of the names")
  func names() throws {
    let house = try Situations.strict()
    let query = try answers(house, from: "192.168.1.40", to: "9.9.9.9", transport: "udp", port: 53)[0]
    #expect(query.way == .tunnel)
    #expect(query.diverted == "10.8.0.1:53")
    #expect(query.dns == nil)
    #expect(
      try answers(house, from: "192.168.1.40")[0].dns == "its questions for names go to 10.8.0.1 through tunnel home")
    #expect(try answers(Situations.closed(), from: "192.168.1.40")[0].dns == "its questions for names are refused")
  }

  @Test("a pass opens the way for its device while it lasts, and says how long that is")
  func pass() throws {
    let house = try Situations.closed()
    let device = try address("192.168.1.40")
    let live: LiveSets = [TimedSet.pass(.ipv4).name: [.address(device): .seconds(600)]]
    let passed = try answers(house, from: "192.168.1.40", live: live)
    #expect(passed.map(\.way) == [.wan, .blocked])
    #expect(passed[0].reason == "adit pass")
    #expect(passed[0].remarks.contains("the pass ends in 10 min"))
    #expect(try answers(house, from: "192.168.1.41", live: live)[0].way == .blocked)
  }

  @Test("a device is found by its MAC address, by its neighbour entry, or by the net it is in")
  func devices() throws {
    let house = try Situations.fullWithIPv6()
    let mac = try #require(MACAddress("02:00:00:00:00:40"))
    let lan = try device("br-lan")
    let neighbours = try ["fe80::40", "fd01::40", "192.168.1.40"].map {
      Neighbour(address: try address($0), mac: mac, device: lan)
    }
    let byMAC = try answers(house, from: "02:00:00:00:00:40", neighbours: neighbours)
    #expect(byMAC.map(\.source) == ["192.168.1.40", "fd01::40"])
    #expect(byMAC.map(\.input) == ["br-lan", "br-lan"])
    let byAddress = try answers(house, from: "fd01::40", neighbours: neighbours)
    #expect(byAddress.map(\.mac) == [mac.description, mac.description])
    #expect(byAddress[0].source == "192.168.1.40")
    let byNet = try answers(house, from: "192.168.1.99", neighbours: neighbours)
    #expect(byNet.map(\.source) == ["192.168.1.99", nil])
    #expect(byNet[1].remarks.contains { $0.hasPrefix("no IPv6 address of it is known") })
  }

  @Test(
    "what cannot be asked is said in plain words",
    arguments: [
      ("10.9.9.9", nil, "10.9.9.9 is no address of a LAN: the nets are 192.168.1.0/24 on br-lan"),
      ("203.0.113.9", nil, "203.0.113.9 is no address of a LAN: the nets are 192.168.1.0/24 on br-lan"),
      ("fd99::1", nil, "fd99::1 is no address of a LAN: the nets are fd01::/64 on br-lan"),
      ("tv", nil, "`tv` is neither an address nor a MAC address of a device"),
      ("192.168.1.40", "not a host", "`not a host` is neither an address nor the name of a host"),
      (
        "02:00:00:00:00:99", nil,
        "no device of a LAN with the MAC address 02:00:00:00:00:99 is known now; ask by its address, or once it has spoken"
      ),
    ] as [(String, String?, String)])
  func problems(from: String, to: String?, words: String) throws {
    let house = try Situations.full()
    #expect(throws: Explanation.Problem(words)) { try answers(house, from: from, to: to) }
  }

  @Test("with nothing of ours standing the ordinary way is told; other programs' rules count")
  func ordinary() throws {
    var house = try House()
    try house.addTunnel("home")
    try house.addGateway("home")
    let inquiry = try Inquiry.read(source: "192.168.1.40", destination: nil, transport: nil, port: nil).get()
    house.snapshot.rules = [
      Rule(family: .ipv4, priority: 0, action: .lookup(255), origin: 2),
      Rule(family: .ipv4, priority: 32_766, action: .lookup(254), origin: 2),
      Rule(family: .ipv6, priority: 500, action: .unreachable, inputDevice: try device("br-lan"), origin: 4),
      Rule(family: .ipv6, priority: 32_766, action: .lookup(254), origin: 2),
    ]
    let scene = Scene(settings: house.settings, plan: NetworkPlan(), in: Standing(snapshot: house.snapshot))
    #expect(try Explainer.answers(inquiry, in: scene).get().map(\.way) == [.wan, .blocked])
  }
}

extension House {
  func explain(
    from: String, to: String? = nil, transport: String? = nil, port: UInt16? = nil, neighbours: [Neighbour] = [],
    live: LiveSets = [:]
  ) throws -> [Explanation.Answer] {
    let inquiry = try Inquiry.read(source: from, destination: to, transport: transport, port: port).get()
    var snapshot = snapshot
    // Every kernel has these.
    snapshot.rules += AddressFamily.allCases.flatMap { family in
      [(0, 255), (32_766, 254)].map { Rule(family: family, priority: $0, action: .lookup($1), origin: 2) }
    }
    let standing = Standing(snapshot: snapshot, neighbours: neighbours, live: live)
    let scene = Scene(settings: settings, plan: plan(), in: standing)
    return try Explainer.answers(inquiry, in: scene).get()
  }
}

extension Explanation.Answer {
  /// `tunnel home`, `wan`.
  var words: String { way.rawValue + (tunnel.map { " \($0)" } ?? "") }
}
