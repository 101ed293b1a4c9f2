import Base
import Gateway
import Settings
import Testing

@Suite("The ruleset")
struct RulesetTests {
  /// The rules of one chain.
  private func chain(_ name: String, of house: House, clockIsUnset: Bool = false) throws -> [String] {
    let text = try #require(house.plan(clockIsUnset: clockIsUnset).ruleset)
    return rules(ofChain: name, in: text)
  }

  @Test("The text is the whole table with its digest, and no hook is without a rule")
  func transaction() throws {
    for situation in Situations.all {
      let text = try #require(try situation.house().plan().ruleset)
      #expect(text.hasPrefix("table inet adit {\n") && text.hasSuffix(" {\n\t}\n}\n"))
      let rules = text.split(separator: "\n").filter { $0.hasPrefix("\t\t") && !$0.hasPrefix("\t\ttype ") }
      let digest = RulesetDigest(of: text)
      #expect(digest.hash.count == 16 && digest.rules == rules.count)
      #expect(text.contains("\tchain text_\(digest.hash) {\n"))
      for name in ["mark_in", "mark_out", "policies", "nat_out"] {
        #expect(text.contains("\tchain \(name) {"), "\(situation.name) has no \(name)")
      }
      #expect(!text.contains("policy accept;\n\t}"), "\(situation.name) has an empty hook")
    }
  }

