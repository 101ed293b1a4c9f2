internal import Base
internal import ConfigDirectory
internal import Crypto
internal import Exchange
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

// What is wrong, and how that is known. While nothing is wrong nothing is asked and nothing is sent.
extension Daemon {
  /// When to ask around, or to look for answers.
  var evidenceAt: Instant? { soundings.due(quiet: tunnels.compactMap(\.grounds.quietSince).min()) }

  /// After every turn of the loop.
  func followEvidence(at now: Instant) {
    guard stopBy == nil else { return }
    for tunnel in tunnels where isTroubled(tunnel) { look(at: tunnel, now) }
    askAround(at: now)
    for tunnel in tunnels {
      let verdict = verdict(of: tunnel, at: now)
      let failure = tunnel.supervisor.lastFailure
      let since = failure?.fault.code == verdict.fault?.code ? failure?.since ?? now : now
      if tunnel.grounds.say(verdict, since: since, at: now) {
        log.log(.warning, verdict.line, kind: verdict.fault?.code.rawValue, of: tunnel.name.text, at: now)
      }
    }
  }

  /// The one plain reason for the state of a tunnel.
  func verdict(of tunnel: TunnelRun, at now: Instant) -> Verdict {
    let remote = tunnel.supervisor.remote?.index
    let target = remote.flatMap { index in
      tunnel.loaded.profile.flatMap { $0.remotes.indices.contains(index) ? $0.remotes[index].host : nil }
    }
    return Blame.verdict(
      tunnel.supervisor.status, tunnel.grounds.evidence, target: target, rest: Self.words(tunnel.supervisor.rest),
      isAsking: tunnel.grounds.isAsking(at: now), at: now)
  }

  private static func words(_ rest: RestReason?) -> String? {
    switch rest {
    case .owner, nil: nil
    case .paused: "paused"
    case .demand(let words): words
    }
  }

  private func isTroubled(_ tunnel: TunnelRun) -> Bool {
    switch tunnel.supervisor.status {
    case .connecting, .reasserting: true
    case .connected:
      tunnel.grounds.quietSince != nil || tunnel.grounds.verdict?.fault != nil || network.hasDeadUplink
    case .invalid, .disconnected, .disconnecting: false
    }
  }

  // MARK: The way

  private func look(at tunnel: TunnelRun, _ now: Instant) {
    // What stands and what is gone is read together, a moment after the first event of a bunch.
    if let due = network.refreshAt, due - now <= NetworkKeeper.settle { return }
    let facts = wayFacts(of: tunnel)
    let wasBroken = tunnel.grounds.evidence.broken(at: now).map { $0.layer <= .gateway } ?? false
    tunnel.grounds.evidence.look(facts, at: now)
    if wasBroken, tunnel.grounds.evidence.broken(at: now).map({ $0.layer > .gateway }) ?? true {
      // What was asked before says nothing of the way that is there now.
      if tunnel.grounds.quietSince != nil { tunnel.grounds.quietSince = now }
      if soundings.round == nil { soundings.reset() }
    }
  }

  /// The kernel tells a socket that a host is unreachable when its router does not answer ARP, too.
  func lookAtGateway(of tunnel: TunnelRun, at now: Instant) {
    // What ARP found out before the cable was in again is old.
    guard let quiet = tunnel.grounds.quietSince, now - quiet >= Self.neighbourPatience else { return }
    guard let path = way(of: tunnel), let gateway = path.gateway, network.answers(gateway, on: path.device) == false
    else { return }
    tunnel.grounds.evidence.askedGateway(gateway, answers: false, at: now)
  }

  private func way(of tunnel: TunnelRun) -> Path? {
    tunnel.supervisor.watchedAddress.map { network.path(to: $0, mark: marks.own) } ?? anyPath
  }

