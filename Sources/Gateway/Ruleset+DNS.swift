import Base
import Settings

/// Where queries for names go. No query of a LAN leaves in clear beside the tunnel, by whatever resolver the router runs:
/// what the LAN asks is led to the router's resolver or the tunnel's, and what the router itself asks goes into the tunnel
/// or is refused at once.
///
/// Policies have no say in it; what `adit pass` lets out by the uplink asks there too.
extension Ruleset {
  private static let plain: UInt16 = 53
  /// DNS over TLS (RFC 7858) and over QUIC (RFC 9250).
  private static let encrypted: UInt16 = 853
  private static let web: UInt16 = 443

  var dnsChains: [NftChain] {
    let led = situation.gateways.filter { ledChain($0) != nil }
    let enforced = enforcedGateways
    return [
      NftChain(
        "nat_dns", NftHook(.nat, .prerouting, .dstnat),
        unlessExcepted(
          led.map { NftRule(queries(of: $0), then: [.goto(name("dns", $0))], origin: $0.origin("dns")) }))
    ] + led.compactMap(ledChain) + [
      NftChain(
        "dns_early", NftHook(.filter, .prerouting, .filter, offset: -1),
        unlessExcepted(
          enforced.map { NftRule(queries(of: $0), then: [.jump(name("dns_early", $0))], origin: $0.origin("dns")) }))
    ] + enforced.map(earlyChain) + [
      NftChain("dns_in", NftHook(.filter, .input, .filter, offset: -5), unlessExcepted(refusedAtRouter)),
      NftChain("dns_guard", NftHook(.filter, .forward, .filter, offset: -5), unlessExcepted(encryptedRefusals)),
      NftChain("dns_mark", nil, routerMarks),
      NftChain("nat_dns_out", NftHook(.nat, .output, .outputNAT), routerTranslations),
      NftChain(
        "dns_out", NftHook(.filter, .output, .filter, offset: -5),
        routerRefusals.isEmpty
          ? [] : [NftRule(ports(Self.plain, Self.encrypted), then: [.jump("dns_router")], origin: .names)]),
      NftChain("dns_router", nil, routerRefusals),
    ]
  }

  var enforcedGateways: [GatewayNetwork] {
    situation.gateways.filter { situation.names.enforced.contains($0.settings.name) }
  }

  private func answering(_ gateway: GatewayNetwork) -> NameWays.Answering {
    situation.names.answering[gateway.settings.name] ?? .ordinary
  }

  private func name(_ word: NftName, _ gateway: GatewayNetwork) -> NftName { word.of(gateway.settings.name) }

  private func ports(_ ports: UInt16...) -> [NftMatch] {
    [.protocols([.tcp, .udp]), .ports(NftPorts(.transport, .destination, ports.map { .init($0) }))]
  }

  func queries(of gateway: GatewayNetwork) -> [NftMatch] { [.from(gateway.lanSet)] + ports(Self.plain) }

  private func toResolvers(_ servers: [Endpoint], _ family: AddressFamily) -> NftMatch? {
    let prefixes = servers.map(\.address).filter { $0.family == family }.map(IPPrefix.host).withoutOverlaps
    return prefixes.isEmpty ? nil : .destination(family, .prefixes(prefixes))
  }

  // MARK: What the LAN asks

  /// Marks of the tunnel whose resolvers a LAN is led to: they may have an address that another tunnel has too.
  var dnsMarks: [NftRule] {
    enforcedGateways.compactMap { gateway in
      guard case .tunnel(let tunnel) = answering(gateway) else { return nil }
      let mark = situation.marks.tunnel(tunnel.state.index)
      return NftRule(
        queries(of: gateway) + [isMarked(0)], then: [setMark(mark)], origin: gateway.origin("dns"))
    }
  }

