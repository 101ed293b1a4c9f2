import Base
import Settings

extension Ruleset {
  /// Refuses before routing what no tunnel carries now: behind an `unreachable` route nothing could answer a TCP reset.
  func writeEarlyRefusals(_ text: inout RulesetText) {
    let refusing = situation.gateways.filter { gateway in
      AddressFamily.allCases.contains { gateway.verdict($0) == .refused }
    }
    text.chain(
      "early", base: "type filter hook prerouting priority filter",
      refusing.map { "iifname @lan_\($0.settings.name) jump early_\($0.settings.name)" })
    for gateway in refusing {
      let name = gateway.settings.name
      var rules = ["ip saddr @pass4 return", "ip6 saddr @pass6 return"]
      rules += ["\(answers(situation.marks.wan)) return"]
      rules += ["fib daddr type { local, broadcast, multicast, anycast } return", "ip6 daddr fe80::/10 return"]
      for family in AddressFamily.allCases {
        for set in ["inside\(family.digit)", "routed\(family.digit)", "exclude\(family.digit)_\(name)"] {
          rules.append("\(family.nftHeader) daddr @\(set) return")
        }
      }
      for family in AddressFamily.allCases where gateway.verdict(family) == .refused {
        rules.append("meta nfproto \(family == .ipv4 ? "ipv4" : "ipv6") goto refuse_\(name)")
      }
      text.chain("early_\(name)", rules)
    }
  }

  /// The forward kill switch: from a LAN nothing leaves but into a tunnel, to the house itself, and what was excluded.
  func writeGuards(_ text: inout RulesetText) {
    let guarded = situation.gateways.filter(\.isArmed)
    var entries = situation.gateways.filter { $0.settings.inbound == .block }.map {
      "iifname @uplinks oifname @lan_\($0.settings.name) jump inbound_\($0.settings.name)"
    }
    entries += guarded.map { "iifname @lan_\($0.settings.name) jump guard_\($0.settings.name)" }
    text.chain("guard", base: "type filter hook forward priority filter - 10", entries)

    for gateway in situation.gateways where gateway.settings.inbound == .block {
      let name = gateway.settings.name
      text.chain("inbound_\(name)", fromInside + ["ct direction original ct state new goto refuse_\(name)"])
    }
    for gateway in guarded { text.chain("guard_\(gateway.settings.name)", guardRules(gateway)) }
  }

  /// Packets of a one-armed LAN come in by the uplink too.
  private var fromInside: [String] {
    [
      "iifname @onearm ip saddr @inside4 return", "iifname @onearm ip6 saddr @inside6 return",
      "iifname @onearm ip6 saddr fe80::/10 return",
    ]
  }

  private func guardRules(_ gateway: GatewayNetwork) -> [String] {
    let name = gateway.settings.name
    var rules: [String] = []
    for family in AddressFamily.allCases where !gateway.coversEverything(family) {
      // Only what the server or the owner routes is ours to guard.
      if gateway.settings.routes == .pushed {
        rules.append("oifname @uplinks \(family.nftHeader) daddr @routed\(family.digit) goto refuse_\(name)")
      }
      rules.append("meta nfproto \(family == .ipv4 ? "ipv4" : "ipv6") return")
    }
    rules += ["ip saddr @pass4 return", "ip6 saddr @pass6 return"]
    rules.append("oifname @uplinks \(answers(situation.marks.wan)) return")
    let blocksIPv6 = gateway.settings.ipv6 == .block
    rules.append(blocksIPv6 ? "meta nfproto ipv4 oifname @tunnels return" : "oifname @tunnels return")
    rules.append("oifname != @uplinks oifname @lan return")
    for family in AddressFamily.allCases {
      rules.append("oifname != @uplinks \(family.nftHeader) daddr @inside\(family.digit) return")
      rules.append("oifname @onearm \(family.nftHeader) daddr @inside\(family.digit) return")
      rules.append("\(family.nftHeader) daddr @exclude\(family.digit)_\(name) return")
    }
    rules.append("goto refuse_\(name)")
    return rules
  }

  /// With scope `all` the router's own packets are held to the same.
  func writeRouterGuards(_ text: inout RulesetText) {
    let gateway = situation.routerGateway
    text.chain(
      "guard_output", base: "type filter hook output priority filter",
      gateway.map { $0.isArmed ? routerRules($0) : [] } ?? [])
    let blocksInbound = gateway.map { $0.settings.inbound == .block } ?? false
    text.chain(
      "guard_input", base: "type filter hook input priority filter",
      blocksInbound ? ["iifname @uplinks jump inbound_router"] : [])
    guard blocksInbound else { return }
    text.chain(
      "inbound_router",
      fromInside + [
        "udp sport 67 udp dport 68 return", "udp sport 547 udp dport 546 return",
        "meta l4proto { icmp, icmpv6 } return",
        "ip protocol igmp return", "ct direction original ct state new goto refuse_\(Self.routerName)",
      ])
  }

  private func routerRules(_ gateway: GatewayNetwork) -> [String] {
    let name = gateway.settings.name
    var rules = [
      "\(isMarked(situation.marks.own)) accept", "oifname \"lo\" accept",
      "\(answers(situation.marks.wan)) accept", "udp sport 68 udp dport 67 accept",
      "udp sport 546 udp dport 547 accept",
    ]
    if situation.clockIsUnset { rules.append("udp dport 123 accept") }
    for family in AddressFamily.allCases where !gateway.coversEverything(family) {
      rules.append("meta nfproto \(family == .ipv4 ? "ipv4" : "ipv6") accept")
    }
    rules += [
      "icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, "
        + "mld-listener-report, mld2-listener-report } accept",
      "ip protocol igmp accept", "ip daddr 224.0.0.0/24 accept", "ip6 daddr { fe80::/10, ff02::/16 } accept",
    ]
    let blocksIPv6 = gateway.settings.ipv6 == .block
    rules.append(blocksIPv6 ? "meta nfproto ipv4 oifname @tunnels accept" : "oifname @tunnels accept")
    if situation.isBeforeNetwork {
      // A LAN device may turn out to be the uplink: by it the router only answers, and serves leases.
      rules += ["oifname @lan ct direction reply accept", "oifname @lan udp sport { 67, 547 } accept"]
    } else {
      rules.append("oifname != @uplinks oifname @lan accept")
    }
    for family in AddressFamily.allCases {
      rules.append("oifname != @uplinks \(family.nftHeader) daddr @inside\(family.digit) accept")
      rules.append("oifname @onearm \(family.nftHeader) daddr @inside\(family.digit) accept")
      rules.append("\(family.nftHeader) daddr @exclude\(family.digit)_\(name) accept")
    }
    rules.append("goto refuse_\(Self.routerName)")
    return rules
  }
}
