package import Base
package import Settings

/// By which way the packets of a gateway's LANs leave the house, by family.
package enum FlowWay: Hashable, Sendable {
  case ordinary
  /// Hidden behind these addresses, or routed back to them.
  case tunnel(TunnelName, addresses: [IPPrefix])
  case refused
}

/// The ways that running connections have got used to.
///
/// A connection that the kernel tracks keeps the address it was hidden behind at its first packet. When its way changes it
/// would go on with the old address, be answered by nobody, and never end.
package struct Ways: Hashable, Sendable {
  private struct Gateway: Hashable, Sendable {
    var nets: [IPPrefix] = []
    var excluded: [IPPrefix] = []
    /// The last that carried anything; what was refused meanwhile left no connection behind.
    var ways: [AddressFamily: FlowWay] = [:]
  }

  private var gateways: [TunnelName: Gateway] = [:]
  private var policies: [NftChain] = []
  private var policySets: [NftSet] = []
  private var house: [IPPrefix] = []
  private var addresses: Set<IPAddress> = []

  /// Before the first plan all goes the ordinary way.
  package init() {}

  /// Takes the ways of a new plan.
  /// - Returns: the connections that must not go on; `nil` = none.
  package mutating func change(to plan: NetworkPlan) -> StrandedFlows? {
    let former = self
    var stranded = StrandedFlows(house: plan.house + former.house, own: plan.ownAddresses)
    house = plan.house
    for facts in plan.gateways {
      var gateway = gateways[facts.name] ?? Gateway()
      let kept = facts.excluded.filter { gateway.excluded.contains($0) || gateway.ways.isEmpty }
      for family in AddressFamily.allCases {
        guard let way = facts.ways[family], way != .refused else { continue }
        if way != gateway.ways[family] ?? .ordinary {
          stranded.add(
            (facts.nets + gateway.nets).filter { $0.family == family }, keeping: kept,
            router: facts.takesRouter ? family : nil)
        }
        gateway.ways[family] = way
      }
      gateway.nets = facts.nets
      gateway.excluded = facts.excluded
      gateways[facts.name] = gateway
    }
    for (name, gateway) in former.gateways where !plan.gateways.contains(where: { $0.name == name }) {
      gateways[name] = nil
      for (family, way) in gateway.ways where way != .ordinary {
        stranded.add(gateway.nets.filter { $0.family == family }, keeping: [], router: nil)
      }
    }
    (policies, policySets) = plan.table?.policies(plan.policies.map(\.name)) ?? ([], [])
    if policies != former.policies || policySets != former.policySets {
      for family in AddressFamily.allCases {
        let router = plan.gateways.contains(where: \.takesRouter)
        stranded.add(
          (house + former.house).filter { $0.family == family }, keeping: [], router: router ? family : nil)
      }
    }
    addresses = Set(plan.tunnels.flatMap { $0.addresses.map(\.address) })
    stranded.former = former.addresses.subtracting(addresses)
    stranded.fresh = addresses.subtracting(former.addresses)
    return stranded.isEmpty ? nil : stranded
  }
}

/// Which of the tracked connections have lost their way.
package struct StrandedFlows: Hashable, Sendable {
  private struct Group: Hashable, Sendable {
    var sources: [IPPrefix]
    var kept: [IPPrefix]
    /// The family in which the router's own connections are meant too.
    var router: AddressFamily?
  }

  private let house: [IPPrefix]
  private let own: Set<IPAddress>
  private var groups: [Group] = []
  /// Addresses that are ours no more.
  fileprivate(set) var former: Set<IPAddress> = []
  /// Addresses that are ours since this plan: what is hidden behind one has found its new way already.
  fileprivate(set) var fresh: Set<IPAddress> = []

  fileprivate init(house: [IPPrefix], own: Set<IPAddress>) {
    self.house = house
    self.own = own
  }

  var isEmpty: Bool { groups.isEmpty && former.isEmpty }

  /// - Parameter kept: destinations whose way is as before.
  fileprivate mutating func add(_ sources: [IPPrefix], keeping kept: [IPPrefix], router: AddressFamily?) {
    let group = Group(sources: sources.uniqued(), kept: kept, router: router)
    if !sources.isEmpty || router != nil, !groups.contains(group) { groups.append(group) }
  }

  /// - Parameters:
  ///   - source: who began it.
  ///   - answered: where the other end sends its answers: another address than `source` where that is hidden.
  package func contains(source: IPAddress, destination: IPAddress, answered: IPAddress) -> Bool {
    if former.contains(source) || former.contains(destination) || former.contains(answered) { return true }
    if fresh.contains(answered) { return false }
    guard !destination.isLinkLocal, !destination.isMulticast, !destination.isLoopback, !destination.isUnspecified,
      !destination.isLimitedBroadcast, !own.contains(destination), !house.contains(where: { $0.contains(destination) })
    else { return false }
    let isRouter = own.contains(source)
    return groups.contains { group in
      let isMeant = isRouter ? group.router == source.family : group.sources.contains { $0.contains(source) }
      return isMeant && !group.kept.contains { $0.contains(destination) }
    }
  }
}

extension IPAddress {
  fileprivate var isLimitedBroadcast: Bool {
    if case .v4(let address) = self { address.value == .max } else { false }
  }
}

extension NftTable {
  /// What decides about the ways of policies: their chains, and the sets that a configuration fills.
  fileprivate func policies(_ names: [TunnelName]) -> (chains: [NftChain], sets: [NftSet]) {
    var chains: [NftChain] = []
    var waiting: [NftName] = names.isEmpty ? [] : ["policies"]
    while let name = waiting.popLast() {
      guard !chains.contains(where: { $0.name == name }), let chain = chain(named: name) else { continue }
      chains.append(chain)
      waiting += chain.rules.flatMap(\.statements).compactMap { statement in
        switch statement {
        case .jump(let next), .goto(let next): next
        default: nil
        }
      }
    }
    let endings = names.map { "_\($0)" }
    let sets = sets.filter { set in
      if case .timed = set.elements { return false }
      return endings.contains { set.name.text.hasSuffix($0) }
    }
    return (chains, sets)
  }
}