  private func wayFacts(of tunnel: TunnelRun) -> WayFacts {
    let path = way(of: tunnel)
    let surface = network.surface
    let family = tunnel.supervisor.watchedAddress?.family
    var devices = network.uplinksByPreference(settings)
    if let device = path?.device, !devices.contains(device) { devices.insert(device, at: 0) }
    let uplinks = devices.map { device in
      let link = surface.link(named: device)
      return WayFacts.Uplink(
        device: device, link: link, isWireless: DeviceFiles.kind(of: device, index: link?.index) == .wifi,
        addresses: surface.addresses.filter { $0.device == device }.map(\.prefix.address)
          .filter { !$0.isLinkLocal && (family == nil || $0.family == family) })
    }
    return WayFacts(uplinks: uplinks, path: path)
  }

  // MARK: Asking around

  /// A server that is there answers a first packet sooner, on the slowest line.
  private static let longSilence: Duration = .seconds(4)
  /// The kernel asks a neighbour three times, a second apart.
  private static let neighbourPatience: Duration = .milliseconds(2_500)

  private func askAround(at now: Instant) {
    let quiet = tunnels.filter { $0.grounds.quietSince != nil }
    if quiet.isEmpty {
      soundings.round = nil
      soundings.reset()
      return
    }
    guard let due = evidenceAt, due <= now else { return }
    if let round = soundings.round {
      guard round.look(at: now, confirm: { network.confirm($0.address, on: $0.device) }) else { return }
      for tunnel in quiet { conclude(round, for: tunnel, at: now) }
      soundings.finish(at: now)
    } else if let round = round(for: quiet, at: now) {
      soundings.round = round
    } else {
      soundings.finish(at: now)
    }
  }

  /// - Returns: `nil` when there is nobody to ask.
  private func round(for quiet: [TunnelRun], at now: Instant) -> SoundingRound? {
    var gateways: Set<SoundingRound.Gateway> = []
    var servers: Set<IPAddress> = []
    for tunnel in quiet {
      guard let path = way(of: tunnel) else { continue }
      if let gateway = path.gateway { gateways.insert(.init(address: gateway, device: path.device)) }
      if let server = tunnel.supervisor.watchedAddress { servers.insert(server) }
    }
    // A resolver on a net that we stand in is no witness for the internet beyond it.
    let resolvers = uplinkResolvers(by: anyPath).map(\.address).filter { address in
      !network.surface.addresses.contains { $0.prefix.network.contains(address) }
    }
    guard !gateways.isEmpty || !servers.isEmpty else { return nil }
    return SoundingRound(
      gateways: gateways, resolvers: Set(resolvers), servers: servers, mark: marks.own,
      token: UInt16(truncatingIfNeeded: RandomSource.system.uint64()), at: now)
  }

  private func conclude(_ round: SoundingRound, for tunnel: TunnelRun, at now: Instant) {
    guard let path = way(of: tunnel) else { return }
    let server = tunnel.supervisor.watchedAddress
    let asked = round.resolvers.sorted { $0.description < $1.description } + (server.map { [$0] } ?? [])
    let answered = asked.filter(round.answered.contains)
    if let gateway = path.gateway {
      guard round.gateways.contains(.init(address: gateway, device: path.device)) else { return }
      let isHeard = !answered.isEmpty || round.answered.contains(gateway)
      let answers = isHeard ? true : network.answers(gateway, on: path.device)
      tunnel.grounds.evidence.askedGateway(gateway, answers: answers, at: now)
    }
    tunnel.grounds.evidence.askedOutside(OutsideFacts(asked: asked, answered: answered, server: server), at: now)
    tunnel.grounds.soundedAt = now
    // An attempt may wait a minute for its first answer; that there is none is known far sooner. A session judges by itself.
    if !answered.isEmpty, tunnel.supervisor.status != .connected, let fault = tunnel.silence,
      let quiet = tunnel.grounds.quietSince,
      now - quiet >= Self.longSilence
    {
      tunnel.grounds.evidence.suspect(fault, server: tunnel.serverWords, at: now)
    }
  }
}
