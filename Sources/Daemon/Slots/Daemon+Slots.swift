internal import Base
internal import ConfigDirectory
internal import Crypto
internal import Exchange
internal import Gateway
internal import Profile
internal import Settings
internal import Supervisor

// Make before break: a second session comes up beside the one that serves, and takes over by one change of routes.

extension Daemon {
  /// Every session: those that serve, and those beside them.
  var runs: [TunnelRun] { tunnels + slots.values.compactMap(\.beside) }

  var nextSwitch: Instant? { stopBy == nil ? slots.values.compactMap(\.switchover.nextWake).min() : nil }

  /// After every turn of the loop: what happened to either session may change their roles.
  func followSlots(at now: Instant) {
    guard stopBy == nil else { return }
    for tunnel in tunnels { follow(tunnel, at: now) }
  }

  func dropSlots(of name: TunnelName) {
    if let beside = slots[name]?.beside { dropEngine(of: beside) }
    slots[name] = nil
  }

  private func follow(_ serving: TunnelRun, at now: Instant) {
    let name = serving.name
    var own = slots[name] ?? Slots()
    own.switchover.pause = serving.mayStandBeside ? serving.loaded.settings.returnAfter : nil
    let isUp = serving.supervisor.isUp
    let wasUp = own.wasUp
    own.wasUp = isUp
    slots[name] = own
    if serving.supervisor.isIdle {
      tell(name, .withdrawn, at: now)
    } else if wasUp, !isUp {
      tell(name, .servingLost(serving.supervisor.lastFailure?.fault.code), at: now)
    }
    tell(name, .preferred(isUp ? serving.supervisor.wantsPreferred : nil), at: now)
    if let beside = slots[name]?.beside { look(at: beside, at: now) }
    if slots[name]?.switchover.isBusy ?? false, slots[name]?.beside == nil {
      // It could not even begin.
      tell(name, .failed(.tunUnavailable), at: now)
      tell(name, .gone, at: now)
    }
    if let due = slots[name]?.switchover.nextWake, due <= now { tell(name, .wake, at: now) }
  }

  /// What the session beside has come to.
  private func look(at beside: TunnelRun, at now: Instant) {
    let name = beside.name
    let supervisor = beside.supervisor
    if supervisor.isIdle {
      dropEngine(of: beside)
      slots[name]?.beside = nil
      slots[name]?.hasServed = false
      tell(name, .gone, at: now)
      return
    }
    guard slots[name]?.hasServed == false, slots[name]?.switchover.goal != nil else { return }
    let isLost = slots[name]?.besideWasUp == true && !supervisor.isUp
    if supervisor.phaseName == .unreachable {
      tell(name, .wayLost, at: now)
    } else if supervisor.phaseName == .pausing || isLost {
      // Until then it goes through all addresses of the server by itself.
      tell(name, .failed(supervisor.lastFailure?.fault.code ?? .serverSilent), at: now)
    } else {
      if beside.hasAnswer { tell(name, .answered, at: now) }
      guard supervisor.isUp else { return }
      slots[name]?.besideWasUp = true
      tell(name, .up, at: now)
      if let isProven = beside.isProven { tell(name, .proved(isProven), at: now) }
      let stands = network.isDone && network.plan.seconds.contains { $0.name == name }
      if stands { tell(name, .stands, at: now) }
    }
  }

  private func tell(_ name: TunnelName, _ event: Switchover.Event, at now: Instant) {
    for effect in slots[name]?.switchover.handle(event, at: now) ?? [] { perform(effect, for: name, at: now) }
  }

  private func perform(_ effect: Switchover.Effect, for name: TunnelName, at now: Instant) {
    guard let serving = tunnels.first(where: { $0.name == name }) else { return }
    let beside = slots[name]?.beside
    switch effect {
    case .begin(let goal): begin(goal, beside: serving, at: now)
    case .prove:
      if let beside { send(.path(beside.supervisor.currentAttempt, isUsable: true), to: beside, at: now) }
    case .hold(let span): tell(serving, .reconnect(after: span), at: now)
    case .release: tell(serving, .reconnect(after: nil), at: now)
    case .exchange(let goal): exchange(serving, goal, at: now)
    case .leave: if let beside { tell(beside, .down, at: now) }
    case .kill:
      if let beside { dropEngine(of: beside) }
      slots[name]?.beside = nil
      slots[name]?.hasServed = false
      refreshNetwork(at: now)
    case .insist(let goal): insist(goal, on: serving, at: now)
    case .failed(let remote): tell(serving, .preferredFailed(remote: remote), at: now)
    case .note(let code, let goal, let fault, let retry): say(code, goal, fault, retry, of: serving, at: now)
    }
  }

  // MARK: What is asked for

  /// Goes to that remote: beside the session that serves where there is one, else at once.
  func go(to remote: Int, _ serving: TunnelRun, at now: Instant) {
    guard serving.supervisor.isUp, serving.supervisor.remote?.index != remote, serving.mayStandBeside else {
      tell(serving, .use(remote: remote), at: now)
      return
    }
    if slots[serving.name] == nil { follow(serving, at: now) }
    if slots[serving.name]?.switchover.goal == .renewed {
      // The number counts in the new configuration, which is taken now, with what was chosen.
      tell(serving.name, .withdrawn, at: now)
    } else {
      tell(serving.name, .asked(.use(remote: remote)), at: now)
    }
  }