  @Test("G-04: before the first connection a LAN is refused in both families, at once")
  func closed() throws {
    let house = try Situations.closed()
    let early = try chain("early_lan", of: house)
    #expect(early.suffix(2) == ["meta nfproto ipv4 goto refuse_lan", "meta nfproto ipv6 goto refuse_lan"])
    #expect(try chain("guard_lan", of: house).last == "goto refuse_lan")
    #expect(
      try chain("refuse_lan", of: house) == [
        "counter name blocked_lan", "meta l4proto tcp reject with tcp reset",
        "reject with icmpx type admin-prohibited",
      ])
  }

  @Test("A tunnel without IPv6 leaves IPv6 refused, a tunnel with both refuses nothing")
  func refusedFamilies() throws {
    #expect(try chain("early_lan", of: Situations.full()).last == "meta nfproto ipv6 goto refuse_lan")
    #expect(try chain("early_lan", of: Situations.full()).contains { $0.contains("ipv4 goto") } == false)
    #expect(try chain("early", of: Situations.fullWithIPv6()).isEmpty)
  }

  @Test("IPv6 bypass leaves IPv6 alone, block refuses it though the tunnel has it")
  func modes() throws {
    #expect(try chain("guard_lan", of: Situations.bypass()).first == "meta nfproto ipv6 return")
    #expect(try chain("early", of: Situations.bypass()).isEmpty)
    #expect(try chain("guard_lan", of: Situations.strict()).contains("meta nfproto ipv4 oifname @tunnels return"))
    #expect(try chain("early_lan", of: Situations.strict()).last == "meta nfproto ipv6 goto refuse_lan")
  }

  @Test("G-10: segments are cut to the tunnel's MTU in both directions and families, towards the uplink to the route's")
  func segments() throws {
    let open = "tcp flags & (syn | rst) == syn tcp option maxseg size set"
    #expect(
      try chain("clamp_mss", of: Situations.fullWithIPv6()) == [
        "iifname \"tun-home\" meta nfproto ipv4 \(open) 1360", "oifname \"tun-home\" meta nfproto ipv4 \(open) 1360",
        "iifname \"tun-home\" meta nfproto ipv6 \(open) 1340", "oifname \"tun-home\" meta nfproto ipv6 \(open) 1340",
        "oifname @uplinks \(open) rt mtu",
      ])
  }

  @Test("Scope all holds the router to the same, but for its transport, its lease, and its clock while that is unset")
  func router() throws {
    let house = try Situations.scopeAll()
    let rules = try chain("guard_output", of: house)
    #expect(rules.first == "meta mark & 0xff000000 == 0xad000000 accept")
    #expect(rules.last == "goto refuse__router")
    #expect(rules.contains("udp sport 68 udp dport 67 accept"))
    #expect(!rules.contains("udp dport 123 accept"))
    #expect(try chain("guard_output", of: house, clockIsUnset: true).contains("udp dport 123 accept"))
    #expect(try chain("guard_output", of: Situations.full()).isEmpty)
  }

  @Test("A one-armed gateway tells LAN from WAN by address, not by device")
  func oneArmed() throws {
    let house = try Situations.oneArmed()
    let text = try #require(house.plan().ruleset)
    #expect(text.contains("set onearm { type ifname; elements = { \"eth0\" }; }"))
    #expect(text.contains("set inside4 { type ipv4_addr; flags interval; elements = { 192.168.178.0/24 }; }"))
    #expect(try chain("from_uplink", of: house).first == "iifname @onearm ip saddr @inside4 goto from_lan")
    #expect(try chain("guard_lan", of: house).contains("oifname @onearm ip daddr @inside4 return"))
  }

  @Test("Kill switch off stands aside while the tunnel is down")
  func off() throws {
    #expect(try chain("guard", of: Situations.open()).isEmpty)
    #expect(try chain("early", of: Situations.open()).isEmpty)
  }

  @Test(
    "dns hijack sends the LAN's queries to the tunnel's resolver, block_dot refuses port 853, block_doh the addresses")
  func names() throws {
    let excepted = ["iifname @open_lan return", "ip saddr @pass4 return", "ip6 saddr @pass6 return"]
    var house = try Situations.strict()
    house.settings.gateways[0].dohTerms = try ["9.9.9.9/32", "2620:fe::/48"].map {
      PolicySettings.Term(match: .prefix(try prefix($0)))
    }
    let queries = "iifname @lan_lan meta l4proto { tcp, udp } th dport"
    let four = "meta nfproto ipv4 meta l4proto { tcp, udp } dnat ip to 10.8.0.1:53"
    let six = "meta nfproto ipv6 meta l4proto { tcp, udp } dnat ip6 to [fd00:8::1]:53"
    let router = "fib daddr type { local, broadcast, multicast, anycast }"
    #expect(try chain("nat_dns", of: house) == excepted + ["\(queries) 53 goto dns_lan"])
    #expect(
      try chain("dns_lan", of: house) == [
        "meta mark & 0xff000000 == 0xae000000 return", "\(router) \(four)", "\(router) \(six)",
        "ip daddr @inside4 return", "ip6 daddr @inside6 return", four, six,
      ])
    // G-09: what was led there, and what was meant for it, passes.
    #expect(
      try chain("dns_early_lan", of: house).suffix(3) == [
        "ip daddr 10.8.0.1/32 return", "ip6 daddr fd00:8::1/128 return", "goto refuse_lan",
      ])
    #expect(
      try chain("dns_guard", of: house) == excepted + [
        "\(queries) 853 goto refuse_lan",
        "iifname @lan_lan ip daddr @doh4_lan meta l4proto { tcp, udp } th dport 443 goto refuse_lan",
        "iifname @lan_lan ip6 daddr @doh6_lan meta l4proto { tcp, udp } th dport 443 goto refuse_lan",
      ])
    #expect(
      try #require(house.plan().ruleset).contains(
        "set doh4_lan { type ipv4_addr; flags interval; elements = { 9.9.9.9/32 }; }"))
    #expect(try chain("nat_dns", of: Situations.closed()).isEmpty)
  }

  @Test("G-06: what the router's own resolver asks goes into the tunnel or is refused, whomever it asks")
  func routersQueries() throws {
    let house = try Situations.full()
    #expect(
      try chain("mark_out", of: house).last
        == "meta l4proto { tcp, udp } th dport { 53, 853 } meta mark & 0xff000000 == 0x00000000 jump dns_mark")
    #expect(
      try chain("dns_mark", of: house) == [
        "oifname \"lo\" return", "ip daddr 192.0.2.53/32 meta mark set meta mark & 0x00ffffff | 0x01000000 return",
        "oifname @tunnels return", "oifname != @uplinks oifname @lan return",
        "oifname != @uplinks ip daddr @inside4 return", "oifname != @uplinks ip6 daddr @inside6 return",
        "meta mark set meta mark & 0x00ffffff | 0x01000000",
      ])
    let marked = "meta mark & 0xff000000 == 0x01000000"
    let query = "meta l4proto { tcp, udp } th dport 53"
    #expect(
      try chain("nat_dns_out", of: house) == [
        "\(marked) ip daddr 192.0.2.53/32 \(query) return",
        "\(marked) \(query) meta nfproto ipv4 meta l4proto { tcp, udp } dnat ip to 192.0.2.53:53",
      ])
    let down = try Situations.closed()
    #expect(try chain("dns_mark", of: down).isEmpty)
    #expect(try chain("dns_out", of: down) == ["meta l4proto { tcp, udp } th dport { 53, 853 } jump dns_router"])
    #expect(
      try chain("dns_router", of: down) == [
        "oifname \"lo\" return", "meta mark & 0xff000000 != 0x00000000 return", "meta nfproto @open_router return",
        "oifname \"tun-home\" goto refuse__router", "oifname @tunnels return",
        "oifname != @uplinks oifname @lan return", "oifname != @uplinks ip daddr @inside4 return",
        "oifname != @uplinks ip6 daddr @inside6 return", "goto refuse__router",
      ])
    // Without the LAN's masquerade the router's own address is hidden all the same.
    var siteToSite = house
    siteToSite.settings.gateways[0].masquerade = false
    #expect(
      try chain("nat_out", of: siteToSite).last
        == "oifname \"tun-home\" \(marked) fib saddr type local masquerade")
  }

  @Test("With routes pushed only, what is pushed never leaves by an uplink and the rest is not ours")
  func pushedOnly() throws {
    let rules = try chain("guard_lan", of: Situations.pushedOnly())
    #expect(
      rules.prefix(4) == [
        "oifname @uplinks ip daddr @routed4 goto refuse_lan", "meta nfproto ipv4 return",
        "oifname @uplinks ip6 daddr @routed6 goto refuse_lan", "meta nfproto ipv6 return",
      ])
  }

  @Test("R-13: overlapping nets are one element of a set")
  func overlaps() throws {
    let text = try #require(try Situations.specific().plan().ruleset)
    #expect(
      text.contains(
        "set routed4 { type ipv4_addr; flags interval; elements = { 9.9.9.9/32, 10.0.0.0/8, 192.168.0.0/16, 203.0.113.9/32 }; }"
      ))
  }
}
