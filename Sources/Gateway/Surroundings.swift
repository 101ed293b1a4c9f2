import Base
import Settings

/// What the snapshot says about the house and its ways out.
struct Surroundings {
  /// A net that this router stands in by one of its own devices.
  struct ConnectedNet: Hashable {
    var prefix: IPPrefix
    var device: DeviceName
  }

  /// Devices by which the world is or was reached, whichever table says so.
  let uplinks: Set<DeviceName>
  let lan: Set<DeviceName>
  /// LAN devices that are the uplink too: a router with one network card.
  var oneArmed: Set<DeviceName> { lan.intersection(uplinks) }
  /// LAN and WAN nets, without ours, link-local and loopback.
  let connected: [ConnectedNet]
  /// Routes of main for table L.
  let local: [Route]
  let hasIPv6: Bool
  /// Devices of uplinks whose IPv6 default came by router advertisement.
  let advertised: Set<DeviceName>
  let defaultGateways: [IPAddress]
  /// Uplinks with less room than the usual 1500 bytes, as PPPoE leaves it.
  let narrowUplinks: [(device: DeviceName, mtu: Int)]

  /// rtm_protocol of a route learned from a router advertisement (RTPROT_RA).
  private static let routerAdvertisement: UInt8 = 9

  init(snapshot: Snapshot, tunnels: [TunnelState], settings: Settings, formerUplinks: Set<DeviceName>) {
    let links = snapshot.links.filter(TunnelState.isOurs)
    let ours = Set(links.map(\.name)).union(tunnels.map(\.device)).union(tunnels.compactMap(\.second?.device))
    let lan = Set(settings.gateways.flatMap(\.lan))
    func isForeign(_ device: DeviceName?) -> Bool { device.map { !ours.contains($0) && $0.text != "lo" } ?? false }

    let defaults = snapshot.routes.filter {
      $0.origin != Route.ours && $0.kind == .unicast && $0.destination.isWorldwide && isForeign($0.device)
    }
    let uplinks = Set(defaults.compactMap(\.device)).union(formerUplinks.filter { isForeign($0) })
    self.uplinks = uplinks
    self.lan = lan
    hasIPv6 = snapshot.hasIPv6
    narrowUplinks = snapshot.links.filter { uplinks.contains($0.name) && $0.mtu < 1500 }.map { ($0.name, $0.mtu) }
    advertised = Set(
      defaults.filter { $0.destination.family == .ipv6 && $0.origin == Self.routerAdvertisement }.compactMap(\.device))
    defaultGateways = defaults.filter { $0.table == Route.mainTable }.sorted { $0.metric < $1.metric }
      .compactMap(\.gateway)

    connected = snapshot.addresses.filter { isForeign($0.device) && !$0.prefix.address.isLinkLocal }.map {
      ConnectedNet(prefix: $0.peer.map { IPPrefix.host($0) } ?? $0.prefix.network, device: $0.device)
    }.uniqued()

    local = Self.localRoutes(snapshot, lan: lan, uplinks: uplinks, isForeign: isForeign)
  }

  /// The nets behind these devices.
  func nets(of devices: [DeviceName]) -> [IPPrefix] {
    let routed = local.filter { route in route.device.map(devices.contains) ?? false }.map(\.destination)
    return (connected.filter { devices.contains($0.device) }.map(\.prefix) + routed).uniqued()
  }

  /// Connected nets and static routes whose device is not an uplink; of a LAN device that is the uplink as well only the
  /// connected nets, since a next hop there may be the way out. While no uplink is known any device may become one: then
  /// only the LANs count.
  private static func localRoutes(
    _ snapshot: Snapshot, lan: Set<DeviceName>, uplinks: Set<DeviceName>, isForeign: (DeviceName?) -> Bool
  ) -> [Route] {
    var places = Set<Route.Place>()
    return snapshot.routes.filter { route in
      guard route.table == Route.mainTable, route.origin != Route.ours, route.kind == .unicast,
        let device = route.device, isForeign(device), route.destination.length > 0,
        !route.destination.address.isLinkLocal, !route.destination.address.isMulticast,
        route.destination.family == .ipv4 || snapshot.hasIPv6
      else { return false }
      if lan.contains(device) { return route.gateway == nil || !uplinks.contains(device) }
      return !uplinks.isEmpty && !uplinks.contains(device)
    }
    // A next hop must be reachable when its route is added, so nets come before the routes through them.
    .sorted { ($0.gateway == nil ? 0 : 1, $0.destination) < ($1.gateway == nil ? 0 : 1, $1.destination) }
    .map { route in
      var copy = route
      copy.table = RoutingTables.local
      copy.origin = Route.ours
      return copy
    }
    .filter { places.insert($0.place).inserted }
  }

  /// Destinations that are inside the house.
  func inside(_ family: AddressFamily) -> [IPPrefix] {
    local.map(\.destination).filter { $0.family == family }.withoutOverlaps
  }

  func net(containing prefix: IPPrefix) -> ConnectedNet? { connected.first { $0.prefix.contains(prefix) } }
}

extension IPPrefix {
  /// A default or a part of one: a DHCP server may hand out two halves and no default beside them (option 121, RFC 3442),
  /// and all of IPv6 in use is 2000::/3.
  var isWorldwide: Bool { length <= (family == .ipv4 ? 1 : 3) }
}

extension Sequence where Element: Hashable {
  /// In order, each once.
  func uniqued() -> [Element] {
    var seen = Set<Element>()
    return filter { seen.insert($0).inserted }
  }
}