  private func ledChain(_ gateway: GatewayNetwork) -> NftChain? {
    var rules = [NftRule(isMarked(situation.marks.wan), then: .return).because(NftOrigin("its way is the uplink"))]
    let insides = AddressFamily.allCases.map { family in
      NftRule(.destination(family, in: NftName("inside").of(family)), then: .return).because(.house)
    }
    switch answering(gateway) {
    case .router:
      rules.append(NftRule(.isForRouter, then: .return).because(.house))
      rules += insides
      rules.append(NftRule(.protocols([.tcp, .udp]), then: .redirect(Self.plain)))
    case .tunnel(let tunnel):
      rules += translations(to: tunnel, [.isForRouter]) + insides + translations(to: tunnel, [])
    case .ordinary, .asAsked, .refused: return nil
    }
    return NftChain(name("dns", gateway), nil, rules.because(gateway.origin("dns")))
  }

  private func translations(to tunnel: TunnelNetwork, _ matches: [NftMatch]) -> [NftRule] {
    AddressFamily.allCases.compactMap { family in
      situation.resolver(of: tunnel, family).map {
        NftRule(matches + [.family(family), .protocols([.tcp, .udp])], then: [.destinationNAT($0)])
      }
    }
  }

  /// Before the kill switch's own exceptions: a query is not what `exclude` was meant for.
  private func earlyChain(_ gateway: GatewayNetwork) -> NftChain {
    var rules = [NftRule(isMarked(situation.marks.wan), then: .return).because(NftOrigin("its way is the uplink"))]
    rules.append(NftRule(.isForRouter, then: .return).because(.house))
    rules += AddressFamily.allCases.map { family in
      NftRule(.destination(family, in: NftName("inside").of(family)), then: .return).because(.house)
    }
    switch answering(gateway) {
    case .tunnel(let tunnel):
      // What was led there, and what was meant for it.
      rules += AddressFamily.allCases.compactMap { family in
        toResolvers(situation.resolvers(of: tunnel), family).map { NftRule($0, then: .return) }
      }
    case .asAsked(let tunnel):
      rules += AddressFamily.allCases.filter(tunnel.carries).map { NftRule(.family($0), then: .return) }
    case .router, .ordinary, .refused: break
    }
    rules.append(NftRule(then: .goto(gateway.refusal)))
    return NftChain(name("dns_early", gateway), nil, rules.because(gateway.origin("dns")))
  }

  /// The router's resolver speaks through another gateway's tunnel; this one's is down.
  private var refusedAtRouter: [NftRule] {
    enforcedGateways.compactMap { gateway in
      guard case .refused = answering(gateway) else { return nil }
      return NftRule(queries(of: gateway), then: [.goto(gateway.refusal)], origin: gateway.origin("dns"))
    }
  }

  /// The LAN's own encrypted queries, which nobody but their resolver can read or answer.
  private var encryptedRefusals: [NftRule] {
    situation.gateways.flatMap { gateway in
      var rules: [NftRule] = []
      if gateway.settings.blocksDoT {
        rules.append(
          NftRule(
            [.from(gateway.lanSet)] + ports(Self.encrypted), then: [.goto(gateway.refusal)],
            origin: gateway.origin("block_dot")))
      }
      for family in AddressFamily.allCases where gateway.blockedDoH.contains(where: { $0.family == family }) {
        rules.append(
          NftRule(
            [.from(gateway.lanSet), .destination(family, in: gateway.dohSet(family))] + ports(Self.web),
            then: [.goto(gateway.refusal)], origin: gateway.origin("block_doh")))
      }
      return rules
    }
  }

  // MARK: What the router asks

  /// Jumped to from `mark_out`, behind what is marked already.
  var routerQueries: NftRule {
    NftRule(ports(Self.plain, Self.encrypted) + [isMarked(0)], then: [.jump("dns_mark")], origin: .names)
  }

  /// Sends what the router asks into the tunnel. By the mark, not by a route: two tunnels may have resolvers of one
  /// address.
  private var routerMarks: [NftRule] {
    guard case .tunnel(let tunnel) = situation.names.upstream else { return [] }
    var rules: [NftRule] = loopback(.return)
    for candidate in [tunnel] + situation.standing where candidate.isLive {
      let servers =
        candidate.state.name == tunnel.state.name
        ? situation.resolvers(of: tunnel) + tunnel.resolvers : candidate.resolvers
      for family in AddressFamily.allCases {
        guard let match = toResolvers(servers, family) else { continue }
        let mark = setMark(situation.marks.tunnel(candidate.state.index))
        let rule = NftRule([match], then: [mark, .return])
        if !rules.contains(rule) { rules.append(rule) }
      }
    }
    rules += clockResolvers(.return) + [NftRule(.into("tunnels"), then: .return)] + insides
    return (rules + [NftRule(then: setMark(situation.marks.tunnel(tunnel.state.index)))]).because(.names)
  }

