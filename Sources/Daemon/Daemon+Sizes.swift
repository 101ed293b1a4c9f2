internal import Base
internal import ConfigDirectory
internal import Exchange
internal import Gateway
internal import Profile
internal import Settings
internal import Supervisor

/// What is known of the sizes of packets that pass through one tunnel.
struct TunnelSizes {
  /// What decides about them: another of these is another search.
  struct Way: Hashable {
    var path: Path
    /// Of the uplink's device.
    var mtu: Int?
  }

  /// Bytes of the largest inner packet that passes on the way in use; `nil` = not known.
  var measured: Int?
  /// The kernel's last answer for the server.
  var path: Path?
  /// What the engine was last told to measure.
  var ordered: (attempt: Attempt, way: Way)?
  /// The server has answered on the newest way.
  var isProven = false
  var budget: Budget?
}

extension Daemon {
  /// After every turn of the loop: has the engine find out what passes, where that may be another size than before.
  func followSizes(at now: Instant) {
    for tunnel in runs { followSizes(of: tunnel, at: now) }
  }

  private func followSizes(of tunnel: TunnelRun, at now: Instant) {
    // The owner's own word ends it, and taking it back begins it anew.
    if tunnel.loaded.settings.mtu != nil { tunnel.sizes.ordered = nil }
    guard tunnel.supervisor.isUp, tunnel.loaded.settings.mtu == nil, let path = tunnel.sizes.path,
      let key = memoryKey(of: tunnel, path)
    else { return }
    let attempt = tunnel.supervisor.currentAttempt
    let way = TunnelSizes.Way(path: path, mtu: network.linkMTUs[path.device])
    if let ordered = tunnel.sizes.ordered, ordered.attempt == attempt {
      guard ordered.way != way else { return }
      // A session that moves is heard of first.
      if ordered.way.path != path, !tunnel.sizes.isProven { return }
    }
    let known = sizes[key]
    tunnel.sizes.ordered = (attempt, way)
    send(
      .measure(attempt, ceiling: UInt16(clamping: tunnel.state.plannedMTU), start: known.map { UInt16(clamping: $0) }),
      to: tunnel, at: now)
    // What passed here before holds until something else is found.
    if let known { adopt(known, for: tunnel, at: now) }
  }

  /// Notes what the kernel says of the way to the server.
  func note(_ path: Path?, of tunnel: TunnelRun) {
    if path != tunnel.sizes.path { tunnel.sizes.isProven = false }
    tunnel.sizes.path = path
  }

  /// A session begins: its network is made for what passed the last time.
  func recallSizes(of tunnel: TunnelRun, _ path: Path?) {
    let key = path.flatMap { memoryKey(of: tunnel, $0) }
    tunnel.sizes.measured = key.flatMap { sizes[$0] }
  }

  /// What an engine found: a stranger's number, which the plan keeps within its bounds.
  func take(mtu: UInt16, of tunnel: TunnelRun, at now: Instant) {
    guard tunnel.supervisor.isUp, tunnel.loaded.settings.mtu == nil, let path = tunnel.sizes.path,
      let key = memoryKey(of: tunnel, path)
    else { return }
    var budget = tunnel.sizes.budget ?? .sizes(at: now)
    let isAllowed = budget.take(1, at: now) == 1
    tunnel.sizes.budget = budget
    guard isAllowed else { return }
    sizes.remember(Int(mtu), for: key)
    adopt(Int(mtu), for: tunnel, at: now)
  }

  private func adopt(_ size: Int, for tunnel: TunnelRun, at now: Instant) {
    let before = tunnel.state.mtu
    tunnel.sizes.measured = size
    if tunnel.state.mtu != before { refreshNetwork(at: now) }
  }

  /// `nil` where nothing is measured: a TCP connection cuts its stream into segments that fit, whatever we put into it.
  private func memoryKey(of tunnel: TunnelRun, _ path: Path) -> MTUMemory.Key? {
    guard let remote = tunnel.supervisor.remote, let remotes = tunnel.loaded.profile?.remotes,
      remotes.indices.contains(remote.index), remotes[remote.index].transport == .udp
    else { return nil }
    return MTUMemory.Key(
      path, linkMTU: network.linkMTUs[path.device], server: remote.endpoint.address, transport: .udp)
  }
}
