import Base

extension Ruleset {
  /// Two sessions with the same address: masquerade takes every connection anew when its device changes (nf_nat_oif_changed),
  /// at the next packet of the LAN. An answer that comes before that packet belongs to no connection, and the router would
  /// end it with a reset that is not meant: so it is dropped, and sent again.
  var whileSharing: [NftChain] {
    let shared = situation.sharedAddresses
    guard !shared.isEmpty else { return [] }
    let rules = AddressFamily.allCases.flatMap { family -> [NftRule] in
      let hosts = shared.map { IPPrefix.host($0) }.filter { $0.family == family }.withoutOverlaps
      guard !hosts.isEmpty else { return [] }
      return [
        NftRule(
          .from("tunnels"), .destination(family, .prefixes(hosts)), .protocols([.tcp, .udp]), .direction(.original),
          .isNew, then: .drop)
      ]
    }
    return [
      NftChain(
        "sharing", NftHook(.filter, .input, .filter, offset: -20),
        [NftRule(.from("tunnels"), .opensConnection, then: .return)] + rules)
    ]
  }
}

extension Situation {
  /// Addresses that both sessions of a tunnel have.
  fileprivate var sharedAddresses: [IPAddress] {
    seconds.filter(\.stands).flatMap { second in
      let own = tunnels.first { $0.state.name == second.state.name }?.addresses.map(\.prefix.address) ?? []
      return second.addresses.map(\.prefix.address).filter(own.contains)
    }
  }
}
