import Base
import Gateway
import Profile
import Settings
import Testing

@Suite("What counts as the house and what as a way out")
struct UplinkTests {
  private func inside(_ plan: NetworkPlan) -> [String] {
    plan.routes.filter { $0.table == RoutingTables.local }.map { "\($0.destination)" }
  }

  @Test("G-16: another net of this router stays reachable from the LAN though no gateway lists it")
  func docker() throws {
    var house = try Situations.full()
    house.snapshot.links.append(Link(index: 7, name: try device("docker0"), kind: "bridge"))
    try house.addKernelRoute("172.17.0.0/16", "docker0")
    #expect(inside(house.plan()).contains("172.17.0.0/16"))
  }

  @Test("G-01: an uplink that lost its default does not become a net of the house when its address returns first")
  func returning() throws {
    var house = try Situations.full()
    let first = house.plan()
    #expect(first.uplinks == [try device("wan0")])
    house.snapshot.routes.removeAll { $0.destination.length == 0 }
    let second = Planner.plan(
      settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot, formerUplinks: first.uplinks)
    #expect(inside(second) == ["192.168.1.0/24", "fd01::/64"])
    #expect(second.ruleset == first.ruleset)
  }

  @Test("G-01: before any uplink is known only the LANs are the house")
  func unknown() throws {
    var house = try Situations.full()
    house.snapshot.routes.removeAll { $0.destination.length == 0 }
    #expect(inside(house.plan()) == ["192.168.1.0/24", "fd01::/64"])
  }

  @Test("A default in another program's table makes an uplink too, our own never does")
  func otherTables() throws {
    var house = try Situations.full()
    house.snapshot.routes.append(
      Route(destination: .everything(.ipv4), device: try device("wwan0"), table: 2, origin: 4))
    house.snapshot.routes.append(
      Route(destination: .everything(.ipv4), device: try device("tun-home"), table: 44_001))
    #expect(house.plan().uplinks == [try device("wan0"), try device("wwan0")])
  }

  @Test("Two halves of the world make an uplink as a default does; a wider net of the house does not")
  func halves() throws {
    var house = try Situations.full()
    house.snapshot.routes.removeAll { $0.destination.length == 0 }
    for net in ["0.0.0.0/1", "128.0.0.0/1"] {
      house.snapshot.routes.append(
        Route(
          destination: try prefix(net), device: try device("wan0"), gateway: try address("198.51.100.1"), origin: 16))
    }
    try house.addKernelRoute("10.0.0.0/8", "br-lan")
    let plan = house.plan()
    #expect(plan.uplinks == [try device("wan0")])
    #expect(inside(plan) == ["10.0.0.0/8", "192.168.1.0/24", "fd01::/64"])
  }

