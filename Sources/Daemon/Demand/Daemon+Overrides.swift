internal import Base
internal import ConfigDirectory
internal import Control
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

/// `adit up`, `down`, `pause`, `resume`, `reconnect` and `use`.
extension Daemon {
  func up(_ tunnel: TunnelRun, at now: Instant) -> Reply {
    guard stopBy == nil else { return .refused(Reply.Refusal(.notNow, "the daemon is stopping")) }
    log.log(.info, "up, as asked", of: tunnel.name.text, at: now)
    keep(tunnel, at: now) { $0.wish = .up }
    wants[tunnel.name] = .up
    // Told in any case: it cuts a pause between attempts short.
    tell(tunnel, .up, at: now)
    refreshNetwork(at: now)
    return .done
  }

  func down(_ tunnel: TunnelRun, at now: Instant) -> Reply {
    log.log(.info, "down, as asked", of: tunnel.name.text, at: now)
    keep(tunnel, at: now) { $0.wish = .down }
    wants[tunnel.name] = .rest(words: nil)
    tell(tunnel, .down, at: now)
    return .said("\(tunnel.name) is down" + consequences(of: tunnel))
  }

  func pause(_ tunnel: TunnelRun, for span: Duration?, at now: Instant) -> Reply {
    let isPaused = if case .paused = overrides.overrides[tunnel.name].wish { true } else { false }
    guard isPaused || wants[tunnel.name] == .up else {
      let words = "\(tunnel.name) is not up, so there is nothing to pause"
      return .refused(Reply.Refusal(.notNow, words))
    }
    let wall = Clock.wallTime
    let until = span.map { " until \(LocalClock.text(wall + $0, now: wall))" } ?? ""
    log.log(.info, "paused\(until), as asked", of: tunnel.name.text, at: now)
    keep(tunnel, at: now) { $0.wish = .paused(until: span.map { now + $0 }) }
    followWant(of: tunnel, at: now)
    return .said("\(tunnel.name) is paused\(until)" + consequences(of: tunnel))
  }

  func resume(_ tunnel: TunnelRun, at now: Instant) -> Reply {
    log.log(.info, "resumed, as asked", of: tunnel.name.text, at: now)
    keep(tunnel, at: now) { $0.wish = nil }
    followWant(of: tunnel, at: now)
    refreshNetwork(at: now)
    return wants[tunnel.name] == .up ? .done : .said("\(tunnel.name) stays down: \(reasonToRest(tunnel))")
  }

  func reconnect(_ tunnel: TunnelRun, after span: Duration?, at now: Instant) -> Reply {
    guard wants[tunnel.name] == .up else {
      let words = "\(tunnel.name) is down: \(reasonToRest(tunnel)); `adit up \(tunnel.name)` starts it"
      return .refused(Reply.Refusal(.notNow, words))
    }
    log.log(.info, "reconnecting, as asked", of: tunnel.name.text, at: now)
    tell(tunnel, .reconnect(after: span), at: now)
    return .done
  }

  func use(_ tunnel: TunnelRun, _ words: String, at now: Instant) -> Reply {
    guard let remotes = tunnel.loaded.profile?.remotes else { return .done }
    let names = remotes.map { RemoteName($0) }
    if words == "default" {
      log.log(.info, "the profile's order of remotes, as asked", of: tunnel.name.text, at: now)
      keep(tunnel, at: now) { $0.remote = nil }
      tell(tunnel, .use(remote: nil), at: now)
      return .done
    }
    guard let position = RemoteName.position(of: words, in: remotes) else {
      let list = names.enumerated().map { "\($0.offset + 1) \($0.element)" }.joined(separator: ", ")
      let text = "\(tunnel.name) has no remote \(words); it has \(list); or `default`"
      return .refused(Reply.Refusal(.unknownRemote, text))
    }
    let name = names[position]
    log.log(.info, "remote \(name), as asked", of: tunnel.name.text, at: now)
    keep(tunnel, at: now) { $0.remote = name }
    go(to: position, tunnel, at: now)
    let isDown = wants[tunnel.name] == .up ? "" : ", once it is up"
    return .said("\(tunnel.name) uses \(name)\(isDown), until `adit use \(tunnel.name) default`")
  }

  private func keep(_ tunnel: TunnelRun, at now: Instant, _ body: (inout Overrides.Entry) -> Void) {
    guard let failure = overrides.change(tunnel.name, body) else { return }
    log.log(
      .warning, "it holds until the daemon ends only, for it cannot be written down: \(failure)", of: tunnel.name.text,
      at: now)
  }

  private func reasonToRest(_ tunnel: TunnelRun) -> String {
    if case .rest(let words?) = wants[tunnel.name] { return words }
    return switch overrides.overrides[tunnel.name].wish {
    case .down: "it was put down by you"
    case .paused: "it is paused by you"
    case .up, nil: "`enabled` is 0"
    }
  }

  /// What becomes of the LANs that it serves, each with its words.
  private func consequences(of tunnel: TunnelRun) -> String {
    let served = settings.gateways.filter { failover.active[$0.name] == tunnel.name }
    return served.map { gateway in
      let other = gateway.tunnels.first { name in
        name != tunnel.name && tunnels.contains { $0.name == name && $0.supervisor.isUp }
      }
      if let other { return "; gateway \(gateway.name) goes through \(other)" }
      return gateway.killSwitch == .off
        ? "; gateway \(gateway.name) has no kill switch: its LAN goes out by the WAN in the clear"
        : "; gateway \(gateway.name) is closed meanwhile: its LAN is refused (kill switch)"
    }.joined()
  }
}

extension StatusBuilder {
  func override(of tunnel: TunnelRun) -> TunnelStatus.Override {
    let entry = daemon.overrides.overrides[tunnel.name]
    var status = TunnelStatus.Override()
    status.remote = entry.remote?.description
    switch entry.wish {
    case .up: status.action = .up
    case .down: status.action = .down
    case .paused(let until):
      status.action = .paused
      status.until = until.map { Clock.wallTime + ($0 - now) }
    case nil: break
    }
    return status
  }
}