  /// Whomever the router asks, it is a resolver of the tunnel that answers; one of another family is asked as it is.
  private var routerTranslations: [NftRule] {
    guard case .tunnel(let tunnel) = situation.names.upstream else { return [] }
    let marked = isMarked(situation.marks.tunnel(tunnel.state.index))
    let own = AddressFamily.allCases.compactMap { family in
      toResolvers(situation.resolvers(of: tunnel) + tunnel.resolvers, family).map {
        NftRule([marked, $0] + ports(Self.plain), then: [.return])
      }
    }
    return (own + translations(to: tunnel, [marked] + ports(Self.plain))).because(.names)
  }

  /// A rule must not ask for the device of what was given a mark: the hook still shows the one before.
  private var routerRefusals: [NftRule] {
    let silent = situation.standing.filter { !$0.isLive }
    let isWanted = situation.settings.gateways.contains { $0.dns != .off }
    guard isWanted, !enforcedGateways.isEmpty || !silent.isEmpty else { return [] }
    let refuse = NftStatement.goto(NftName("refuse").of(Self.routerName))
    var rules = loopback(.return) + [NftRule(isMarked(0, isNegated: true), then: .return)]
    // While the LANs are open for a time, what answers them may ask too.
    rules.append(NftRule([.familyIn("open_router")], then: [.return], origin: .opened))
    rules += clockResolvers(.return)
    // A tunnel that is down swallows.
    rules += silent.flatMap(situation.devices).map { NftRule(.output(.device($0)), then: refuse) }
    guard !enforcedGateways.isEmpty else { return rules.because(.names) }
    rules.append(NftRule(.into("tunnels"), then: .return))
    if !situation.isBeforeNetwork { rules += insides }
    return (rules + [NftRule(then: refuse)]).because(.names)
  }

  /// An address of the uplink is none that the tunnel's server knows a way back to.
  var routerMasquerade: [NftRule] {
    guard case .tunnel(let tunnel) = situation.names.upstream, !natTunnels.contains(tunnel.state.device) else {
      return []
    }
    let marked = isMarked(situation.marks.tunnel(tunnel.state.index))
    return situation.devices(of: tunnel).map {
      NftRule(.output(.device($0)), marked, .isFromRouter, then: .masquerade).because(.names)
    }
  }

  private func loopback(_ statement: NftStatement) -> [NftRule] {
    DeviceName("lo").map { [NftRule(.output(.device($0)), then: statement)] } ?? []
  }

  private var insides: [NftRule] {
    ([NftRule(.notInto("uplinks"), .into("lan"), then: .return)]
      + AddressFamily.allCases.map { family in
        NftRule(.notInto("uplinks"), .destination(family, in: NftName("inside").of(family)), then: .return)
      }).because(.house)
  }

  /// Only while the clock is unset, and only where dnsmasq asks them for nothing but the names of time servers.
  private func clockResolvers(_ statement: NftStatement) -> [NftRule] {
    AddressFamily.allCases.compactMap { family in
      toResolvers(situation.names.clockResolvers.map { Endpoint(address: $0, port: Self.plain) }, family).map {
        NftRule([$0, .udp(to: Self.plain)], then: [statement], origin: NftOrigin("the router's clock is unset"))
      }
    }
  }
}

extension NftOrigin {
  static let names = NftOrigin("what the router asks")
}

extension GatewayNetwork {
  /// Prefixes of resolvers that speak DNS over HTTPS.
  var blockedDoH: [IPPrefix] { settings.blockedDoH }
  func dohSet(_ family: AddressFamily) -> NftName { NftName("doh").of(family).of(settings.name) }
}
