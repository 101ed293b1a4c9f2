internal import Base
internal import ConfigDirectory
internal import Crypto
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

/// Whether a tunnel is wanted: the owner's word first, then the rules of the configuration, then `enabled`.
enum Want: Hashable {
  case up
  /// - words: the rule that says so; `nil` = the owner, or `enabled`.
  case rest(words: String?)

  var isUp: Bool { self == .up }
}

extension Daemon {
  /// Tells a tunnel's reducer what is wanted of it now, when that is another thing than before.
  func followWant(of tunnel: TunnelRun, at now: Instant) {
    guard stopBy == nil else { return }
    let former = wants[tunnel.name]
    let next = want(of: tunnel)
    wants[tunnel.name] = next
    switch next {
    case .up: if former?.isUp != true { tell(tunnel, .up, at: now) }
    case .rest(let words): if former != next { tell(tunnel, .rest(words.map { .demand($0) } ?? .owner), at: now) }
    }
  }

  private func want(of tunnel: TunnelRun) -> Want {
    switch overrides.overrides[tunnel.name].wish {
    case .up: return .up
    case .down, .paused: return .rest(words: nil)
    case nil: break
    }
    guard tunnel.loaded.settings.isEnabled else { return .rest(words: nil) }
    switch OnDemand.verdict(settings.onDemand, for: tunnel.name, in: demand.surroundings) {
    case .none, .rule(.connect, _): return .up
    case .rule(.disconnect, let words): return .rest(words: words)
    case .rule(.ignore, let words): return wants[tunnel.name] == .up ? .up : .rest(words: words)
    case .undecided: return wants[tunnel.name] ?? .rest(words: "waiting to know the uplink")
    }
  }

  // MARK: Rules on demand

  /// The uplink or the rules may be others than before.
  func followDemand(at now: Instant) {
    guard stopBy == nil else { return }
    demand.readings = network.readings
    let uplink = settings.onDemand.isEmpty ? nil : uplinkNow
    // The kernel's answer is newer than what was read of the devices, and says less.
    let read = network.surface.addresses.filter { $0.device == uplink?.device }.map(\.prefix.address)
    let own = Set(read + [uplink?.source].compactMap { $0 })
    _ = demand.see(uplink, own.sorted(), targets: reachTargets, at: now)
    followWants(at: now)
  }

  /// Every change of the network makes it be read anew; and goes on with asking who is there.
  func proceedWithDemand(at now: Instant) {
    if demand.readings != network.readings { followDemand(at: now) }
    guard stopBy == nil, let due = demand.due, due <= now else { return }
    let token = UInt16(truncatingIfNeeded: RandomSource.system.uint64())
    if demand.proceed(reachTargets, mark: marks.own, token: token, at: now) { followWants(at: now) }
  }

  private func followWants(at now: Instant) {
    for tunnel in tunnels {
      let former = wants[tunnel.name]
      followWant(of: tunnel, at: now)
      guard wants[tunnel.name] != former else { continue }
      switch wants[tunnel.name] {
      case .rest(let words?): log.log(.info, "on demand: \(words)", of: tunnel.name.text, at: now)
      case .up: log.log(.info, "on demand: connect", of: tunnel.name.text, at: now)
      case .rest, nil: break
      }
    }
  }

  private var uplinkNow: Uplink? { anyPath.map { Uplink(path: $0, kind: DeviceFiles.kind(of: $0.device)) } }

  private var reachTargets: Set<ReachTarget> {
    Set(settings.onDemand.filter { !$0.isBroken }.flatMap(\.reachable).prefix(ReachRound.mostTargets))
  }

  // MARK: What outlives a restart

  /// The remote that the owner chose, as the profile has it now.
  func followChosenRemote(of tunnel: TunnelRun, at now: Instant) {
    guard let remote = overrides.overrides[tunnel.name].remote, let remotes = tunnel.loaded.profile?.remotes else {
      return
    }
    guard let position = remote.position(in: remotes) else {
      log.log(
        .warning, "the profile no longer has the chosen remote \(remote): its own order counts again",
        of: tunnel.name.text, at: now)
      _ = overrides.change(tunnel.name) { $0.remote = nil }
      tell(tunnel, .use(remote: nil), at: now)
      return
    }
    tell(tunnel, .use(remote: position), at: now)
  }

  func endPauses(at now: Instant) {
    guard let end = overrides.overrides.nextEnd, end <= now else { return }
    let over = overrides.endPauses(at: now)
    for tunnel in tunnels where over.contains(tunnel.name) {
      log.log(.info, "the pause is over", of: tunnel.name.text, at: now)
      followWant(of: tunnel, at: now)
    }
    refreshNetwork(at: now)
  }
}
