import Base
import Settings

extension Situation {
  /// T of every tunnel, then P, then L.
  func routes(_ pushed: PushedTable) -> [Route] {
    tunnels.flatMap(tunnelTable) + pushed.routes + (tunnels.isEmpty ? [] : surroundings.local)
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

  /// Table P, and the tables of what found its place in it taken.
  struct PushedTable {
    var routes: [Route] = []
    /// Tunnels with a destination whose place another one has; those are in their own table.
    var displaced: Set<TunnelName> = []
    var warnings: [String] = []
  }

  /// Pushed and configured routes of all tunnels. Many a provider gives every client the same net: the place in P belongs to
  /// the first tunnel that serves a gateway, before those in reserve; the LANs of the others ask their own table before.
  var pushedTable: PushedTable {
    var table = PushedTable()
    var places: [Route.Place: TunnelName] = [:]
    let usable = tunnels.filter { $0.isConfigured && $0.fault == nil && $0.state.wantsDevice }
    for tunnel in usable.filter(isServing) + usable.filter({ !isServing($0) }) {
      var placed = PrefixIndex()
      var displaced = PrefixIndex()
      for target in tunnel.targets where families.contains(target.prefix.family) {
        var route = Route(
          destination: target.prefix, device: tunnel.state.device, table: RoutingTables.pushed, metric: target.metric)
        if let owner = places[route.place] {
          guard isGoverned(tunnel) else {
            table.warnings.append(
              "\(tunnel.state.name): the route to \(route.destination) is skipped, \(owner) has it already")
            continue
          }
          route.table = RoutingTables.own(tunnel.state.index)
          table.displaced.insert(tunnel.state.name)
          displaced.insert(target.prefix)
        } else {
          places[route.place] = tunnel.state.name
          placed.insert(target.prefix)
        }
        table.routes.append(route)
      }
      // The house and the exceptions keep their way inside a wider route of this tunnel.
      let holes = (surroundings.connected.map(\.prefix) + families.flatMap { exceptions(of: tunnel, $0) }).uniqued()
      for hole in holes {
        let route = Route(destination: hole, kind: .throwing, table: RoutingTables.pushed)
        if placed.hasAround(hole), places[route.place] == nil {
          places[route.place] = tunnel.state.name
          table.routes.append(route)
        }
        if displaced.hasAround(hole) {
          var own = route
          own.table = RoutingTables.own(tunnel.state.index)
          table.routes.append(own)
        }
      }
    }
    return table
  }

  /// True for a tunnel that no gateway merely keeps in reserve.
  private func isServing(_ tunnel: TunnelNetwork) -> Bool {
    !isGoverned(tunnel) || gateways.contains { $0.active?.state.name == tunnel.state.name }
  }

  private func isGoverned(_ tunnel: TunnelNetwork) -> Bool {
    gateways.contains { $0.settings.tunnels.contains(tunnel.state.name) }
  }
}
