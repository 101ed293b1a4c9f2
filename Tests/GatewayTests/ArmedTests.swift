import Base
import Gateway
import Settings
import Testing

extension String {
  /// The rules of one chain of a ruleset's text.
  fileprivate func components(of chain: String) -> [String] {
    let lines = split(separator: "\n")
    guard let start = lines.firstIndex(of: "\tchain \(chain) {") else { return [] }
    return lines[(start + 1)...].prefix { $0 != "\t}" }.map { $0.trimmingPrefix("\t\t") }.filter {
      !$0.hasPrefix("type ")
    }
    .map(String.init)
  }
}

@Suite("What stays closed while no daemon lives")
struct ArmedTests {
  private func armed(_ house: House, holdsSessions: Bool = false) -> NetworkPlan {
    Planner.armed(
      settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot, holdsSessions: holdsSessions)
  }

  private func house(_ change: (inout GatewaySettings) throws -> Void = { _ in }) throws -> House {
    var house = try Situations.full()
    house.settings.gateways[0].killSwitch = .always
    try change(&house.settings.gateways[0])
    return house
  }

  private static let closed = """
    route unreachable default table 44001 metric 4294967295
    route unreachable default6 table 44001 metric 4294967295
    route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
    route fd01::/64 dev br-lan table 44128 metric 256
    rule v4 800: fwmark 0xad000000/0xff000000 lookup 254
    rule v4 810: fwmark 0xae000000/0xff000000 lookup 254
    rule v4 811: fwmark 0xae000000/0xff000000 unreachable
    rule v4 812: fwmark 0xaf000000/0xff000000 unreachable
    rule v4 820: iif lo ipproto 17 sport 68 dport 67 lookup 254
    rule v4 830: lookup 44128
    rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
    rule v4 860: iif br-lan lookup 44001
    rule v6 800: fwmark 0xad000000/0xff000000 lookup 254
    rule v6 810: fwmark 0xae000000/0xff000000 lookup 254
    rule v6 811: fwmark 0xae000000/0xff000000 unreachable
    rule v6 812: fwmark 0xaf000000/0xff000000 unreachable
    rule v6 820: iif lo ipproto 17 sport 546 dport 547 lookup 254
    rule v6 830: lookup 44128
    rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
    rule v6 860: iif br-lan lookup 44001
    sysctl net/ipv4/conf/all/src_valid_mark=1
    """

