import Base
import Settings

extension Ruleset {
  /// Refuses before routing what no tunnel carries now: behind an `unreachable` route nothing could answer a TCP reset.
  var earlyRefusals: [NftChain] {
    let refusing = situation.gateways.filter { gateway in
      AddressFamily.allCases.contains { gateway.verdict($0) == .refused || gateway.isWaiting($0) }
    }
    let entries = refusing.map { gateway in
      NftRule(.from(gateway.lanSet), then: .jump(NftName("early").of(gateway.settings.name)))
        .because(gateway.origin())
    }
    return [NftChain("early", NftHook(.filter, .prerouting, .filter), entries)] + refusing.map(early)
  }

  private func early(_ gateway: GatewayNetwork) -> NftChain {
    var rules = exceptions(then: .return)
    // What has its way already: answers, policies.
    rules.append(NftRule(.mark(0, mask: situation.marks.mask, isNegated: true), then: .return).because(.marked))
    rules.append(NftRule(.isForRouter, then: .return).because(.house))
    rules.append(NftRule(.destination(.ipv6, .prefixes(WellKnown.linkLocal)), then: .return).because(.house))
    for family in AddressFamily.allCases {
      let ways: [(NftName, NftOrigin)] = [
        (NftName("inside").of(family), .house), (NftName("routed").of(family), NftOrigin("a route of a tunnel")),
        (gateway.excludeSet(family), gateway.origin("exclude")),
      ]
      rules += ways.map { NftRule(.destination(family, in: $0), then: .return).because($1) }
    }
    rules += betweenLANs
    for family in AddressFamily.allCases where gateway.verdict(family) == .refused {
      rules.append(
        NftRule(.family(family), then: .goto(gateway.refusal)).because(gateway.origin(gateway.refusingKey(family))))
    }
    // What runs may live on when the tunnel is back; what begins now is told at once that it cannot.
    for family in AddressFamily.allCases where gateway.isWaiting(family) {
      rules.append(
        NftRule(.family(family), .direction(.original), .isNew, then: .goto(gateway.refusal))
          .because(gateway.origin(gateway.refusingKey(family))))
    }
    return NftChain(NftName("early").of(gateway.settings.name), nil, rules)
  }
}

extension GatewayNetwork {
  /// The key that has a family refused while no tunnel carries it.
  func refusingKey(_ family: AddressFamily) -> String {
    family == .ipv6 && settings.ipv6 == .block ? "ipv6" : "kill_switch"
  }
}
