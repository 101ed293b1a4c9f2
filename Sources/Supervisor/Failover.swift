package import Base
package import Settings

/// Which tunnel serves each gateway, from what its tunnels do over time. A pure reducer.
///
/// Fail-over waits out a short reconnect of the preferred tunnel, while its LANs are held closed; fail-back waits until that
/// tunnel has proved stable, longer each time that it had not.
package struct Failover: Sendable {
  /// A session that broke, or whose engine died, is back within a second or two.
  package static let grace: Duration = .seconds(2)
  /// A server that said it restarts takes a second to stop and one to start, and missed our first packet meanwhile.
  package static let restartGrace: Duration = .seconds(6)
  /// So long a preferred tunnel has to be up before the LANs go back to it.
  package static let settling: Duration = .seconds(5)
  package static let longestSettling: Duration = .seconds(320)
  /// A tunnel that was up for so long may fail once without being taken for unsteady.
  package static let steadyAfter: Duration = .seconds(600)

  /// What the owner should know of a gateway.
  package struct Change: Hashable, Sendable {
    package var gateway: TunnelName
    package var note: Note
  }

  /// What is remembered of one tunnel.
  private struct Record {
    var prospect: TunnelSupervisor.Prospect
    /// When it began to be so.
    var since: Instant
    var hasBeenUp = false
    /// When it was up last, and did not come back in time.
    var lostAt: Instant?
    /// Losses in a row that came too soon after it was up.
    var losses = 0
    /// Up, or expected back at once.
    var isHeld = false
    var patience = Failover.grace

    var isUp: Bool { prospect == .up }
    /// When nobody waits for it any more; `nil` = nobody does.
    var waitedForUntil: Instant? { prospect == .soon ? since + patience : nil }
    var steadyFrom: Instant {
      since + min(Failover.settling * (1 << min(max(losses - 1, 0), 6)), Failover.longestSettling)
    }
  }

  private var records: [TunnelName: Record] = [:]
  /// By gateway: the tunnel its LANs are sent to, be it up or not.
  package private(set) var active: [TunnelName: TunnelName] = [:]
  /// When to look again without an event.
  package private(set) var nextWake: Instant?

  package init() {}

  /// True while the tunnel is up, or was and is expected back at once.
  package func holds(_ tunnel: TunnelName) -> Bool { records[tunnel]?.isHeld ?? false }

  /// - Returns: what the owner should know, and whether there is anything to plan anew.
  package mutating func update(
    _ tunnels: [(name: TunnelName, prospect: TunnelSupervisor.Prospect)], _ gateways: [GatewaySettings], at now: Instant
  ) -> (changes: [Change], isOther: Bool) {
    let formerlyHeld = held
    let former = (active, formerlyHeld)
    observe(tunnels, at: now)
    nextWake = records.values.compactMap(\.waitedForUntil).filter { $0 > now }.min()
    var changes: [Change] = []
    var chosen: [TunnelName: TunnelName] = [:]
    for gateway in gateways {
      let usable = gateway.tunnels.filter { records[$0] != nil }
      guard let first = usable.first else { continue }
      let old = active[gateway.name]
      let current = old.flatMap { usable.contains($0) ? $0 : nil } ?? first
      let next = choose(among: usable, current, at: now)
      chosen[gateway.name] = next
      if let from = old ?? (next == first ? nil : first), from != next {
        changes.append(Change(gateway: gateway.name, note: note(from, next, usable, at: now)))
      }
      // Without a kill switch nothing else tells that the house is out in the clear.
      let isOpen = gateway.killSwitch == .off && gateway.routes == .all && !holds(next)
      if isOpen, old.map({ formerlyHeld.contains($0) }) ?? false {
        changes.append(Change(gateway: gateway.name, note: Note(.leavesByWAN, next.text)))
      }
    }
    active = chosen
    return (changes, former != (active, held))
  }

  private var held: Set<TunnelName> { Set(records.filter(\.value.isHeld).keys) }

  private mutating func observe(
    _ tunnels: [(name: TunnelName, prospect: TunnelSupervisor.Prospect)], at now: Instant
  ) {
    let names = Set(tunnels.map(\.name))
    records = records.filter { names.contains($0.key) }
    for (name, said) in tunnels {
      let prospect = said == .restarting ? .soon : said
      var record = records[name] ?? Record(prospect: prospect, since: now)
      if record.prospect != prospect {
        if record.isUp {
          record.lostAt = now
          if now - record.since >= Self.steadyAfter { record.losses = 0 }
        }
        record.prospect = prospect
        record.since = now
      }
      if said == .restarting { record.patience = Self.restartGrace }
      if prospect == .up {
        record.hasBeenUp = true
        record.patience = Self.grace
      }
      let isHeld = record.isUp || record.hasBeenUp && record.waitedForUntil.map { $0 > now } ?? false
      if record.isHeld, !isHeld {
        // Put down is not lost.
        if prospect == .soon { record.losses += 1 }
        record.hasBeenUp = false
      }
      record.isHeld = isHeld
      records[name] = record
    }
  }

  /// - Parameter tunnels: in order of preference.
  private mutating func choose(among tunnels: [TunnelName], _ current: TunnelName, at now: Instant) -> TunnelName {
    let isServed = records[current]?.isUp ?? false
    for name in tunnels {
      guard let record = records[name] else { continue }
      if name == current, isServed { return current }
      if record.isUp {
        // While nothing serves the LAN there is nothing to disturb.
        if !isServed || record.steadyFrom <= now { return name }
        nextWake = [nextWake, record.steadyFrom].compactMap { $0 }.min()
      } else if !isServed, record.waitedForUntil.map({ $0 > now }) ?? false {
        return current
      }
    }
    return current
  }

  private func note(_ from: TunnelName, _ to: TunnelName, _ usable: [TunnelName], at now: Instant) -> Note {
    let isBack = usable.firstIndex(of: to).map { place in usable.firstIndex(of: from).map { place < $0 } ?? false }
    if isBack ?? false, let record = records[from], record.isUp {
      let span = records[to].map { now - $0.since } ?? .zero
      return Note(.servesAgain, to.text, TunnelSupervisor.words(span))
    }
    return Note(.takesOver, to.text, reason(from, at: now))
  }

  private func reason(_ tunnel: TunnelName, at now: Instant) -> String {
    guard let record = records[tunnel] else { return "\(tunnel) is gone from the configuration" }
    if record.isUp { return "\(tunnel) no longer serves it" }
    if record.prospect == .away { return "\(tunnel) is off or cannot come up" }
    guard let lostAt = record.lostAt else { return "\(tunnel) has not come up" }
    return "\(tunnel) has been down for \(TunnelSupervisor.words(now - lostAt))"
  }
}

