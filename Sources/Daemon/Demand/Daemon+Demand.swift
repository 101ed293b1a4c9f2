internal import Base
internal import ConfigDirectory
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
    case .rest: if former?.isUp == true { tell(tunnel, .down, at: now) }
    }
  }

  private func want(of tunnel: TunnelRun) -> Want {
    switch overrides.overrides[tunnel.name].wish {
    case .up: .up
    case .down, .paused: .rest(words: nil)
    case nil: tunnel.loaded.settings.isEnabled ? .up : .rest(words: nil)
    }
  }

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
