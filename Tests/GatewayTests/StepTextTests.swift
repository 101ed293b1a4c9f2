import Base
import Gateway
import Profile
import Testing

@Suite("The steps as text")
struct StepTextTests {
  @Test("what comes, what goes and what changes, on a system with leftovers")
  func leftovers() throws {
    let house = try Situations.oneArmed()
    let plan = house.plan()
    var installed = Installed(snapshot: house.snapshot, ruleset: .unknown)
    installed.sysctls = [.init("net/ipv4/ip_forward", "0"), .init("net/ipv4/conf/all/src_valid_mark", "1")]
    let old = try device("tun-old")
    installed.snapshot.links.append(Link(index: 9, name: old, kind: "tun", alias: "adit:old"))
    installed.snapshot.routes.append(
      Route(destination: try prefix("10.2.0.0/16"), device: old, table: RoutingTables.pushed))
    installed.snapshot.rules.append(Rule(family: .ipv4, priority: 861, action: .lookup(44_002)))
    #expect(
      Difference.text(from: installed, to: plan) == """
        ~ nft table inet adit
        + link tun-home alias adit:home mtu 1500 txqueuelen 1000
        + sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        + address 10.8.0.2/24 dev tun-home
        + route unreachable default table 44001 metric 4294967295
        + route default dev tun-home table 44001
        + route 10.8.0.0/24 dev tun-home table 44129
        + route 192.168.178.0/24 dev eth0 src 192.168.178.20 table 44128
        + rule v4 800: fwmark 0xad000000/0xff000000 lookup 254
        + rule v4 810: fwmark 0xae000000/0xff000000 lookup 254
        + rule v4 811: fwmark 0xae000000/0xff000000 unreachable
        + rule v4 812: fwmark 0xaf000000/0xff000000 unreachable
        + rule v4 820: iif lo ipproto 17 sport 68 dport 67 lookup 254
        + rule v4 830: lookup 44128
        + rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        + rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        + rule v4 860: iif eth0 lookup 44001
        + sysctl net/ipv4/conf/all/send_redirects=0
        + sysctl net/ipv4/conf/eth0/send_redirects=0
        ~ sysctl net/ipv4/ip_forward=1 (now 0)
        - rule v4 861: lookup 44002
        - route 10.2.0.0/16 dev tun-old table 44129
        - link tun-old
        """)
  }

  @Test("another push: the device and the ruleset change, addresses and routes come and go")
  func otherPush() throws {
    var house = try Situations.full()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    #expect(Difference.text(from: system.installed, to: house.plan()) == "nothing to do")
    house.tunnels[0].pushed?.tunnel = .init()
    try house.tunnels[0].pushed?.tunnel.subnet("10.8.0.77")
    house.tunnels[0].pushed?.tunnel.mtu = 1400
    #expect(
      Difference.text(from: system.installed, to: house.plan()) == """
        ~ nft table inet adit
        ~ link tun-home alias adit:home mtu 1400 txqueuelen 1000
        + address 10.8.0.77/24 dev tun-home
        - route 192.0.2.53/32 dev tun-home table 44129
        - address 10.8.0.2/24 dev tun-home
        """)
  }

  @Test("a route that moves to another device changes")
  func replaced() throws {
    var house = try Situations.twoTunnels()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    house.tunnels[1].pushed?.tunnel.routes = []
    #expect(
      Difference.text(from: system.installed, to: house.plan()) == """
        ~ route 10.50.0.0/16 dev tun-home table 44129
        - route 10.50.0.0/16 dev tun-home table 44131
        """)
  }

  @Test("a stop takes everything away")
  func stop() throws {
    let house = try Situations.full()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    let lines = Difference.text(from: system.installed, to: Planner.withdrawn).split(separator: "\n")
    #expect(lines.filter { !$0.hasPrefix("- ") }.isEmpty)
    #expect(lines.suffix(2) == ["- link tun-home", "- nft table inet adit"])
  }
}