extension TunnelSupervisor {
  /// What may be expected of the tunnel.
  package enum Prospect: Hashable, Sendable {
    case up
    /// An attempt runs or is near.
    case soon
    /// The server said that it restarts.
    case restarting
    /// Switched off, or what keeps it away will not mend itself at once.
    case away
  }

  /// Of what goes wrong between us and the server: what the next attempt may well mend.
  private static let passing: Set<Fault.Code> = [
    .handshakeTimeout, .controlChannelBroken, .renegotiationFailed, .keysExpired, .decryptFailed, .pushTimeout,
  ]

  package var prospect: Prospect {
    switch phase {
    case .up, .suspect, .proving: return .up
    case .stranded: return .soon
    case .idle, .ending(_, _, .rest): return .away
    case .resolving, .connecting, .ending, .pausing, .unreachable:
      guard let code = lastFailure?.fault.code else { return .soon }
      switch code.entry.blame {
      case .network: return .soon
      case .server where code == .serverRestart: return .restarting
      case .server: return [.serverHalt, .noTunnelAddress].contains(code) ? .away : .soon
      case .router: return [.engineDied, .engineMisbehaved].contains(code) ? .soon : .away
      case .handshake: return Self.passing.contains(code) ? .soon : .away
      case .authentication, .configuration: return .away
      }
    }
  }
}
