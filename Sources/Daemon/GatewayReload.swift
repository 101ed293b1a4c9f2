internal import Base
package import Settings

/// What a configuration that was read again may change about the gateways: an error in it opens no LAN that was closed.
package enum GatewayReload {
  /// - Parameters:
  ///   - fresh: as read now.
  ///   - broken: those of `fresh` that have an error.
  ///   - hasErrors: anywhere; a gateway that is missing may then be one that could not be read.
  ///   - former: as in use.
  /// - Returns: the gateways to use, and those whose old protection was kept.
  package static func merge(
    _ fresh: [GatewaySettings], broken: Set<TunnelName>, hasErrors: Bool, former: [GatewaySettings]
  ) -> (gateways: [GatewaySettings], heldClosed: [TunnelName]) {
    var gateways = fresh
    var held: [TunnelName] = []
    for old in former where old.killSwitch != .off {
      guard let index = gateways.firstIndex(where: { $0.name == old.name }) else {
        guard hasErrors else { continue }
        gateways.append(old)
        held.append(old.name)
        continue
      }
      // Its LAN may be what could not be read. `kill_switch 'off'` in so many words counts.
      guard broken.contains(old.name), gateways[index].killSwitch != .off else { continue }
      let lan = gateways[index].lan
      gateways[index] = old
      gateways[index].lan += lan.filter { !old.lan.contains($0) }
      held.append(old.name)
    }
    return (gateways, held)
  }
}
