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
      let uplinks = situation.surroundings.narrowUplinks
      let path = uplinks.map(\.mtu).min()
      let narrow = situation.sessions.map { ($0.state.device, $0.state.largestTCPPacket(uplink: path)) } + uplinks
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

  var natOut: NftChain {
    NftChain(
      "nat_out", NftHook(.nat, .postrouting, .srcnat),
      [NftRule(.into("nat_tunnels"), then: .masquerade).because(NftOrigin("masquerade"))] + ownAddresses
        + routerMasquerade)
  }

  /// The router chose its address for the tunnel before a policy chose the uplink.
  private var ownAddresses: [NftRule] {
    guard fromRouter != nil else { return [] }
    return AddressFamily.allCases.compactMap { family in
      let hosts = situation.sessions.flatMap(\.addresses).map { IPPrefix.host($0.prefix.address) }
        .filter { $0.family == family }.withoutOverlaps
      guard !hosts.isEmpty else { return nil }
      return NftRule(
        .into("uplinks"), isMarked(situation.marks.wan), .source(family, .prefixes(hosts)), then: .masquerade
      ).because(.marked)
    }
  }
}
