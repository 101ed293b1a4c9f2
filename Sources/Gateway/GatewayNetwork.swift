import Base
import Settings

/// What one gateway section means at this moment, by family.
struct GatewayNetwork {
  /// What happens to a packet of the LAN that leaves the house.
  enum Verdict: Hashable {
    /// It takes the ordinary way: the section does not cover it.
    case ordinary
    /// It goes into the active tunnel.
    case tunnel
    /// It is refused: nothing carries it now.
    case refused
  }

  let settings: GatewaySettings
  /// In order of preference.
  let tunnels: [TunnelNetwork]
  let active: TunnelNetwork?
  /// Destinations that keep the ordinary way.
  let excluded: [IPPrefix]

  /// - Parameter choice: the tunnel that serves it; `nil` = the first that is up.
  init(_ settings: GatewaySettings, tunnels: [TunnelNetwork], choice: TunnelName?) {
    self.settings = settings
    self.tunnels = settings.tunnels.compactMap { name in tunnels.first { $0.state.name == name } }
    let chosen =
      self.tunnels.first { $0.state.name == choice }
      ?? self.tunnels.first { $0.state.isUp && $0.fault == nil }
      ?? self.tunnels.first { $0.isConfigured && $0.fault == nil } ?? self.tunnels.first
    active = chosen
    let own = settings.excluded.filter { $0.length > 0 }
    excluded = (own + (chosen?.exceptions ?? [])).map(\.network).uniqued()
  }

  var isArmed: Bool { settings.killSwitch != .off }

  var lan: [DeviceName] { settings.lan.uniqued() }

  /// True when the section sends everything of the family into the tunnel, be it up or not.
  func coversEverything(_ family: AddressFamily) -> Bool {
    if family == .ipv6, settings.ipv6 == .bypass { return false }
    guard isArmed || (active?.state.isUp ?? false) else { return false }
    if settings.routes == .all { return true }
    return (active?.redirects(family) ?? false) || (family == .ipv6 && (active?.blocksIPv6 ?? false))
  }

  func verdict(_ family: AddressFamily) -> Verdict {
    guard coversEverything(family) else { return .ordinary }
    if family == .ipv6, settings.ipv6 == .block { return .refused }
    return active?.carries(family) ?? false ? .tunnel : .refused
  }

  /// True while the network of the tunnel stands and its far end is gone for longer than a gap.
  func isWaiting(_ family: AddressFamily) -> Bool {
    verdict(family) == .tunnel && !(active?.state.isUp ?? false)
  }

  var flowWays: [AddressFamily: FlowWay] {
    var ways: [AddressFamily: FlowWay] = [:]
    for family in AddressFamily.allCases {
      ways[family] =
        switch verdict(family) {
        case .ordinary: .ordinary
        case .refused: .refused
        case .tunnel:
          active.map { tunnel in
            .tunnel(
              tunnel.state.name, addresses: tunnel.addresses.map(\.prefix).filter { $0.family == family })
          }
        }
    }
    return ways
  }

  /// Table the LAN is sent to; `nil` when no tunnel exists, and then the rule itself refuses.
  func action(_ family: AddressFamily) -> Rule.Action {
    guard let active, !(family == .ipv6 && settings.ipv6 == .block) else { return .unreachable }
    return .lookup(RoutingTables.tunnel(active.state.index))
  }
}
