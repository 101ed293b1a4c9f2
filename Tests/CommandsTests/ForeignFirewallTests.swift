import Base
import Commands
import Control
import Testing

@Suite("Other programs' rules, as nft prints them") struct ForeignFirewallTests {
  /// Builds what `nft -j list ruleset` prints from a table's family and name, its chains, sets and rules.
  private func firewall(_ objects: String) throws -> ForeignFirewall {
    let text = #"{"nftables":[{"metainfo":{"version":"1.0.6","json_schema_version":1}},\#(objects)]}"#
    return try #require(ForeignFirewall(try JSONReader.value(of: text.utf8)))
  }

  private func base(_ table: String, _ name: String, hook: String = "forward", policy: String = "accept") -> String {
    #"{"chain":{\#(table),"name":"\#(name)","handle":1,"type":"filter","hook":"\#(hook)","prio":0,"policy":"\#(policy)"}}"#
  }

  private func chain(_ table: String, _ name: String) -> String {
    #"{"chain":{\#(table),"name":"\#(name)","handle":1}}"#
  }

  private func rule(_ table: String, _ chain: String, _ statements: String...) -> String {
    #"{"rule":{\#(table),"chain":"\#(chain)","handle":9,"expr":[\#(statements.joined(separator: ","))]}}"#
  }

  private func meta(_ key: String, _ value: String, op: String = "==") -> String {
    #"{"match":{"op":"\#(op)","left":{"meta":{"key":"\#(key)"}},"right":\#(value)}}"#
  }

  private let fw4 = #""family":"inet","table":"fw4""#
  private let filter = #""family":"ip","table":"filter""#

  private func outcome(_ firewall: ForeignFirewall, _ change: (inout ForeignFirewall.Traffic) -> Void = { _ in }) throws
    -> ForeignFirewall.Outcome
  {
    var traffic = ForeignFirewall.Traffic(.ipv4, from: DeviceName("br-lan"), to: DeviceName("tun-home"))
    traffic.destinationPort = 443
    change(&traffic)
    let chain = try #require(firewall.filters("forward").first)
    return firewall.outcome(of: traffic, in: chain)
  }