  @Test("a connected tunnel leaves its refusals: no device, no address, no forwarding")
  func afterConnection() throws { #expect(armed(try house()).text == Self.closed) }

  @Test("what the push said makes no difference, nor does a broken profile")
  func sameWithoutTunnel() throws {
    let whole = try house()
    var broken = whole
    broken.tunnels[0].profile = nil
    broken.tunnels[0].pushed = nil
    broken.tunnels[0].isUp = false
    #expect(armed(broken).text == Self.closed && armed(broken).ruleset == armed(whole).ruleset)
  }

  @Test("a gateway whose tunnel is not there is refused by its rule")
  func withoutTunnel() throws {
    let rules = armed(try house { $0.tunnels = [try #require(TunnelName("gone"))] }).rules
    #expect(rules.filter { $0.inputDevice?.text == "br-lan" }.map(\.action) == [.unreachable, .unreachable])
  }

  @Test("nft refuses what the LAN sends anywhere but into the house")
  func ruleset() throws {
    let text = try #require(armed(try house()).ruleset)
    for line in [
      "iifname @lan_lan jump early_lan", "meta nfproto ipv4 goto refuse_lan", "meta nfproto ipv6 goto refuse_lan",
      "iifname @lan_lan jump guard_lan", "fib daddr type { local, broadcast, multicast, anycast } return",
      "set tunnels { type ifname; }", "set always { type ifname; elements = { \"br-lan\" }; }",
    ] { #expect(text.contains(line)) }
  }

  @Test("session and off leave nothing; after a crash what session closed stays closed")
  func others() throws {
    #expect(armed(try Situations.full()) == Planner.withdrawn)
    #expect(armed(try Situations.open(), holdsSessions: true) == Planner.withdrawn)
    #expect(armed(try Situations.full(), holdsSessions: true).text == Self.closed)
  }

  @Test("of two gateways only the one that says always is closed")
  func onlyAlways() throws {
    var house = try house()
    try house.addTunnel("guests", index: 2)
    try house.addGateway("guests", lan: ["br-guest"]) { $0.name = try #require(TunnelName("guests")) }
    let plan = armed(house)
    #expect(plan.text == Self.closed)
    #expect(plan.gateways.map(\.name.text) == ["lan"] && plan.ruleset?.contains("br-guest") == false)
  }

  @Test("the difference from a running network closes before it takes anything away, and applied twice is empty")
  func difference() throws {
    let house = try house()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    let plan = armed(house)
    let steps = Difference.steps(from: system.installed, to: plan)
    guard case .loadRuleset = steps.first else {
      Issue.record("the ruleset is not first")
      return
    }
    #expect(!steps.contains { $0 == .deleteRuleset })
    system.apply(steps)
    #expect(Difference.steps(from: system.installed, to: plan).isEmpty)
  }

  @Test("two LANs before the network is up reach each other's private addresses, and no default route counts for it")
  func betweenLANs() throws {
    var house = try house { $0.lan.append(try device("br-guest")) }
    #expect(armed(house).text.contains("rule v4 855"))
    house.snapshot.routes = []
    house.snapshot.addresses = []
    let plan = armed(house)
    for rule in [
      "rule v4 855: iif br-guest lookup 254 suppress_prefixlength 7",
      "rule v4 855: iif br-lan lookup 254 suppress_prefixlength 7",
      "rule v6 855: iif br-lan lookup 254 suppress_prefixlength 7",
    ] { #expect(plan.text.contains(rule)) }
    let text = try #require(plan.ruleset)
    #expect(
      text.contains(
        "fib daddr oifname { \"br-guest\", \"br-lan\" } ip daddr { 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 } return"))
    #expect(text.contains("fib daddr oifname { \"br-guest\", \"br-lan\" } ip6 daddr fc00::/7 return"))
    if Nft.isUsable { #expect(Nft.check(text) == "") }
    try house.addKernelRoute("192.168.2.0/24", "br-guest")
    house.snapshot.routes += try House().snapshot.routes
    #expect(!armed(house).text.contains("rule v4 855") && armed(house).ruleset?.contains("fib daddr oifname") == false)
  }

  @Test("what is opened for a time is let through by its set, and the router's row stands aside")
  func openings() throws {
    let house = try house { $0.scope = .all }
    let text = try #require(armed(house).ruleset)
    for chain in ["early_lan", "guard_lan"] {
      let rules = text.components(of: chain)
      #expect(rules.contains("iifname @open_lan return") && rules.contains("ip saddr @pass4 return"))
      #expect(
        rules.firstIndex(of: "iifname @open_lan return") ?? .max < rules.firstIndex { $0.hasSuffix("refuse_lan") } ?? 0)
    }
    #expect(
      text.components(of: "from_lan").dropFirst().first
        == "iifname @open_lan meta mark set meta mark & 0x00ffffff | 0xae000000 return")
    #expect(text.components(of: "guard_output").contains("meta nfproto @open_router accept"))
    func rows(_ openings: Openings) -> [AddressFamily] {
      Planner.plan(
        settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot, openings: openings
      ).rules.filter(RoutingTables.isRouterRow).map(\.family)
    }
    #expect(rows(.none) == [.ipv4, .ipv6] && rows(Openings(router: [.ipv4])) == [.ipv6])
    #expect(rows(Openings(router: [.ipv4, .ipv6])).isEmpty)
  }

  @Test("scope all before the network is up: the router answers its LAN and sends nothing of its own")
  func beforeNetwork() throws {
    var house = try house { $0.scope = .all }
    house.snapshot.routes = []
    house.snapshot.addresses = []
    let plan = armed(house)
    #expect(plan.text.contains("rule v4 860: iif br-lan lookup 44001"))
    #expect(!plan.text.contains("rule v4 870"))
    let text = try #require(plan.ruleset)
    #expect(text.contains("oifname @lan ct direction reply accept"))
    #expect(!text.contains("oifname != @uplinks oifname @lan accept"))
    house.snapshot = try House().snapshot
    house.snapshot.routes.removeAll { $0.device?.text == "br-lan" }
    #expect(armed(house).ruleset?.contains("oifname @lan ct direction reply accept") == true)
    #expect(!armed(house).text.contains("rule v4 870"))
    house.snapshot = try House().snapshot
    #expect(armed(house).text.contains("rule v4 870: not fwmark 0xad000000/0xff000000 lookup 44001"))
    #expect(armed(house).text.contains("sysctl net/ipv4/conf/all/src_valid_mark=1"))
    #expect(!armed(house).text.contains("ip_forward"))
  }
}
