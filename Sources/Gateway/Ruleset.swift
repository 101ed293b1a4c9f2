import Base
import Settings

/// Our one nft table: marks, kill switch, MSS, addresses; every chain is there from the first load on, empty or not.
///
/// Loading it is one transaction (`table`, `delete table`, `table {…}`), so there is no moment without it.
struct Ruleset {
  let situation: Situation

  init(_ situation: Situation) { self.situation = situation }

  static func counter(of name: String) -> String { "blocked_\(name)" }
  /// For the router's own packets with scope `all`, and what an uplink may not begin.
  static let routerName = "_router"

  var text: String {
    var text = RulesetText()
    text.line("table inet adit")
    text.line("delete table inet adit")
    text.line("table inet adit {")
    writeSets(&text)
    writeCounters(&text)
    writeMarks(&text)
    writeRefusals(&text)
    writeEarlyRefusals(&text)
    writeGuards(&text)
    writeRouterGuards(&text)
    writeMSS(&text)
    writeNAT(&text)
    text.line("}")
    return text.text
  }

  private func writeSets(_ text: inout RulesetText) {
    let surroundings = situation.surroundings
    text.set("lan", devices: Array(surroundings.lan))
    let always = situation.gateways.filter { $0.settings.killSwitch == .always }
    if !always.isEmpty { text.set(NetworkPlan.alwaysSet, devices: always.flatMap(\.lan)) }
    text.set("onearm", devices: Array(surroundings.oneArmed))
    text.set("uplinks", devices: Array(surroundings.uplinks))
    text.set("tunnels", devices: situation.standing.map(\.state.device))
    text.set("nat_tunnels", devices: natTunnels)
    for family in AddressFamily.allCases {
      text.set("inside\(family.digit)", family, prefixes: surroundings.inside(family))
      text.set("routed\(family.digit)", family, prefixes: routed(family))
      text.timedSet("pass\(family.digit)", family)
    }
    for gateway in situation.gateways {
      let name = gateway.settings.name
      text.set("lan_\(name)", devices: gateway.lan)
      for family in AddressFamily.allCases {
        text.set(
          "exclude\(family.digit)_\(name)", family,
          prefixes: gateway.excluded.filter { $0.family == family }.withoutOverlaps)
      }
    }
  }

  /// Tunnels out of which the LAN's addresses are hidden behind the tunnel's.
  private var natTunnels: [DeviceName] {
    let serving = situation.gateways.filter { $0.settings.masquerade }
    if serving.isEmpty { return [] }
    // Pushed routes of a tunnel without a gateway reach the LAN too, and its server knows no way back to us.
    let ungoverned = situation.ungoverned.filter { tunnel in
      situation.standing.contains { $0.state.name == tunnel.state.name }
    }
    return serving.flatMap { $0.tunnels.map(\.state.device) } + ungoverned.map(\.state.device)
  }

  /// Destinations that table P sends into some tunnel.
  private func routed(_ family: AddressFamily) -> [IPPrefix] {
    situation.standing.filter { $0.isConfigured && $0.fault == nil }.flatMap(\.targets).map(\.prefix)
      .filter { $0.family == family }.withoutOverlaps
  }

  private func writeCounters(_ text: inout RulesetText) {
    for name in situation.gateways.map(\.settings.name.text) + [Self.routerName] {
      text.object("counter \(Self.counter(of: name)) { }")
    }
  }

  /// Refusals answer at once: a TCP reset, else "administratively prohibited"; ICMP errors alone are rate-limited.
  private func writeRefusals(_ text: inout RulesetText) {
    for name in situation.gateways.map(\.settings.name.text) + [Self.routerName] {
      text.chain(
        "refuse_\(name)",
        [
          "counter name \(Self.counter(of: name))", "meta l4proto tcp reject with tcp reset",
          "reject with icmpx type admin-prohibited",
        ])
    }
  }
}
