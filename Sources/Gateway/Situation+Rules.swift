import Base
import Profile
import Settings

extension Situation {
  /// The rule band; the order of the rows is the order of decisions.
  func rules(_ pushed: PushedTable) -> [Rule] { families.flatMap { rules($0, pushed) } }

  private func rules(_ family: AddressFamily, _ pushed: PushedTable) -> [Rule] {
    var rows: [Rule] = []
    func row(_ place: UInt32, _ action: Rule.Action, _ change: (inout Rule) -> Void = { _ in }) {
      var rule = Rule(family: family, priority: settings.globals.rulePriority + place, action: action)
      change(&rule)
      if rule.mark != nil { rule.markMask = marks.mask }
      rows.append(rule)
    }
    let main = Rule.Action.lookup(Route.mainTable)
    let loopback = DeviceName("lo")

    // Our transport and our lookups, whatever the tunnels say: never a host route to the server.
    row(RuleRow.own, main) { $0.mark = marks.own }
    // Answers of connections that began at an uplink; without a way there they end, and never take the tunnel.
    row(RuleRow.wan, main) { $0.mark = marks.wan }
    row(RuleRow.wanFallback, .unreachable) { $0.mark = marks.wan }
    // Policies refuse in nft, at once; what another program marks so ends here.
    row(RuleRow.blocked, .unreachable) { $0.mark = marks.blocked }
    // The router's own lease (RFC 2131 and RFC 8415, ports of client and server).
    row(RuleRow.lease, main) {
      $0.inputDevice = loopback
      $0.ipProtocol = IPProtocol.udp.number
      $0.sourcePorts = .init(family == .ipv4 ? 68 : 546)
      $0.destinationPorts = .init(family == .ipv4 ? 67 : 547)
    }
    if clockIsUnset {
      row(RuleRow.clock, main) {
        $0.inputDevice = loopback
        $0.ipProtocol = IPProtocol.udp.number
        $0.destinationPorts = .init(123)
      }
    }
    row(RuleRow.local, .lookup(RoutingTables.local))
    for tunnel in standing {
      row(RuleRow.marked, .lookup(RoutingTables.tunnel(tunnel.state.index))) {
        $0.mark = marks.tunnel(tunnel.state.index)
      }
    }
    // nft needs some 20 ms: until its rules stand, the LAN waits here while the tunnel is made beside it.
    if awaitsFirewall {
      for device in Set(gateways.flatMap(\.lan)).sorted() {
        row(RuleRow.waiting, .unreachable) { $0.inputDevice = device }
      }
    }
    // What several tunnels have goes, from each gateway, into its own.
    for tunnel in tunnels where pushed.displaced.contains(tunnel.state.name) {
      for device in devices(servedBy: tunnel).sorted() {
        row(RuleRow.displaced, .lookup(RoutingTables.own(tunnel.state.index))) { $0.inputDevice = device }
      }
    }
    row(RuleRow.pushed, .lookup(RoutingTables.pushed)) {
      $0.mark = marks.own
      $0.isInverted = true
    }
    if opensBetweenLANs {
      for device in surroundings.lan.sorted() {
        row(RuleRow.betweenLANs, main) {
          $0.inputDevice = device
          // A default route comes as 0.0.0.0/1 too (DHCP option 121).
          $0.suppressedLength = 7
        }
      }
    }
    for gateway in gateways where gateway.coversEverything(family) {
      for device in gateway.lan { row(RuleRow.gateway, gateway.action(family)) { $0.inputDevice = device } }
    }
    if isBeforeNetwork {
      // T would keep the router from answering its LANs, which L does not name yet; `guard_output` closes its ways.
    } else if let gateway = routerGateway, gateway.coversEverything(family) {
      if openings.router.contains(family) { return rows }
      // A strict rp_filter looks for the way back to who asks by ARP as for a packet of the router's own, without a mark
      // (fib_validate_source in net/ipv4/fib_frontend.c). What the router sends there is refused by `guard_output`.
      if family == .ipv4 {
        for net in uplinkNets {
          row(RuleRow.uplinkNets, main) {
            $0.inputDevice = loopback
            $0.destination = net
          }
        }
      }
      row(RuleRow.router, gateway.action(family)) {
        $0.mark = marks.own
        $0.isInverted = true
      }
    } else if let tunnel = routerTunnel(family) {
      // When main knows no way for our transport any more, the tunnel is none either.
      row(RuleRow.routerOwn, .unreachable) { $0.mark = marks.own }
      row(RuleRow.router, .lookup(RoutingTables.tunnel(tunnel.state.index))) { $0.inputDevice = loopback }
    }
    return rows
  }

  /// IPv4 nets that uplinks stand in.
  private var uplinkNets: [IPPrefix] {
    let nets = surroundings.connected.filter { surroundings.uplinks.contains($0.device) }.map(\.prefix)
    return Set(nets.filter { $0.family == .ipv4 }).sorted()
  }

  /// The LANs that are sent into this tunnel; with scope `all` the router itself comes in by lo.
  private func devices(servedBy tunnel: TunnelNetwork) -> Set<DeviceName> {
    let served = gateways.filter { $0.active?.state.name == tunnel.state.name }
    return Set(served.flatMap { $0.lan + ($0.settings.scope == .all ? [DeviceName("lo")].compactMap(\.self) : []) })
  }

  /// The tunnel without a gateway that asks for the router's own default.
  func routerTunnel(_ family: AddressFamily) -> TunnelNetwork? {
    ungoverned.first { tunnel in
      guard tunnel.isConfigured, tunnel.fault == nil, tunnel.state.wantsDevice,
        !(tunnel.state.profile?.routeNoExec ?? false)
      else { return false }
      return (tunnel.redirects(family) && tunnel.carries(family)) || (family == .ipv6 && tunnel.blocksIPv6)
    }
  }
}