  @Test("G-10: towards an uplink narrower than Ethernet both directions are clamped to it")
  func narrowUplink() throws {
    var house = try Situations.full()
    #expect(house.plan().ruleset?.contains("size set 1452") == false)
    house.snapshot.links[1].mtu = 1492
    let text = try #require(house.plan().ruleset)
    for way in ["iifname", "oifname"] {
      for (family, size) in [("ipv4", 1452), ("ipv6", 1432)] {
        #expect(
          text.contains(
            "\(way) \"wan0\" meta nfproto \(family) tcp flags & (syn | rst) == syn tcp option maxseg size set \(size)"))
      }
    }
  }

  @Test("A LAN device that is not there is told, with the one that may be meant")
  func absentDevice() throws {
    var house = try Situations.full()
    #expect(house.plan().warnings.isEmpty)
    house.settings.gateways[0].lan = [try device("br-lna")]
    #expect(house.plan().warnings == ["lan: there is no device `br-lna` yet; did you mean `br-lan`?"])
  }

  @Test("A pushed net is refused when it is the WAN's, and gets a hole when it is wider")
  func wider() throws {
    var house = try House()
    try house.addTunnel("work") {
      try $0.subnet()
      try $0.route("198.51.0.0/16")
      try $0.route("198.51.100.128/25")
    }
    let plan = house.plan()
    let pushed = plan.routes.filter { $0.table == RoutingTables.pushed }.map(\.words)
    #expect(
      pushed == [
        "10.8.0.0/24 dev tun-work table 44129", "198.51.0.0/16 dev tun-work table 44129",
        "throw 198.51.100.0/24 table 44129",
      ])
    #expect(plan.warnings.count == 1)
  }

  @Test("The server's own address inside the tunnel's net is never captured by a route in main")
  func capture() throws {
    var house = try House()
    try house.addTunnel("home", server: "203.0.113.9") { try $0.subnet("203.0.113.50", gateway: "203.0.113.1") }
    let plan = house.plan()
    #expect(plan.addresses.map(\.words) == ["203.0.113.50/32 dev tun-home"])
    #expect(plan.routes.contains { $0.words == "203.0.113.0/24 dev tun-home table 44129" })
  }

  @Test("A mask that holds half the world is set as a host address")
  func wideMask() throws {
    var house = try House()
    try house.addTunnel("home") { try $0.subnet("10.8.0.2", "128.0.0.0") }
    #expect(house.plan().addresses.map(\.words) == ["10.8.0.2/32 dev tun-home"])
  }

  @Test("A mask without topology is taken for a subnet")
  func maskForPeer() throws {
    var house = try House()
    try house.addTunnel("home") { try $0.pair("10.8.0.2", "255.255.255.0") }
    #expect(house.plan().addresses.map(\.words) == ["10.8.0.2/24 dev tun-home"])
  }

  @Test(
    "An address that no host can have is refused, and costs the other tunnels nothing",
    arguments: ["224.0.0.1", "127.0.0.1", "0.0.0.0", "240.0.0.1"])
  func impossibleAddress(text: String) throws {
    var house = try House()
    try house.addTunnel("bad") { try $0.subnet(text, "255.255.255.0") }
    try house.addTunnel("worse") { try $0.pair("10.9.0.2", text) }
    try house.addTunnel("home") { try $0.subnet("10.8.0.2", "255.255.255.0") }
    let plan = house.plan()
    #expect(plan.addresses.map(\.words) == ["10.8.0.2/24 dev tun-home"])
    #expect(plan.faults.values.map(\.code) == [.pushInvalid, .pushInvalid])
  }

  @Test("A mask with holes is refused")
  func oddMask() throws {
    var house = try House()
    try house.addTunnel("home") { try $0.subnet("10.8.0.2", "255.0.255.0") }
    #expect(house.plan().faults.values.map(\.code) == [.pushInvalid])
  }

  @Test("No address at all is a fault of the server")
  func noAddress() throws {
    var house = try House()
    try house.addTunnel("home") { try $0.route("10.0.0.0/8") }
    #expect(house.plan().faults.values.map(\.code) == [.noTunnelAddress])
  }

  @Test("O-37: route-metric is for routes that give none")
  func metrics() throws {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.routeMetric = 9
      try $0.route("10.20.0.0/16")
      try $0.route("10.30.0.0/16", metric: 3)
    }
    let words = house.plan().routes.map(\.words)
    #expect(words.contains("10.20.0.0/16 dev tun-home table 44129 metric 9"))
    #expect(words.contains("10.30.0.0/16 dev tun-home table 44129 metric 3"))
  }

  @Test("O-34: a route to everything is a full tunnel, as are its two halves; the server gets no host route")
  func everything() throws {
    for routes in [["0.0.0.0/0"], ["0.0.0.0/1", "128.0.0.0/1"]] {
      var house = try House()
      try house.addTunnel("home") {
        try $0.subnet()
        for route in routes { try $0.route(route) }
      }
      let plan = house.plan()
      #expect(plan.tunnels.first?.isDefault == true)
      #expect(
        plan.routes.filter { $0.table == RoutingTables.pushed }.map(\.words) == ["10.8.0.0/24 dev tun-home table 44129"]
      )
      #expect(plan.rules.contains { $0.words == "v4 870: iif lo lookup 44001" })
      #expect(!plan.routes.contains { $0.table == Route.mainTable })
    }
  }

  @Test("P-16: the MTU is the owner's, else the server's, within what a tun carries")
  func mtu() throws {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.mtu = 9000
    }
    #expect(house.plan().devices.map(\.mtu) == [1600])
    house.tunnels[0].pushed?.tunnel.mtu = 1400
    #expect(house.plan().devices.map(\.mtu) == [1400])
    house.tunnels[0].settings.mtu = 1280
    #expect(house.plan().devices.map(\.mtu) == [1280])
    house.tunnels[0].measuredMTU = 1000
    #expect(house.plan().devices.map(\.mtu) == [1280])
  }

  @Test("what was measured counts below the plan: the device, the clamp of both families, and IPv6 from 1280 on only")
  func measured() throws {
    func seen(_ measured: Int?) throws -> (mtu: [Int], sizes: [Int], hasIPv6: Bool) {
      var house = try Situations.fullWithIPv6()
      house.tunnels[0].pushed?.tunnel.mtu = nil
      house.tunnels[0].measuredMTU = measured
      let plan = house.plan()
      let ruleset = try #require(plan.ruleset)
      let sizes = rules(ofChain: "clamp_mss", in: ruleset).filter { $0.contains("iifname \"tun-home\"") }
        .compactMap { $0.split(separator: " maxseg size set ").last.flatMap { Int($0) } }
      return (plan.devices.map(\.mtu), sizes, plan.addresses.contains { $0.prefix.family == .ipv6 })
    }
    #expect(try seen(nil) == ([1500], [1403, 1383], true))
    #expect(try seen(1448) == ([1448], [1408, 1388], true))
    #expect(try seen(9000) == ([1500], [1460, 1440], true))
    #expect(try seen(1279) == ([1279], [1239, 1219], false))
    #expect(try seen(1) == ([576], [536, 516], false))
  }
}
