import Base
import Settings

extension Situation {
  /// T of every tunnel, then P, then L.
  func routes(warnings: inout [String]) -> [Route] {
    tunnels.flatMap(tunnelTable) + pushedTable(&warnings) + (tunnels.isEmpty ? [] : surroundings.local)
  }

  private func tunnelTable(_ tunnel: TunnelNetwork) -> [Route] {
    let table = RoutingTables.tunnel(tunnel.state.index)
    var routes: [Route] = []
    for family in families {
      // Below everything else and there from start to stop: what finds no way into the tunnel finds none at all.
      routes.append(
        Route(
          destination: .everything(family), kind: .unreachable, table: table, metric: RoutingTables.lastMetric))
      if tunnel.carries(family), tunnel.state.wantsDevice {
        routes.append(Route(destination: .everything(family), device: tunnel.state.device, table: table))
      }
      routes += exceptions(of: tunnel, family).map { Route(destination: $0, kind: .throwing, table: table) }
    }
    return routes
  }

  /// `throw` lets the next rules decide, so an exception follows the uplink by itself.
  private func exceptions(of tunnel: TunnelNetwork, _ family: AddressFamily) -> [IPPrefix] {
    let excluded = gateways.filter { gateway in gateway.tunnels.contains { $0.state.name == tunnel.state.name } }
      .flatMap { $0.settings.excluded.filter { $0.length > 0 } }
    return (tunnel.exceptions + excluded).map(\.network).filter { $0.family == family }.uniqued()
  }

  private func pushedTable(_ warnings: inout [String]) -> [Route] {
    var routes: [Route] = []
    var places: [Route.Place: TunnelNetwork] = [:]
    func add(_ route: Route, of tunnel: TunnelNetwork) {
      if let owner = places[route.place] {
        if route.kind == .unicast, owner.state.name != tunnel.state.name {
          warnings.append(
            "\(tunnel.state.name): the route to \(route.destination) is skipped, \(owner.state.name) has it already")
        }
        return
      }
      places[route.place] = tunnel
      routes.append(route)
    }
    for tunnel in tunnels where tunnel.isConfigured && tunnel.fault == nil && tunnel.state.wantsDevice {
      let targets = tunnel.targets.filter { families.contains($0.prefix.family) }
      for target in targets {
        add(
          Route(
            destination: target.prefix, device: tunnel.state.device, table: RoutingTables.pushed, metric: target.metric),
          of: tunnel)
      }
      // The house and the exceptions keep their way inside a wider route of this tunnel.
      let connected = surroundings.connected.map(\.prefix)
      for hole in (connected + families.flatMap { exceptions(of: tunnel, $0) }).uniqued()
      where targets.contains(where: { $0.prefix.contains(hole) && $0.prefix != hole }) {
        add(Route(destination: hole, kind: .throwing, table: RoutingTables.pushed), of: tunnel)
      }
    }
    return routes
  }
}
