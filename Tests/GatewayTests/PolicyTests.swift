import Base
import Gateway
import Settings
import Testing

@Suite("Policies")
struct PolicyTests {
  private func chain(_ name: String, of house: House) throws -> [String] {
    let table = try #require(house.plan().table)
    return try #require(table.chains.first { $0.name.text == name }, "no chain \(name)").rules.map(\.text)
  }

  private func chains(of house: House) throws -> [String] {
    try #require(house.plan().table).chains.map(\.name.text)
  }

  private let wan = "meta mark set meta mark & 0x00ffffff | 0xae000000 accept"

  @Test("A policy by address gives the mark of the uplink, and the kill switch lets that mark out by an uplink only")
  func toWAN() throws {
    let house = try Situations.policyToWAN()
    #expect(
      try chain("policies", of: house) == [
        "fib daddr type { local, broadcast, multicast, anycast } return", "ip6 daddr fe80::/10 return",
        "ip daddr @inside4 return", "ip6 daddr @inside6 return",
        "iifname @lan_lan meta l4proto { tcp, udp } th dport 53 return", "jump policy_tv",
      ])
    #expect(try chain("policy_tv", of: house) == ["goto source_tv"])
    #expect(try chain("source_tv", of: house) == ["ip saddr @from4_tv goto way_tv"])
    #expect(try chain("way_tv", of: house) == [wan])
    #expect(
      try chain("guard_lan", of: house).contains(
        "iifname != @onearm oifname @uplinks meta mark & 0xff000000 == 0xae000000 return"))
    #expect(try chain("early_lan", of: house).contains("meta mark & 0xff000000 != 0x00000000 return"))
    #expect(house.plan().policies.map(\.way) == [.wan])
  }

  @Test("No packet of a LAN brings a mark of ours along, whatever device it comes in by")
  func cleared() throws {
    for situation in Situations.policies {
      let house = try situation.house()
      #expect(try chain("from_lan", of: house).first == "meta mark set meta mark & 0x00ffffff")
      #expect(try chain("mark_in", of: house).last == "iifname != \"lo\" goto from_lan")
    }
  }

  @Test("Protocol and ports, prefixes and MAC, devices, negation: any positive term matches, no negated one does")
  func kinds() throws {
    let house = try Situations.policiesOfEveryKind()
    #expect(
      try chain("policy_web", of: house) == ["meta l4proto tcp th dport { 443, 8000-8080 } goto source_web"])
    #expect(
      try chain("source_web", of: house) == [
        "ip saddr @notfrom4_web return", "ip saddr @from4_web goto target_web", "ip6 saddr @from6_web goto target_web",
      ])
    #expect(try chain("target_web", of: house) == ["ip daddr @to4_web goto way_web"])
    #expect(try chain("source_laptop", of: house) == ["ether saddr @macs_laptop goto way_laptop"])
    #expect(try chain("way_laptop", of: house) == ["meta mark set meta mark & 0x00ffffff | 0x02000000 accept"])
    #expect(try chain("source_guests", of: house) == ["iifname @devices_guests goto target_guests"])
    #expect(
      try chain("target_guests", of: house) == [
        "ip daddr @notto4_guests return", "ip6 daddr @notto6_guests return", "goto way_guests",
      ])
    #expect(try chain("policy_camera", of: house) == ["meta l4proto { udp, icmp } goto source_camera"])
    #expect(
      try chain("source_camera", of: house) == [
        "ether saddr @notmacs_camera return", "ip saddr @from4_camera goto way_camera",
      ])
    #expect(try chain("way_camera", of: house) == ["goto refuse_policies"])
    let text = try #require(house.plan().ruleset)
    #expect(text.contains("set to4_web { type ipv4_addr; flags interval; elements = { 203.0.113.0/24 }; }"))
    #expect(text.contains("set macs_laptop { type ether_addr; elements = { 02:00:00:00:00:07 }; }"))
    #expect(text.contains("set nat_tunnels { type ifname; elements = { \"tun-home\", \"tun-work\" }; }"))
  }

  @Test("Policies are asked in the order of the configuration")
  func order() throws {
    let house = try Situations.policiesOfEveryKind()
    #expect(
      try chain("policies", of: house).suffix(4) == [
        "jump policy_web", "jump policy_laptop", "jump policy_guests", "jump policy_camera",
      ])
  }

  @Test("What a tunnel does not carry is refused, and what is meant for it never leaves by an uplink")
  func intoTunnel() throws {
    let house = try Situations.policyIntoTunnel()
    #expect(
      try chain("way_tv", of: house) == [
        "meta nfproto ipv4 meta mark set meta mark & 0x00ffffff | 0x01000000 accept", "goto refuse_policies",
      ])
    #expect(
      try chain("guard", of: house).first
        == "oifname @uplinks meta mark & 0xff000000 == 0x01000000 jump guard_policies")
    #expect(
      try chain("guard_policies", of: house) == [
        "ip daddr @exclude4_lan return", "ip6 daddr @exclude6_lan return", "goto refuse_policies",
      ])
  }

  @Test("on_down: block refuses, wan takes the uplink, next leaves the decision to the policy after it")
  func down() throws {
    let house = try Situations.policiesWhileDown()
    #expect(house.plan().policies.map(\.way) == [.block, .wan, .leftOut, .wan])
    #expect(try chain("way_block", of: house) == ["goto refuse_policies"])
    #expect(try chain("way_wan", of: house) == [wan])
    #expect(try !chains(of: house).contains("policy_next"))
    var up = try Situations.full()
    up.settings.policies = house.settings.policies
    #expect(
      up.plan().policies.map(\.way)
        == [.tunnel(up.tunnels[0].name), .tunnel(up.tunnels[0].name), .tunnel(up.tunnels[0].name), .wan])
  }

  @Test("Across a reconnect a policy that blocks keeps to its tunnel, one that falls back does not wait")
  func reconnect() throws {
    var house = try Situations.full()
    try house.addPolicy("keeps", from: ["192.168.1.50"], via: "home")
    try house.addPolicy("falls", from: ["192.168.1.51"], via: "home") { $0.onDown = .wan }
    house.tunnels[0].isUp = false
    #expect(house.plan().policies.map(\.way) == [.tunnel(house.tunnels[0].name), .wan])
  }

  @Test("While no uplink is known nothing is sent there: before the network is up a LAN device may turn out to be it")
  func noUplink() throws {
    var house = try Situations.policyToWAN()
    house.settings.gateways[0].killSwitch = .always
    let known = Planner.armed(settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot)
    #expect(known.policies.map(\.way) == [.wan])
    house.snapshot.routes = []
    let before = Planner.armed(settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot)
    #expect(before.policies.map(\.way) == [.block])
    let way = try #require(before.table?.chains.first { $0.name.text == "way_tv" })
    #expect(way.rules.map(\.text) == ["goto refuse_policies"])
  }

  @Test("With scope all the router's own packets are asked too, but for what it cannot live without")
  func router() throws {
    let house = try Situations.policiesOfRouter()
    #expect(try chain("mark_out", of: house).contains("jump from_router"))
    let rules = try chain("from_router", of: house)
    #expect(rules.first == "meta mark set meta mark & 0x00ffffff" && rules.last == "goto policies")
    #expect(rules.contains("udp sport 68 udp dport 67 return") && rules.contains("oifname \"lo\" return"))
    #expect(
      try chain("guard_output", of: house).contains(
        "oifname @uplinks meta mark & 0xff000000 == 0xae000000 accept"))
    // The address was chosen before the policy was asked.
    #expect(
      try chain("nat_out", of: house).last
        == "oifname @uplinks meta mark & 0xff000000 == 0xae000000 ip saddr 10.8.0.2/32 masquerade")
    #expect(try !chains(of: Situations.policyToWAN()).contains("from_router"))
  }

  @Test("A LAN that no gateway names has policies too: its packets are hidden, forwarded and refused like the others'")
  func withoutGateway() throws {
    let plan = try Situations.policiesWithoutGateway().plan()
    #expect(plan.policies.map(\.counter) == ["blocked_policies", "blocked_policies"])
    #expect(plan.sysctls.contains(.init("net/ipv4/ip_forward", "1")))
    let text = try #require(plan.ruleset)
    #expect(text.contains("set nat_tunnels { type ifname; elements = { \"tun-home\" }; }"))
    #expect(text.contains("counter blocked_policies { }"))
  }

  @Test("A one-armed gateway lets out what its own LAN sent, nothing that merely passes by")
  func oneArmed() throws {
    let rules = try chain("guard_lan", of: Situations.policiesOneArmed())
    #expect(
      rules.contains("iifname @onearm ip saddr @inside4 oifname @uplinks meta mark & 0xff000000 == 0xae000000 return"))
  }

  @Test("G-03: what cannot be read blocks, and opens the WAN to no later policy")
  func unreadable() throws {
    let house = try Situations.policiesUnreadable()
    #expect(house.plan().policies.map(\.way) == [.wan, .leftOut, .block, .leftOut, .block])
    #expect(
      house.plan().warnings == [
        "policy lost: it could not be read in full, so no policy after it opens the WAN",
        "policy part: it could not be read in full, so no policy after it opens the WAN",
      ])
  }

  @Test("G-03: while a file of the configuration is missing, no policy opens the WAN: the one before may be in it")
  func incomplete() throws {
    var house = try Situations.policyToWAN()
    house.settings.isWhole = false
    #expect(house.plan().policies.map(\.way) == [.block])
    #expect(house.plan().warnings == ["a file of the configuration could not be read, so no policy opens the WAN"])
  }

  @Test("A device that is not there is told, with the one that may be meant")
  func absentDevice() throws {
    var house = try Situations.full()
    try house.addPolicy("tv", from: ["@br-lna"], via: "wan")
    #expect(house.plan().warnings == ["policy tv: there is no device `br-lna` yet; did you mean `br-lan`?"])
  }

  @Test("The addresses of domains are looked up in sets that are filled at run time")
  func domains() throws {
    let house = try Situations.policiesByDomain()
    #expect(
      try chain("target_video", of: house) == [
        "ip daddr @notnames4_video return", "ip6 daddr @notnames6_video return", "ip daddr @to4_video goto way_video",
        "ip daddr @names4_video goto way_video", "ip6 daddr @names6_video goto way_video",
      ])
    let text = try #require(house.plan().ruleset)
    #expect(text.contains("set names6_video { type ipv6_addr; flags timeout; size 65535; }"))
    let sets = house.settings.policyDomains.flatMap { domains in
      [domains.set(.ipv4), domains.set(.ipv6)].map(\.name.text)
    }
    #expect(sets == ["names4_video", "names6_video", "notnames4_video", "notnames6_video"])
  }

  @Test("A policy sends IPv6 into its tunnel though the gateway blocks it")
  func overIPv6() throws {
    let house = try Situations.policyForIPv6()
    let rules = try chain("guard_lan", of: house)
    let marked = try #require(rules.firstIndex(of: "oifname @tunnels meta mark & 0xff000000 != 0x00000000 return"))
    #expect(rules[marked + 1] == "meta nfproto ipv4 oifname @tunnels return")
  }

  @Test("Every rule of a policy says which key asked for it")
  func origins() throws {
    var house = try Situations.policiesWhileDown()
    house.settings.policies[1].keys["on_down"] = SourceLocation(file: "policies", line: 14, column: 9)
    let table = try #require(house.plan().table)
    let way = try #require(table.chains.first { $0.name.text == "way_wan" }?.rules.first?.origin)
    #expect(way.words == "policy wan" && way.location?.description == "policies:14:9")
    let gateway = try #require(table.chains.first { $0.name.text == "guard_lan" }?.rules.last?.origin)
    #expect(gateway.words == "gateway lan" && gateway.location?.file == "gateways")
  }
}
