internal import Base
package import Profile
internal import Settings

extension TunnelState {
  /// Every IPv4 host takes it (RFC 791).
  private static let smallest = 576
  /// Headers of IPv6 and TCP, and some bytes to carry: less is no size of a packet.
  private static let smallestForTCP = 160

  /// The tunnel's own options and those of the server.
  package var options: TunnelOptions {
    let own = profile?.tunnel ?? TunnelOptions()
    return pushed.map { TunnelOptions.merged(local: own, pushed: $0.tunnel) } ?? own
  }

  /// The one that the running attempt speaks to; before it, the first.
  private var remote: Remote? {
    guard let remotes = profile?.remotes else { return nil }
    guard let remoteIndex, remotes.indices.contains(remoteIndex) else { return remotes.first }
    return remotes[remoteIndex]
  }

  /// The owner's word, else the server's, else the profile's; a tun carries no more than the profile's maximum.
  package var plannedMTU: Int {
    let wanted = settings.mtu ?? options.mtu ?? remote?.tunMTU ?? Self.usual
    return min(max(wanted, Self.smallest), max(remote?.tunMTUMaximum ?? 1600, Self.usual))
  }

  private static let usual = 1500

  /// What was measured counts below that, but not below the owner's own word.
  package var mtu: Int {
    guard settings.mtu == nil, let measuredMTU else { return plannedMTU }
    return min(max(measuredMTU, Self.smallest), plannedMTU)
  }

  /// Bytes of the largest packet that TCP of the LAN should make in this tunnel: what the device carries, or less where
  /// `mssfix` says so.
  ///
  /// Without a word of the profile OpenVPN supposes a path (protocol.md section 10.2). That is for as long as nobody knows:
  /// what was measured counts instead, and a `tun-mtu` of another size than the usual is somebody's word.
  ///
  /// - Parameter uplink: the smallest MTU of the ways out.
  package func largestTCPPacket(uplink: Int?) -> Int {
    guard let remote, let overhead = overhead(over: remote) else { return mtu }
    let isKnown = settings.mtu == nil && measuredMTU != nil
    if remote.mssFix == .standard, isKnown || mtu != Self.usual { return mtu }
    let path = min(MSSFix.usualPath, uplink ?? MSSFix.usualPath)
    guard let size = remote.mssFix.largestPacket(overhead, path: path) else { return mtu }
    return min(mtu, max(size, Self.smallestForTCP))
  }

  /// What the session that is agreed on puts around its packets; `nil` while there is none.
  private func overhead(over remote: Remote) -> PacketOverhead? {
    guard let profile, let pushed else { return nil }
    let cipher = pushed.cipher ?? profile.dataCipherFallback ?? profile.cipher ?? profile.dataCiphers.first
    return PacketOverhead(
      peerID: pushed.peerID, usesEpochs: pushed.epochDataFormat,
      compression: pushed.compression ?? profile.compression ?? .none, hasFragments: remote.fragment != nil,
      isStream: remote.transport == .tcp, cipher: cipher ?? .aes256GCM, auth: pushed.auth ?? profile.auth,
      outer: serverAddress?.family ?? remote.family ?? .ipv4)
  }
}
