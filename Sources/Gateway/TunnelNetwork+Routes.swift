import Base
import Profile

extension TunnelNetwork {
  mutating func setRoutes(_ options: TunnelOptions, _ surroundings: Surroundings) {
    guard !(state.profile?.routeNoExec ?? false) else { return }
    var wanted: [Target] = []
    for route in options.routes {
      guard let prefix = destination(of: route, surroundings) else { continue }
      // Without an address of the family there is no source to send from; why it is missing has been said already.
      guard addresses.contains(where: { $0.prefix.family == prefix.family }) else { continue }
      switch way(of: route, to: prefix, surroundings) {
      case .tunnel: wanted.append(Target(prefix: prefix, metric: route.metric ?? options.routeMetric ?? 0))
      case .ordinary: exceptions.append(prefix)
      case .refused: continue
      }
    }
    for family in AddressFamily.allCases where Self.isEverything(wanted.map(\.prefix), family) {
      if family == .ipv4 { redirects4 = true } else { redirects6 = true }
      // The default goes into T, where the gateway's and the router's own rules lead.
      wanted.removeAll { $0.prefix.family == family && $0.prefix.length <= (family == .ipv4 ? 1 : 3) }
    }
    for target in wanted { addUnlessInside(target, surroundings) }
  }

  private enum Way { case tunnel, ordinary, refused }

  private mutating func way(of route: RouteOption, to prefix: IPPrefix, _ surroundings: Surroundings) -> Way {
    switch route.gateway {
    case .vpn: return .tunnel
    case .net:
      guard !route.isPushed || prefix.length >= 8 else {
        warn("the server wants \(prefix) outside the tunnel: refused, it is half the internet")
        return .refused
      }
      return .ordinary
    case .address(let gateway):
      // On a tun device a next hop has no meaning; it only tells which side is meant.
      if nets.contains(where: { $0.contains(gateway) }) { return .tunnel }
      guard let net = surroundings.net(containing: .host(gateway)) else { return .tunnel }
      warn("the route to \(prefix) by \(gateway) is refused: that is a net of this router (\(net.device))")
      return .refused
    }
  }

  private mutating func destination(of route: RouteOption, _ surroundings: Surroundings) -> IPPrefix? {
    switch route.destination {
    case .prefix(let prefix): return prefix.network
    case .vpnGateway:
      return (route.family == .ipv4 ? gateway4.map { .v4($0) } : gateway6.map { .v6($0) }).map(IPPrefix.host)
    case .netGateway: return surroundings.defaultGateways.first { $0.family == route.family }.map(IPPrefix.host)
    case .remoteHost: return state.serverAddress.flatMap { $0.family == route.family ? IPPrefix.host($0) : nil }
    case .name(let name):
      warn("the route to the name \(name) is skipped: write its address")
      return nil
    }
  }

  /// Puts a destination into P, unless the house itself lives there.
  private mutating func addUnlessInside(_ target: Target, _ surroundings: Surroundings) {
    if let net = surroundings.net(containing: target.prefix) {
      return warn(
        "the route to \(target.prefix) is refused: it is \(net.prefix) on \(net.device), a net of this router")
    }
    add(target)
  }

  /// The server's resolvers are reached through the tunnel whatever else is routed (G-24). `dns server` counts before
  /// `dhcp-option` (P-18).
  mutating func setResolvers(_ options: DNSOptions, _ surroundings: Surroundings) {
    let listed = options.servers.sorted { $0.priority < $1.priority }
    if listed.isEmpty {
      let usable = options.addresses.map { Endpoint(address: $0, port: 53) }.uniqued()
        .filter { takeResolver($0, surroundings) }
      if !usable.isEmpty { nameServers = [NameService.Forwarder(usable)] }
    } else {
      nameServers = listed.compactMap { server in
        let usable = server.addresses.filter { takeResolver($0, surroundings) }
        return usable.isEmpty ? nil : NameService.Forwarder(usable, for: server.domains)
      }
    }
    resolvers = nameServers.flatMap(\.servers).uniqued()
  }

  /// - Returns: false when the address cannot be one of the far side.
  private mutating func takeResolver(_ server: Endpoint, _ surroundings: Surroundings) -> Bool {
    let address = server.address
    guard address.family == .ipv4 || surroundings.hasIPv6 else { return false }
    guard !address.isLoopback, !address.isUnspecified, !address.isLinkLocal, !address.isMulticast else {
      warn("the server's resolver \(address) is not used: it is no address of the far side")
      return false
    }
    guard surroundings.net(containing: .host(address)) == nil else {
      warn("the server's resolver \(address) is not used: it lies in a net of this router")
      return false
    }
    if addresses.contains(where: { $0.prefix.family == address.family }),
      !targets.contains(where: { $0.prefix.contains(address) })
    {
      add(Target(prefix: .host(address)))
    }
    return true
  }
}
