import Base
import Settings

/// Our one nft table: marks, kill switch, MSS, addresses. A hook without a rule is left out, for every packet would pass it.
///
/// The value is only what should stand: how it takes the place of what stands, in one transaction, is up to the loading.
struct Ruleset {
  let situation: Situation

  init(_ situation: Situation) { self.situation = situation }

  static func counter(of owner: TunnelName) -> NftName { NftName("blocked").of(owner) }
  /// For the router's own packets with scope `all`, and what an uplink may not begin.
  static let routerName: NftName = "_router"

  var table: NftTable {
    var table = NftTable(name: NetworkPlan.table)
    table.sets = sets + policySets
    table.counters = refusers.map { NftName("blocked").of($0) }
    let chains =
      markChains + policyChains + refusals + earlyRefusals + guards + routerGuards + [clampMSS] + clampsOwnMSS
      + dnsChains + [natOut] + whileSharing
    table.chains = chains.filter { $0.hook == nil || !$0.rules.isEmpty }
    return table
  }

  private var sets: [NftSet] {
    let surroundings = situation.surroundings
    // First, so that a load, which keeps these, leaves the order of sets as a first load makes it.
    var sets = AddressFamily.allCases.map { NftSet(.pass($0)) } + [NftSet(.openLAN), NftSet(.openRouter)] + nameSets
    sets.append(.devices(NetworkPlan.lanSet, surroundings.lan))
    let always = situation.gateways.filter { $0.settings.killSwitch == .always }
    if !always.isEmpty { sets.append(.devices(NetworkPlan.alwaysSet, always.flatMap(\.lan))) }
    let armed = situation.gateways.filter(\.isArmed)
    if !armed.isEmpty { sets.append(.devices(NetworkPlan.armedSet, armed.flatMap(\.lan))) }
    sets.append(.devices("onearm", surroundings.oneArmed))
    sets.append(.devices("uplinks", surroundings.uplinks))
    sets.append(.devices("tunnels", situation.standing.flatMap(situation.devices)))
    sets.append(.devices("nat_tunnels", situation.withSeconds(natTunnels)))
    for family in AddressFamily.allCases {
      sets.append(.prefixes(NftName("inside").of(family), family, surroundings.local.map(\.destination)))
      sets.append(.prefixes(NftName("routed").of(family), family, routed))
    }
    for gateway in situation.gateways {
      sets.append(.devices(gateway.lanSet, gateway.lan))
      for family in AddressFamily.allCases {
        sets.append(.prefixes(gateway.excludeSet(family), family, gateway.excluded))
        if gateway.blockedDoH.contains(where: { $0.family == family }) {
          sets.append(.prefixes(gateway.dohSet(family), family, gateway.blockedDoH))
        }
      }
    }
    return sets
  }

  /// Tunnels out of which the LAN's addresses are hidden behind the tunnel's.
  var natTunnels: [DeviceName] {
    let serving = situation.gateways.filter { $0.settings.masquerade }
    let plain = situation.gateways.filter { !$0.settings.masquerade }.flatMap(\.tunnels).map(\.state.device)
    let named = policyTunnels.map(\.state.device).filter { !plain.contains($0) }
    if serving.isEmpty { return named }
    // Pushed routes of a tunnel without a gateway reach the LAN too, and its server knows no way back to us.
    let ungoverned = situation.ungoverned.filter { tunnel in
      situation.standing.contains { $0.state.name == tunnel.state.name }
    }
    return serving.flatMap { $0.tunnels.map(\.state.device) } + ungoverned.map(\.state.device) + named
  }

  /// Destinations that table P sends into some tunnel.
  private var routed: [IPPrefix] {
    situation.standing.filter { $0.isConfigured && $0.fault == nil }.flatMap(\.targets).map(\.prefix)
  }

  /// Whoever has a counter and a chain of refusals: the gateways, the router, and the policies together.
  private var refusers: [NftName] {
    situation.gateways.map { NftName($0.settings.name) } + [Self.routerName]
      + (situation.policies.isEmpty ? [] : ["policies"])
  }

  /// Refusals answer at once: a TCP reset, else "administratively prohibited"; ICMP errors alone are rate-limited.
  private var refusals: [NftChain] {
    refusers.map { name in
      NftChain(
        NftName("refuse").of(name), nil,
        [
          NftRule(then: .counter(NftName("blocked").of(name))),
          NftRule(.protocols([.tcp]), then: .reject(.tcpReset)), NftRule(then: .reject(.adminProhibited)),
        ])
    }
  }
}

extension GatewayNetwork {
  var lanSet: NftName { NftName("lan").of(settings.name) }
  func excludeSet(_ family: AddressFamily) -> NftName { NftName("exclude").of(family).of(settings.name) }
  var refusal: NftName { NftName("refuse").of(settings.name) }

  /// What its rules say of themselves: the key that decides, where it is written, else the section.
  func origin(_ key: String = "") -> NftOrigin {
    NftOrigin("gateway \(settings.name)", settings.keys[key] ?? settings.location)
  }
}
