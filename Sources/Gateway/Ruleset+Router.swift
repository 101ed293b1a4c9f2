import Base
import Settings

extension Ruleset {
  /// With scope `all` the router's own packets are held to the same.
  var routerGuards: [NftChain] {
    let gateway = situation.routerGateway
    let inbound = gateway.flatMap { $0.settings.inbound == .block ? $0 : nil }
    var chains = [
      NftChain(
        "guard_output", NftHook(.filter, .output, .filter),
        gateway.map { $0.isArmed ? routerRules($0) : [] } ?? []),
      NftChain(
        "guard_input", NftHook(.filter, .input, .filter),
        inbound.map { [NftRule(.from("uplinks"), then: .jump("inbound_router")).because($0.origin("inbound"))] } ?? []),
    ]
    if let inbound { chains.append(NftChain("inbound_router", nil, inboundRules(inbound))) }
    return chains
  }

  var routerRefusal: NftName { NftName("refuse").of(Self.routerName) }

  private func inboundRules(_ gateway: GatewayNetwork) -> [NftRule] {
    fromInside(then: .return) + [
      NftRule(.udp(from: 67), .udp(to: 68), then: .return), NftRule(.udp(from: 547), .udp(to: 546), then: .return),
      NftRule(.protocols([.icmp, .icmpv6]), then: .return), NftRule(.headerProtocol(.igmp), then: .return),
      NftRule(.direction(.original), .isNew, then: .goto(routerRefusal)).because(gateway.origin("inbound")),
    ]
  }

  private func routerRules(_ gateway: GatewayNetwork) -> [NftRule] {
    var rules = [NftRule(isMarked(situation.marks.own), then: .accept).because(.transport)]
    rules.append(routerException)
    rules.append(NftRule(answers(situation.marks.wan), then: [.accept], origin: .answers))
    if fromRouter != nil {
      rules.append(NftRule(.into("uplinks"), isMarked(situation.marks.wan), then: .accept).because(.marked))
    }
    for family in AddressFamily.allCases where !gateway.coversEverything(family) {
      rules.append(NftRule(.family(family), then: .accept).because(gateway.uncoveredOrigin(family)))
    }
    rules += necessities(then: .accept)
    rules += intoTunnels(gateway, then: .accept)
    if situation.isBeforeNetwork {
      // A LAN device may turn out to be the uplink: by it the router only answers, and serves leases.
      rules.append(NftRule(.into("lan"), .direction(.reply), then: .accept).because(.house))
      let serving = NftMatch.ports(NftPorts(.udp, .source, [.init(67), .init(547)]))
      rules.append(NftRule(.into("lan"), serving, then: .accept).because(.house))
    } else {
      rules.append(NftRule(.notInto("uplinks"), .into("lan"), then: .accept).because(.house))
    }
    rules += insideAndExcluded(gateway, then: .accept)
    return rules + [NftRule(then: .goto(routerRefusal)).because(gateway.origin("kill_switch"))]
  }

  /// What the router cannot live without: itself, its lease, its clock, its neighbours.
  func necessities(then statement: NftStatement) -> [NftRule] {
    var rules = [NftRule(.output(.loopback), then: statement).because(NftOrigin("the router itself"))]
    rules += [lease4, lease6].map { NftRule($0, then: [statement], origin: NftOrigin("the router's own lease")) }
    if situation.clockIsUnset {
      rules.append(NftRule(.udp(to: 123), then: statement).because(NftOrigin("the router's clock is unset")))
    }
    return rules
      + [
        NftRule(.icmpv6Types(ICMPv6Type.allCases), then: statement), NftRule(.headerProtocol(.igmp), then: statement),
        NftRule(.destination(.ipv4, .prefixes(WellKnown.onLink4)), then: statement),
        NftRule(.destination(.ipv6, .prefixes(WellKnown.onLink6)), then: statement),
      ].because(NftOrigin("neighbours on the link"))
  }

  /// Ports of client and server (RFC 2131, RFC 8415).
  private var lease4: [NftMatch] { [.udp(from: 68), .udp(to: 67)] }
  private var lease6: [NftMatch] { [.udp(from: 546), .udp(to: 547)] }
}
