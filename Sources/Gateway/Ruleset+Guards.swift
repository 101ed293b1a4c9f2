import Base
import Settings

extension Ruleset {
  /// The forward kill switch: from a LAN nothing leaves but into a tunnel, to the house itself, and what was excluded.
  var guards: [NftChain] {
    let guarded = situation.gateways.filter(\.isArmed)
    let closedInbound = situation.gateways.filter { $0.settings.inbound == .block }
    var entries = policyGuards.entries
    entries += closedInbound.map { gateway in
      NftRule(
        .from("uplinks"), .into(gateway.lanSet), then: .jump(NftName("inbound").of(gateway.settings.name))
      ).because(gateway.origin("inbound"))
    }
    entries += guarded.map { gateway in
      NftRule(.from(gateway.lanSet), then: .jump(NftName("guard").of(gateway.settings.name)))
        .because(gateway.origin("kill_switch"))
    }
    return [NftChain("guard", NftHook(.filter, .forward, .filter, offset: -10), entries)]
      + closedInbound.map { gateway in
        NftChain(
          NftName("inbound").of(gateway.settings.name), nil,
          fromInside(then: .return) + [begins(goto: gateway.refusal).because(gateway.origin("inbound"))])
      } + policyGuards.chains + guarded.map { NftChain(NftName("guard").of($0.settings.name), nil, guardRules($0)) }
  }

  /// The first packet of a connection.
  private func begins(goto chain: NftName) -> NftRule {
    NftRule(.direction(.original), .isNew, then: .goto(chain))
  }

  private func guardRules(_ gateway: GatewayNetwork) -> [NftRule] {
    var rules: [NftRule] = []
    for family in AddressFamily.allCases where !gateway.coversEverything(family) {
      // Only what the server or the owner routes is ours to guard.
      if gateway.settings.routes == .pushed {
        let pushed = NftMatch.destination(family, in: NftName("routed").of(family))
        rules.append(
          NftRule(.into("uplinks"), pushed, then: .goto(gateway.refusal)).because(gateway.origin("kill_switch")))
      }
      rules.append(NftRule(.family(family), then: .return).because(gateway.uncoveredOrigin(family)))
    }
    rules += exceptions(then: .return)
    rules += intoUplinks
    rules += intoTunnels(gateway, then: .return)
    rules.append(NftRule(.notInto("uplinks"), .into("lan"), then: .return).because(.house))
    rules += insideAndExcluded(gateway, then: .return)
    return rules + [NftRule(then: .goto(gateway.refusal)).because(gateway.origin("kill_switch"))]
  }

  /// What is marked for the uplink. A packet that a one-armed LAN did not send bears that mark as well.
  private var intoUplinks: [NftRule] {
    let isMarked = isMarked(situation.marks.wan)
    let notOneArmed = NftMatch.input(.set("onearm"), isNegated: true)
    var rules = [NftRule(notOneArmed, .into("uplinks"), isMarked, then: .return)]
    if !situation.surroundings.oneArmed.isEmpty {
      rules += AddressFamily.allCases.map { family in
        NftRule(
          .from("onearm"), .source(family, in: NftName("inside").of(family)), .into("uplinks"), isMarked, then: .return)
      }
    }
    return rules.because(.marked)
  }

  func intoTunnels(_ gateway: GatewayNetwork, then statement: NftStatement) -> [NftRule] {
    guard gateway.settings.ipv6 == .block else {
      return [NftRule(.into("tunnels"), then: statement).because(gateway.origin("tunnel"))]
    }
    let marked = NftMatch.mark(0, mask: situation.marks.mask, isNegated: true)
    return (policyTunnels.isEmpty ? [] : [NftRule(.into("tunnels"), marked, then: statement).because(.marked)])
      + [NftRule(.family(.ipv4), .into("tunnels"), then: statement).because(gateway.origin("tunnel"))]
  }

  func insideAndExcluded(_ gateway: GatewayNetwork, then statement: NftStatement) -> [NftRule] {
    AddressFamily.allCases.flatMap { family in
      let inside = NftMatch.destination(family, in: NftName("inside").of(family))
      return [
        NftRule(.notInto("uplinks"), inside, then: statement).because(.house),
        NftRule(.into("onearm"), inside, then: statement).because(.house),
        NftRule(.destination(family, in: gateway.excludeSet(family)), then: statement)
          .because(gateway.origin("exclude")),
      ]
    }
  }
}

extension GatewayNetwork {
  /// Why a family takes the ordinary way.
  func uncoveredOrigin(_ family: AddressFamily) -> NftOrigin {
    if family == .ipv6, settings.ipv6 == .bypass { return origin("ipv6") }
    return origin(settings.routes == .pushed ? "routes" : "kill_switch")
  }
}
