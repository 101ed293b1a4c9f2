import Base
import Profile
import Settings

/// Policies: each one asks for protocol and ports, then for who sends, then for whom it is meant, and gives the mark of its way.
/// A chain that ends without an answer is no match, and the next policy is asked. Entries cost elements of sets, never rules.
extension Ruleset {
  static let policyCounter: NftName = "blocked_policies"
  static let policyRefusal: NftName = "refuse_policies"

  var acting: [(policy: PolicyNetwork, way: PolicyNetwork.Way)] {
    situation.policies.compactMap { policy in policy.way.map { (policy, $0) } }
  }

  /// Tunnels that some policy sends packets into now.
  var policyTunnels: [TunnelNetwork] {
    let indexes = acting.compactMap { _, way -> Int? in
      guard case .tunnel(let tunnel) = way else { return nil }
      return tunnel.index
    }
    return situation.standing.filter { indexes.contains($0.state.index) }
  }

  var policySets: [NftSet] { acting.flatMap { sets($0.policy) } }

  /// They stand even while their policy is left out: what is known of the names outlives it.
  var nameSets: [NftSet] {
    situation.settings.policyDomains.flatMap { domains in AddressFamily.allCases.map { NftSet(domains.set($0)) } }
  }

  var policyChains: [NftChain] {
    var rules = houseRules
    rules += acting.map { policy, _ in
      NftRule(then: .jump(policy.chain("policy"))).because(policy.origin)
    }
    if acting.isEmpty { rules = [] }
    return [NftChain("policies", nil, rules)] + acting.flatMap { chains($0.policy, $0.way) }
  }

  /// What stays in the house is no policy's business, nor is a question for a name where the gateway answers them itself.
  private var houseRules: [NftRule] {
    var rules = [NftRule(.isForRouter, then: .return)]
    rules.append(NftRule(.destination(.ipv6, .prefixes(WellKnown.linkLocal)), then: .return))
    rules += AddressFamily.allCases.map { family in
      NftRule(.destination(family, in: NftName("inside").of(family)), then: .return)
    }
    rules = rules.because(.house)
    for gateway in enforcedGateways {
      rules.append(NftRule(queries(of: gateway), then: [.return], origin: gateway.origin("dns")))
    }
    return rules
  }

  /// With scope `all` the router's own packets are asked too, but for what it cannot live without.
  var fromRouter: NftChain? {
    guard situation.routerGateway != nil, !acting.isEmpty else { return nil }
    return NftChain(
      "from_router", nil, [NftRule(then: setMark(0))] + necessities(then: .return) + [NftRule(then: .goto("policies"))])
  }

  /// A packet that a policy sends into a tunnel never leaves by an uplink, but to what the tunnel's gateway excludes: not even
  /// in the moment before the rule for its mark stands.
  var policyGuards: (entries: [NftRule], chains: [NftChain]) {
    let indexes = policyTunnels.map(\.state.index)
    if indexes.isEmpty { return ([], []) }
    let origin = NftOrigin("policies that name a tunnel")
    let entries = indexes.map {
      NftRule(.into("uplinks"), isMarked(situation.marks.tunnel($0)), then: .jump("guard_policies")).because(origin)
    }
    let excluding = situation.gateways.filter { gateway in
      gateway.tunnels.contains { indexes.contains($0.state.index) }
    }
    let rules = excluding.flatMap { gateway in
      AddressFamily.allCases.map { family in
        NftRule(.destination(family, in: gateway.excludeSet(family)), then: .return).because(gateway.origin("exclude"))
      }
    }
    return (
      entries, [NftChain("guard_policies", nil, rules + [NftRule(then: .goto(Self.policyRefusal)).because(origin)])]
    )
  }

  // MARK: One policy

  private func chains(_ policy: PolicyNetwork, _ way: PolicyNetwork.Way) -> [NftChain] {
    var chains = [NftChain(policy.chain("way"), nil, rules(for: way))]
    var next = policy.chain("way")
    if !policy.to.isEmpty {
      chains.append(NftChain(policy.chain("target"), nil, rules(policy.to, of: policy, source: false, then: next)))
      next = policy.chain("target")
    }
    if !policy.from.isEmpty {
      chains.append(NftChain(policy.chain("source"), nil, rules(policy.from, of: policy, source: true, then: next)))
      next = policy.chain("source")
    }
    chains.append(NftChain(policy.chain("policy"), nil, [NftRule(traffic(policy.settings), then: [.goto(next)])]))
    return chains.reversed().map { NftChain($0.name, nil, $0.rules.because(policy.origin)) }
  }