  /// OpenWrt's own: LAN to WAN is accepted, anything else rejected at the end of `forward`.
  private func openWrt(_ more: String...) -> String {
    let state = #"{"ct":{"key":"state"}}"#
    return
      ([
        base(fw4, "forward", policy: "drop"), chain(fw4, "forward_lan"), chain(fw4, "accept_to_wan"),
        chain(fw4, "handle_reject"),
        rule(
          fw4, "forward",
          #"{"vmap":{"key":\#(state),"data":{"set":[["established",{"accept":null}],["related",{"accept":null}]]}}}"#),
        rule(fw4, "forward", meta("iifname", #""br-lan""#), #"{"jump":{"target":"forward_lan"}}"#),
        rule(fw4, "forward", #"{"jump":{"target":"handle_reject"}}"#),
        rule(fw4, "forward_lan", #"{"jump":{"target":"accept_to_wan"}}"#),
        rule(fw4, "accept_to_wan", meta("oifname", #""wan""#), #"{"counter":null}"#, #"{"accept":null}"#),
        rule(fw4, "handle_reject", meta("l4proto", #""tcp""#), #"{"reject":{"type":"tcp reset"}}"#),
        rule(fw4, "handle_reject", #"{"reject":{"type":"icmpx","expr":"port-unreachable"}}"#),
      ] + more).joined(separator: ",")
  }

  @Test("fw4 without a zone for the tunnel rejects; its answers pass; with a zone it accepts")
  func openWrt() throws {
    let closed = try firewall(openWrt())
    #expect(try outcome(closed) == .dropped)
    #expect(try outcome(closed) { $0.state = "established" } == .accepted)
    #expect(try outcome(closed) { $0.output = "wan" } == .accepted)
    let open = try firewall(
      openWrt(rule(fw4, "accept_to_wan", meta("oifname", #"{"set":["wg*","tun-*"]}"#), #"{"accept":null}"#)))
    #expect(try outcome(open) == .accepted)
    #expect(closed.owner(of: closed.filters("forward")[0].name) == .fw4)
  }

  @Test("docker's policy drops what no rule names; what hangs on unknown conditions may be accepted")
  func docker() throws {
    let rules = [
      base(filter, "FORWARD", policy: "drop"), chain(filter, "DOCKER-USER"),
      rule(filter, "FORWARD", #"{"jump":{"target":"DOCKER-USER"}}"#),
      rule(filter, "FORWARD", meta("oifname", #""docker0""#), #"{"xt":null}"#, #"{"accept":null}"#),
      rule(filter, "DOCKER-USER", #"{"return":null}"#),
    ]
    let plain = try firewall(rules.joined(separator: ","))
    #expect(try outcome(plain) == [.dropped, .droppedByPolicy])
    #expect(plain.owner(of: plain.filters("forward")[0].name) == .docker)
    let open = try firewall(
      (rules + [rule(filter, "FORWARD", #"{"xt":null}"#, #"{"accept":null}"#)]).joined(separator: ","))
    #expect(try outcome(open) == [.dropped, .droppedByPolicy, .accepted])
  }

  @Test("sets, ports, wildcards, inversions, goto and device maps")
  func conditions() throws {
    let set =
      #"{"set":{"family":"inet","name":"devs","table":"fw4","type":"ifname","handle":5,"elem":["eth7","br-lan"]}}"#
    func one(_ statements: String...) throws -> ForeignFirewall.Outcome {
      try outcome(
        firewall(
          [
            base(fw4, "forward"), chain(fw4, "deny"), set,
            #"{"rule":{\#(fw4),"chain":"forward","handle":9,"expr":[\#(statements.joined(separator: ","))]}}"#,
            rule(fw4, "deny", #"{"drop":null}"#),
          ].joined(separator: ",")))
    }
    let drop = #"{"drop":null}"#
    #expect(try one(meta("iifname", #""@devs""#), drop) == .dropped)
    #expect(try one(meta("iifname", #""@devs""#, op: "!="), drop) == .accepted)
    #expect(try one(meta("iifname", #""@gone""#), drop) == [.dropped, .accepted])
    #expect(try one(meta("oifname", #""tun*""#), drop) == .dropped)
    #expect(try one(meta("nfproto", #""ipv6""#), drop) == .accepted)
    let port = #"{"payload":{"protocol":"tcp","field":"dport"}}"#
    #expect(
      try one(#"{"match":{"op":"==","left":\#(port),"right":{"set":[22,{"range":[400,500]}]}}}"#, drop) == .dropped)
    #expect(try one(#"{"match":{"op":"==","left":\#(port),"right":22}}"#, drop) == .accepted)
    let udp = #"{"payload":{"protocol":"udp","field":"dport"}}"#
    #expect(try one(#"{"match":{"op":"==","left":\#(udp),"right":443}}"#, drop) == .accepted)
    let place = #"{"payload":{"protocol":"ip","field":"daddr"}}"#
    #expect(try one(#"{"match":{"op":"==","left":\#(place),"right":"10.0.0.1"}}"#, drop) == [.dropped, .accepted])
    #expect(try one(#"{"goto":{"target":"deny"}}"#) == .dropped)
    #expect(try one(#"{"limit":{"rate":3,"burst":5,"per":"second"}}"#, drop) == [.dropped, .accepted])
    let map = #"{"set":[["x",{"drop":null}],["br-lan",{"jump":{"target":"deny"}}]]}"#
    #expect(try one(#"{"vmap":{"key":{"meta":{"key":"iifname"}},"data":\#(map)}}"#) == .dropped)
    let state = #"{"match":{"op":"in","left":{"ct":{"key":"state"}},"right":["established","related"]}}"#
    #expect(try one(state, drop) == .accepted)
  }

  @Test("firewalld refuses what no zone allows, port forwards or not")
  func firewalld() throws {
    let table = #""family":"inet","table":"firewalld""#
    let state = #"{"match":{"op":"in","left":{"ct":{"key":"state"}},"right":["established","related"]}}"#
    let status = #"{"match":{"op":"in","left":{"ct":{"key":"status"}},"right":"dnat"}}"#
    let closed = try firewall(
      [
        base(table, "filter_FORWARD"), chain(table, "filter_FORWARD_POLICIES"),
        rule(table, "filter_FORWARD", state, #"{"accept":null}"#),
        rule(table, "filter_FORWARD", status, #"{"accept":null}"#),
        rule(table, "filter_FORWARD", meta("iifname", #""lo""#), #"{"accept":null}"#),
        rule(table, "filter_FORWARD", #"{"jump":{"target":"filter_FORWARD_POLICIES"}}"#),
        rule(table, "filter_FORWARD", #"{"reject":{"type":"icmpx","expr":"admin-prohibited"}}"#),
      ].joined(separator: ","))
    #expect(try outcome(closed) == .dropped)
    #expect(closed.owner(of: closed.filters("forward")[0].name) == .firewalld)
  }

  @Test("chains that jump to each other end, and our own table is not foreign")
  func bounds() throws {
    let loop = try firewall(
      [
        base(fw4, "forward"), chain(fw4, "a"), rule(fw4, "forward", #"{"jump":{"target":"a"}}"#),
        rule(fw4, "a", #"{"jump":{"target":"a"}}"#, #"{"jump":{"target":"a"}}"#),
      ].joined(separator: ","))
    _ = try outcome(loop)
    let own = try firewall(base(#""family":"inet","table":"adit""#, "guard", policy: "drop"))
    #expect(own.filters("forward").isEmpty)
  }

  @Test("bits of marks that others change or compare")
  func marks() throws {
    func uses(_ statement: String) throws -> [ForeignFirewall.MarkUse] {
      try firewall([base(fw4, "mark", hook: "prerouting"), rule(fw4, "mark", statement)].joined(separator: ","))
        .markUses(of: 0xff00_0000)
    }
    let mark = #"{"meta":{"key":"mark"}}"#
    func set(_ value: String, _ key: String) -> String { #"{"mangle":{"key":\#(key),"value":\#(value)}}"# }
    #expect(try uses(set("5", mark)).map(\.bits) == [0xff00_0000])
    #expect(try uses(set(#"{"|":[{"&":[\#(mark),4294967040]},5]}"#, mark)) == [])
    #expect(try uses(set(#"{"|":[{"&":[\#(mark),33554431]},16777216]}"#, mark)).map(\.bits) == [0xff00_0000])
    #expect(try uses(set(#"{"|":[\#(mark),268435456]}"#, mark)).map(\.bits) == [0x1000_0000])
    #expect(try uses(set(mark, #"{"ct":{"key":"mark"}}"#)).map(\.changes) == [true])
    #expect(try uses(#"{"match":{"op":"==","left":{"&":[\#(mark),16711680]},"right":524288}}"#) == [])
    #expect(try uses(#"{"match":{"op":"==","left":\#(mark),"right":1}}"#).map(\.changes) == [false])
  }

  @Test(
    "doctor names the drop, its table and the program's own remedy",
    arguments: [
      ("docker", "iptables -I DOCKER-USER -i br-lan -o tun-home -j ACCEPT"),
      ("ufw-user-forward", "ufw route allow in on br-lan out on tun-home"),
      ("other", #"let that program accept it: `iifname "br-lan" oifname "tun-home" accept` before the drop"#),
    ])
  func remedies(chainName: String, remedy: String) throws {
    var facts = try DoctorTests.facts()
    let name = chainName == "docker" ? "DOCKER-USER" : chainName
    facts.firewall = try firewall(
      [base(filter, "FORWARD", policy: "drop"), chain(filter, name)].joined(separator: ","))
    let finding = try #require(Doctor(facts).findings.first { $0.state == .problem })
    #expect(finding.text == "chain ip filter FORWARD drops what goes from br-lan to tun-home, by its policy")
    #expect(finding.remedy?.hasPrefix(remedy) == true)
    facts.firewall = try firewall(
      [base(fw4, "forward", policy: "drop"), #"{"flowtable":{"family":"inet","name":"ft","table":"fw4","handle":3}}"#]
        .joined(separator: ","))
    let bad = Doctor(facts).findings.filter { $0.state != .ok }
    #expect(bad.map(\.check) == [.firewall, .offload])
    #expect(bad[0].remedy?.contains("list device 'tun-home'") == true)
  }

  @Test("a policy that drops our own transport and its answers is named")
  func transport() throws {
    var facts = try DoctorTests.facts()
    facts.firewall = try firewall(
      [base(fw4, "output", hook: "output", policy: "drop"), base(fw4, "input", hook: "input", policy: "drop")]
        .joined(separator: ","))
    let texts = Doctor(facts).findings.filter { $0.state == .problem }.map(\.text)
    #expect(
      texts == [
        "chain inet fw4 output drops our own packets to vpn.example.net port 1194, by its policy",
        "chain inet fw4 input drops answers of vpn.example.net, by its policy",
      ])
  }
}
