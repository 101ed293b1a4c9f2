import Base
import Settings

extension Ruleset {
  private static let isOpening = "tcp flags & (syn | rst) == syn"
  /// Header of IP and TCP without options, which the MSS does not count.
  private static func headers(_ family: AddressFamily) -> Int { family == .ipv4 ? 40 : 60 }

  /// SYN and SYN-ACK, both directions. `rt mtu` knows the way of a packet only in the direction it goes, and so misses the
  /// SYN-ACK of forwarded flows; towards the uplink it is all there is. `size set` never raises.
  func writeMSS(_ text: inout RulesetText) {
    var rules: [String] = []
    if situation.gateways.contains(where: \.settings.clampsMSS) {
      for tunnel in situation.standing {
        for family in AddressFamily.allCases {
          let size = tunnel.mtu - Self.headers(family)
          for direction in ["iifname", "oifname"] {
            rules.append(
              "\(direction) \"\(tunnel.state.device)\" meta nfproto \(family == .ipv4 ? "ipv4" : "ipv6") "
                + "\(Self.isOpening) tcp option maxseg size set \(size)")
          }
        }
      }
      rules.append("oifname @uplinks \(Self.isOpening) tcp option maxseg size set rt mtu")
    }
    text.chain("clamp_mss", base: "type filter hook forward priority mangle", rules)
  }

  func writeNAT(_ text: inout RulesetText) {
    text.chain("nat_dns", base: "type nat hook prerouting priority dstnat", situation.gateways.flatMap(hijackRules))
    text.chain(
      "nat_out", base: "type nat hook postrouting priority srcnat", ["oifname @nat_tunnels masquerade"])
    let closing = situation.gateways.filter(\.settings.blocksDoT)
    text.chain(
      "dns_guard", base: "type filter hook forward priority filter - 5",
      closing.map {
        "iifname @lan_\($0.settings.name) meta l4proto { tcp, udp } th dport 853 goto refuse_\($0.settings.name)"
      })
  }

  /// `dns hijack`: every query of the LAN goes to the tunnel's own resolver, whomever it was meant for.
  private func hijackRules(_ gateway: GatewayNetwork) -> [String] {
    guard gateway.settings.dns == .hijack, let active = gateway.active, active.isConfigured, active.fault == nil else {
      return []
    }
    let queries = "iifname @lan_\(gateway.settings.name) meta l4proto { tcp, udp } th dport 53"
    return AddressFamily.allCases.compactMap { family in
      guard active.carries(family), let server = active.resolvers.first(where: { $0.address.family == family }) else {
        return nil
      }
      let target = family == .ipv4 ? "\(server.address):\(server.port)" : "[\(server.address)]:\(server.port)"
      return "\(queries) dnat \(family.nftHeader) to \(target)"
    }
  }
}