  private func traffic(_ policy: PolicySettings) -> [NftMatch] {
    var matches: [NftMatch] = []
    if !policy.protocols.isEmpty { matches.append(.protocols(policy.protocols.uniqued())) }
    for (end, ranges) in [(NftPorts.End.source, policy.sourcePorts), (.destination, policy.destinationPorts)]
    where !ranges.isEmpty {
      matches.append(.ports(NftPorts(.transport, end, ranges.merged)))
    }
    return matches
  }

  private func rules(for way: PolicyNetwork.Way) -> [NftRule] {
    switch way {
    case .block: return [NftRule(then: .goto(Self.policyRefusal))]
    case .wan: return [NftRule(then: setMark(situation.marks.wan), .accept)]
    case .tunnel(let tunnel):
      let mark = [setMark(situation.marks.tunnel(tunnel.index)), NftStatement.accept]
      if tunnel.families.count == AddressFamily.allCases.count { return [NftRule([], then: mark)] }
      return tunnel.families.map { NftRule([.family($0)], then: mark) } + [NftRule(then: .goto(Self.policyRefusal))]
    }
  }

  private func rules(
    _ terms: PolicyTerms, of policy: PolicyNetwork, source: Bool, then next: NftName
  ) -> [NftRule] {
    let negated = matches(terms.none, of: policy, source: source, isNegated: true)
    let positive = matches(terms.any, of: policy, source: source, isNegated: false)
    return negated.map { NftRule($0, then: .return) }
      + (terms.isOpen ? [NftRule(then: .goto(next))] : positive.map { NftRule($0, then: .goto(next)) })
  }

  private func matches(
    _ side: PolicyTerms.Side, of policy: PolicyNetwork, source: Bool, isNegated: Bool
  ) -> [NftMatch] {
    var matches: [NftMatch] = []
    for family in AddressFamily.allCases where side.prefixes.contains(where: { $0.family == family }) {
      let set = policy.addressSet(family, source: source, isNegated: isNegated)
      matches.append(source ? .source(family, in: set) : .destination(family, in: set))
    }
    if !side.macs.isEmpty { matches.append(.etherSource(set: policy.macSet(isNegated))) }
    if !side.devices.isEmpty { matches.append(.from(policy.deviceSet(isNegated))) }
    if !side.domains.isEmpty {
      let domains = PolicyDomains(policy: policy.settings.name, isNegated: isNegated, domains: side.domains)
      matches += AddressFamily.allCases.map { .destination($0, in: domains.set($0).name) }
    }
    return matches
  }

  private func sets(_ policy: PolicyNetwork) -> [NftSet] {
    var sets: [NftSet] = []
    for (terms, source) in [(policy.from, true), (policy.to, false)] {
      for (side, isNegated) in [(terms.any, false), (terms.none, true)] {
        for family in AddressFamily.allCases where side.prefixes.contains(where: { $0.family == family }) {
          let name = policy.addressSet(family, source: source, isNegated: isNegated)
          sets.append(.prefixes(name, family, side.prefixes))
        }
        if !side.macs.isEmpty { sets.append(NftSet(policy.macSet(isNegated), .macs(side.macs.uniqued()))) }
        if !side.devices.isEmpty { sets.append(.devices(policy.deviceSet(isNegated), side.devices)) }
      }
    }
    return sets
  }
}

extension PolicyNetwork {
  fileprivate func chain(_ part: NftName) -> NftName { part.of(settings.name) }

  fileprivate func addressSet(_ family: AddressFamily, source: Bool, isNegated: Bool) -> NftName {
    let base: NftName = source ? (isNegated ? "notfrom" : "from") : (isNegated ? "notto" : "to")
    return base.of(family).of(settings.name)
  }

  fileprivate func macSet(_ isNegated: Bool) -> NftName {
    (isNegated ? "notmacs" : "macs" as NftName).of(settings.name)
  }

  fileprivate func deviceSet(_ isNegated: Bool) -> NftName {
    (isNegated ? "notdevices" : "devices" as NftName).of(settings.name)
  }
}

extension [Rule.Ports] {
  /// Sorted, and without overlaps, which nft refuses.
  fileprivate var merged: [Rule.Ports] {
    var result: [Rule.Ports] = []
    for range in sorted(by: { ($0.first, $0.last) < ($1.first, $1.last) }) {
      if let last = result.last, range.first <= last.last {
        result[result.count - 1].last = Swift.max(last.last, range.last)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
