internal import Base
internal import ConfigDirectory
internal import Exchange
internal import Gateway
internal import Hands
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

extension Daemon {
  func refreshNetwork(at now: Instant) {
    _ = chooseTunnels(at: now)
    network.refresh(settings, tunnelStates, choices: failover.active, clockIsUnset: clockIsUnset, at: now)
    followNames(at: now)
  }

  /// After every turn of the loop: what an event did to a tunnel may send a gateway to another one.
  func followTunnels(at now: Instant) {
    // At a stop they all end, and nothing takes over.
    if stopBy == nil, chooseTunnels(at: now) { refreshNetwork(at: now) }
  }

  /// After every turn of the loop: the log says when a gateway begins to refuse, and how much it had refused in the end.
  func followRefusals(at now: Instant) {
    guard stopBy == nil else { return }
    let facts = network.plan.gateways.map { gateway in
      // Open without a kill switch is not open through a tunnel.
      let tunnel = gateway.active.flatMap { gateway.isArmed || failover.holds($0) ? $0.text : nil }
      return RefusalWatch.Facts(name: gateway.name.text, tunnel: tunnel, refused: gateway.refused)
    }
    guard refusals.wantsLook(facts, at: now) else { return }
    for line in refusals.look(facts, counts: refusedPackets, at: now) {
      log.log(line.level, line.text, of: "gateway \(line.gateway)", at: now)
    }
  }

  /// Packets refused by each gateway since its counter stands; with scope `all` the router's own too.
  var refusedPackets: [String: UInt64] {
    let counts = RefusedPackets.counts()
    let all = Set(settings.gateways.filter { $0.scope == .all }.map(\.name))
    let pairs = network.plan.gateways.compactMap { facts in
      counts[facts.counter].map { count in
        (facts.name.text, count + (all.contains(facts.name) ? counts[NetworkPlan.routerCounter.text] ?? 0 : 0))
      }
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// - Returns: true when there is something to plan anew.
  private func chooseTunnels(at now: Instant) -> Bool {
    let (changes, isOther) = failover.update(
      tunnels.map { ($0.name, $0.supervisor.prospect) }, settings.gateways, at: now)
    for change in changes { log.log(change.note, of: "gateway \(change.gateway)", at: now) }
    return isOther
  }

  /// For the planner: a tunnel that will be back in a moment still counts as up.
  var tunnelStates: [TunnelState] {
    tunnels.map { tunnel in
      var state = tunnel.state
      if failover.holds(tunnel.name) { state.isUp = true }
      state.second = slots[tunnel.name]?.beside?.second
      return state
    }
  }

  /// The server's settings, parsed anew: what the engine says is a stranger's word.
  func applyNetwork(_ attempt: Attempt, _ items: [String], of tunnel: TunnelRun, at now: Instant) {
    guard let profile = tunnel.loaded.profile else { return }
    switch PushedOptions.parse(items, profile: profile) {
    case .failure(let fault): tell(tunnel, .networkFailed(attempt, fault), at: now)
    case .success(let (pushed, _)):
      tunnel.pushed = pushed
      tunnel.awaiting = (attempt, now + TunnelRun.deviceDeadline)
      refreshNetwork(at: now)
      answerNetworks(at: now)
    }
  }

  /// Says `applied` to every engine whose network stands by now.
  func answerNetworks(at now: Instant) {
    for tunnel in runs {
      guard let (attempt, until) = tunnel.awaiting else { continue }
      if let fault = network.plan.fault(of: tunnel) ?? network.essentialFailure
        ?? network.failure(of: tunnel.device)
      {
        refuse(tunnel, attempt, fault, at: now)
        continue
      }
      guard network.hasAdded, let facts = network.plan.facts(of: tunnel) else {
        if now >= until { refuse(tunnel, attempt, Fault(.networkPlanFailed, "it took too long"), at: now) }
        continue
      }
      var riding: [Int32] = []
      if !tunnel.hasTun {
        guard let device = network.plan.devices.first(where: { $0.name == tunnel.device }) else {
          refuse(tunnel, attempt, Fault(.tunUnavailable), at: now)
          continue
        }
        do throws(Fault) {
          guard let tun = try network.openTun(device) else {
            // The predecessor's engine has not let go yet; look again soon.
            if now >= until { refuse(tunnel, attempt, Fault(.deviceTaken, device.name.text), at: now) }
            continue
          }
          riding = [tun.release()]
        } catch {
          refuse(tunnel, attempt, error, at: now)
          continue
        }
      }
      tunnel.awaiting = nil
      tunnel.hasTun = true
      send(.applied(attempt, mtu: UInt16(clamping: facts.mtu)), riding, to: tunnel, at: now)
    }
  }

  private func refuse(_ tunnel: TunnelRun, _ attempt: Attempt, _ fault: Fault, at now: Instant) {
    tunnel.awaiting = nil
    tell(tunnel, .networkFailed(attempt, fault), at: now)
  }
}

extension NetworkPlan {
  /// What keeps the session from having a network.
  func fault(of run: TunnelRun) -> Fault? { run.isBeside ? faultsOfSeconds[run.name] : faults[run.name] }

  func facts(of run: TunnelRun) -> TunnelFacts? { (run.isBeside ? seconds : tunnels).first { $0.name == run.name } }
}
