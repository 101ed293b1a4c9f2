package import Profile
internal import Settings

extension TunnelState {
  /// Every IPv4 host takes it (RFC 791).
  private static let smallest = 576

  /// The tunnel's own options and those of the server.
  package var options: TunnelOptions {
    let own = profile?.tunnel ?? TunnelOptions()
    return pushed.map { TunnelOptions.merged(local: own, pushed: $0.tunnel) } ?? own
  }

  /// The owner's word, else the server's, else the profile's; a tun carries no more than the profile's maximum.
  package var plannedMTU: Int {
    let remote = profile?.remotes.first
    let wanted = settings.mtu ?? options.mtu ?? remote?.tunMTU ?? 1500
    return min(max(wanted, Self.smallest), max(remote?.tunMTUMaximum ?? 1600, 1500))
  }

  /// What was measured counts below that, but not below the owner's own word.
  package var mtu: Int {
    guard settings.mtu == nil, let measuredMTU else { return plannedMTU }
    return min(max(measuredMTU, Self.smallest), plannedMTU)
  }
}
