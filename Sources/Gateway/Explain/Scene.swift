package import Base
import Profile
package import Settings

/// What stands in the timed sets, by the name of the set, with the time that each element has left (`nil` = it stays).
package typealias LiveSets = [NftName: [TimedElement.Value: Duration?]]

/// What of the kernel decides about a packet beside a plan.
package struct Standing: Hashable, Sendable {
  package var snapshot: Snapshot
  package var neighbours: [Neighbour]
  package var live: LiveSets

  package init(snapshot: Snapshot, neighbours: [Neighbour] = [], live: LiveSets = [:]) {
    self.snapshot = snapshot
    self.neighbours = neighbours
    self.live = live
  }
}

/// Everything that decides about a packet at one moment: the plan that stands, and what it stands in.
package struct Scene: Sendable {
  package var settings: Settings
  /// `NetworkPlan()` = nothing of ours stands.
  package var plan: NetworkPlan
  package var snapshot: Snapshot
  package var neighbours: [Neighbour]
  package var live: LiveSets

  private let chains: [NftName: NftChain]
  private let sets: [NftName: NftSet.Elements]
  private let routes: [UInt32: [Route]]
  private let own: Set<IPAddress>

  package init(settings: Settings, plan: NetworkPlan, in standing: Standing) {
    self.settings = settings
    self.plan = plan
    snapshot = standing.snapshot
    neighbours = standing.neighbours
    live = standing.live
    let snapshot = standing.snapshot
    let table = plan.table
    chains = Dictionary((table?.chains ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    sets = Dictionary((table?.sets ?? []).map { ($0.name, $0.elements) }, uniquingKeysWith: { first, _ in first })
    // What of ours stands beside the plan is about to go.
    let foreign = snapshot.routes.filter { $0.origin != Route.ours }
    routes = Dictionary(grouping: foreign + plan.routes, by: \.table)
    own = Set((snapshot.addresses + plan.addresses).map(\.prefix.address))
  }

  // MARK: The firewall

  /// Base chains of one place, in the order packets pass them.
  func chains(at place: NftHook.Place) -> [NftChain] {
    let all = plan.table?.chains.filter { $0.hook?.place == place } ?? []
    return all.sorted { ($0.hook?.order ?? 0) < ($1.hook?.order ?? 0) }
  }

  func chain(_ name: NftName) -> NftChain? { chains[name] }

  func contains(_ set: NftName, _ device: DeviceName) -> Bool {
    if case .devices(let devices)? = sets[set], devices.contains(device) { return true }
    return live[set]?[.device(device)] != nil
  }

  func contains(_ set: NftName, _ address: IPAddress) -> Bool {
    if case .prefixes(_, let prefixes)? = sets[set], prefixes.contains(where: { $0.contains(address) }) { return true }
    return live[set]?[.address(address)] != nil
  }

  func contains(_ set: NftName, _ mac: MACAddress) -> Bool {
    if case .macs(let addresses)? = sets[set] { return addresses.contains(mac) }
    return false
  }

  /// True for a set that holds the addresses of names, when one of its domains is this one or above it.
  func names(_ set: NftName, cover domain: DomainName) -> Bool {
    settings.policyDomains.contains { entry in
      AddressFamily.allCases.contains(where: { entry.set($0).name == set })
        && entry.covers(domain)
    }
  }

  // MARK: The way

  /// Ours as planned and everybody else's, in the order the kernel asks them.
  func rules(_ family: AddressFamily) -> [Rule] {
    let foreign = snapshot.rules.filter { $0.origin != Route.ours }
    let all = (foreign + plan.rules).filter { $0.family == family }
    return all.enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
      .map(\.element)
  }

  /// The longest prefix, then the lowest metric.
  func route(to address: IPAddress, in table: UInt32) -> Route? {
    (routes[table] ?? []).filter { $0.destination.contains(address) }
      .min { ($1.destination.length, $0.metric) < ($0.destination.length, $1.metric) }
  }

  /// True for the router's own addresses, broadcast and multicast: what `fib daddr type` calls local and its like.
  func isForRouter(_ address: IPAddress) -> Bool {
    if own.contains(address) || address.isLoopback || address.isMulticast { return true }
    // A router forwards nothing to a link-local address (RFC 4291 section 2.5.6); of IPv4 it does.
    guard case .v4(let address) = address else { return address.isLinkLocal }
    if address.value == .max { return true }
    return snapshot.addresses.contains { entry in
      guard case .v4(let network) = entry.prefix.network.address, entry.prefix.length < 31 else { return false }
      return address.value == network.value | ~IPv4Address.netmask(entry.prefix.length).value
    }
  }

  /// The router's first address of the family on a device.
  func ownAddress(on device: DeviceName?, _ family: AddressFamily) -> IPAddress? {
    snapshot.addresses.first { $0.device == device && $0.prefix.family == family }?.prefix.address
  }

  func isOwn(_ address: IPAddress) -> Bool { own.contains(address) || address.isLoopback }

  func tunnel(of device: DeviceName) -> TunnelName? {
    settings.tunnels.first { tunnel in
      tunnel.device == device
        || plan.devices.contains { $0.name == device && $0.alias == TunnelState.alias(of: tunnel.name) }
    }?.name
  }

  func gateway(of lan: DeviceName?) -> GatewaySettings? {
    settings.gateways.first { gateway in lan.map(gateway.lan.contains) ?? (gateway.scope == .all) }
  }
}

extension PolicyDomains {
  /// A domain means its subdomains too.
  func covers(_ domain: DomainName) -> Bool {
    domains.contains { domain == $0 || domain.text.hasSuffix("." + $0.text) }
  }
}
