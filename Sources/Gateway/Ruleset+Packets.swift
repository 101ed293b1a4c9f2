import Base
import Settings

extension Ruleset {
  /// Header of IP and TCP without options, which the MSS does not count.
  private static func headers(_ family: AddressFamily) -> Int { family == .ipv4 ? 40 : 60 }

  /// SYN and SYN-ACK, both directions. `rt mtu` knows the way of a packet only in the direction it goes, and so misses the
  /// SYN-ACK of forwarded flows; towards the uplink it knows paths that are narrower than the device. `size set` never
  /// raises.
  var clampMSS: NftChain {
    var rules: [NftRule] = []
    if let gateway = situation.gateways.first(where: \.settings.clampsMSS) {
      let narrow = situation.standing.map { ($0.state.device, $0.mtu) } + situation.surroundings.narrowUplinks
      for (device, mtu) in narrow {
        let device = NftDevices.device(device)
        for family in AddressFamily.allCases {
          let size = mtu - Self.headers(family)
          rules += [NftMatch.input(device), .output(device)].map { way in
            NftRule(way, .family(family), .opensConnection, then: .segmentSize(.fixed(size)))
          }
        }
      }
      rules.append(NftRule(.into("uplinks"), .opensConnection, then: .segmentSize(.route)))
      rules = rules.because(gateway.origin("mss_clamp"))
    }
    return NftChain("clamp_mss", NftHook(.filter, .forward, .mangle), rules)
  }

  var natChains: [NftChain] {
    [
      NftChain(
        "nat_dns", NftHook(.nat, .prerouting, .dstnat),
        unlessExcepted(situation.gateways.flatMap { gateway in hijackRules(gateway).because(gateway.origin("dns")) })),
      NftChain(
        "nat_out", NftHook(.nat, .postrouting, .srcnat),
        [NftRule(.into("nat_tunnels"), then: .masquerade).because(NftOrigin("masquerade"))] + ownAddresses),
      NftChain(
        "dns_guard", NftHook(.filter, .forward, .filter, offset: -5),
        unlessExcepted(
          situation.gateways.filter(\.settings.blocksDoT).map { gateway in
            NftRule(
              queries(of: gateway, port: 853), then: [.goto(gateway.refusal)], origin: gateway.origin("block_dot"))
          })),
    ]
  }

  /// The router chose its address for the tunnel before a policy chose the uplink.
  private var ownAddresses: [NftRule] {
    guard fromRouter != nil else { return [] }
    return AddressFamily.allCases.compactMap { family in
      let hosts = situation.standing.flatMap(\.addresses).map { IPPrefix.host($0.prefix.address) }
        .filter { $0.family == family }.withoutOverlaps
      guard !hosts.isEmpty else { return nil }
      return NftRule(
        .into("uplinks"), isMarked(situation.marks.wan), .source(family, .prefixes(hosts)), then: .masquerade
      ).because(.marked)
    }
  }

  func queries(of gateway: GatewayNetwork, port: UInt16) -> [NftMatch] {
    [
      .from(gateway.lanSet), .protocols([.tcp, .udp]),
      .ports(NftPorts(.transport, .destination, [.init(port)])),
    ]
  }

  /// `dns hijack`: every query of the LAN goes to the tunnel's own resolver, whomever it was meant for.
  private func hijackRules(_ gateway: GatewayNetwork) -> [NftRule] {
    guard gateway.settings.dns == .hijack, let active = gateway.active, active.isConfigured, active.fault == nil else {
      return []
    }
    return AddressFamily.allCases.compactMap { family in
      guard active.carries(family), let server = active.resolvers.first(where: { $0.address.family == family }) else {
        return nil
      }
      return NftRule(queries(of: gateway, port: 53), then: [.destinationNAT(server)])
    }
  }
}