  /// Takes a configuration that was read again, where it names other remotes and nothing else is new.
  ///
  /// - Returns: false when the tunnel must take it itself.
  func renew(_ serving: TunnelRun, with fresh: LoadedConfiguration.Tunnel, at now: Instant) -> Bool {
    guard serving.supervisor.isUp, serving.mayStandBeside, let old = serving.loaded.profile, var new = fresh.profile,
      old != new, serving.loaded.settings.isEnabled == fresh.settings.isEnabled
    else { return false }
    new.remotes = old.remotes
    guard old == new else { return false }
    if slots[serving.name] == nil { follow(serving, at: now) }
    let isUnderWay = slots[serving.name]?.switchover.goal == .renewed
    if isUnderWay, slots[serving.name]?.renewed?.profile == fresh.profile { return true }
    slots[serving.name]?.renewed = fresh
    tell(serving.name, .asked(.renewed), at: now)
    return true
  }

  /// A reload: what comes up by the old configuration is of no use.
  func withdrawSlot(of serving: TunnelRun, unlessFor fresh: LoadedConfiguration.Tunnel, at now: Instant) {
    guard let beside = slots[serving.name]?.beside, beside.loaded.profile != fresh.profile else { return }
    tell(serving.name, .withdrawn, at: now)
  }

  private func insist(_ goal: Switchover.Goal, on serving: TunnelRun, at now: Instant) {
    switch goal {
    case .preferred: break
    case .use(let remote): tell(serving, .use(remote: remote), at: now)
    case .renewed:
      guard let renewed = slots[serving.name]?.renewed else { return }
      slots[serving.name]?.renewed = nil
      serving.loaded = renewed
      configure(serving, at: now)
    }
  }

  // MARK: The second session

  private func begin(_ goal: Switchover.Goal, beside serving: TunnelRun, at now: Instant) {
    let loaded = goal == .renewed ? slots[serving.name]?.renewed ?? serving.loaded : serving.loaded
    guard let device = spareDevice(for: serving), let profile = loaded.profile else { return }
    let supervisor = TunnelSupervisor(random: { RandomSource.system.uint64() }, at: now)
    let run = TunnelRun(
      loaded, index: serving.index, slot: 1 - serving.slot, device: device, supervisor: supervisor, at: now)
    run.isBeside = true
    run.engineGeneration = serving.engineGeneration &+ 1
    slots[serving.name]?.beside = run
    slots[serving.name]?.besideWasUp = false
    tell(run, .configured(profile, nil), at: now)
    run.supervisor.shareLogin(of: serving.supervisor)
    if let remote = goal.remote { tell(run, .use(remote: remote), at: now) }
    tell(run, .up, at: now)
  }

  /// The tunnel's own device, or the spare one, whichever is free.
  private func spareDevice(for serving: TunnelRun) -> DeviceName? {
    let own = serving.loaded.settings.device
    guard serving.device == own else { return own }
    let taken = configuration.tunnels.map(\.settings.device) + runs.map(\.device) + settings.gateways.flatMap(\.lan)
    return SecondSession.device(besides: own, taken: Set(taken))
  }

  /// One change of routes: from now on the session beside serves.
  private func exchange(_ former: TunnelRun, _ goal: Switchover.Goal, at now: Instant) {
    guard let position = tunnels.firstIndex(where: { $0 === former }), let next = slots[former.name]?.beside else {
      return
    }
    former.isBeside = true
    next.isBeside = false
    let isChosen = if case .use = goal { true } else { false }
    next.succeed(former, keepsRemote: isChosen, at: now)
    tunnels[position] = next
    slots[former.name]?.beside = former
    slots[former.name]?.hasServed = true
    slots[former.name]?.wasUp = true
    slots[former.name]?.renewed = nil
    refreshNetwork(at: now)
    if let summary = next.up { announce(summary, of: next, at: now) }
  }

  private func say(
    _ code: Note.Code, _ goal: Switchover.Goal, _ fault: Fault.Code?, _ retry: Duration?, of serving: TunnelRun,
    at now: Instant
  ) {
    let profile = (goal == .renewed ? slots[serving.name]?.renewed ?? serving.loaded : serving.loaded).profile
    let remote = (goal.remote ?? serving.supervisor.remote?.index).flatMap { index in
      profile.flatMap { $0.remotes.indices.contains(index) ? $0.remotes[index] : nil }
    }
    let words = goal == .renewed ? "a server of the new configuration" : remote.map { "\($0.host):\($0.port)" } ?? "it"
    let again = retry.map { ", and again in \(TunnelSupervisor.spoken($0))" } ?? ""
    let reason = code == .servesInstead ? serving.device.text : fault.map { Fault($0).sentence } ?? ""
    log.log(Note(code, words, reason, again), of: serving.name.text, at: now)
  }
}
