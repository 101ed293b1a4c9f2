internal import Base
internal import ConfigDirectory
internal import Crypto
internal import Exchange
internal import Gateway
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

extension Daemon {
  func start(at now: Instant) {
    sayClock(at: now)
    watchNames(at: now)
    for (position, loaded) in configuration.tunnels.enumerated() {
      add(loaded, index: position + 1, at: now)
    }
    // Engines are under way; the network is made beside their handshakes.
    refreshNetwork(at: now)
    followDemand(at: now)
  }

  func add(_ loaded: LoadedConfiguration.Tunnel, index: Int, at now: Instant) {
    guard index <= 0x7f else {
      log.log(.error, "more than 127 tunnels", of: loaded.settings.name.text, at: now)
      return
    }
    let supervisor = TunnelSupervisor(random: { RandomSource.system.uint64() }, at: now)
    let tunnel = TunnelRun(loaded, index: index, supervisor: supervisor, at: now)
    tunnels.append(tunnel)
    configure(tunnel, at: now)
    tell(tunnel, .ways(ways), at: now)
    wants[tunnel.name] = nil
    followWant(of: tunnel, at: now)
  }

  /// Tells the reducer what the configuration says now.
  func configure(_ tunnel: TunnelRun, at now: Instant) {
    tunnel.secretsSeen = nil
    if let profile = tunnel.loaded.profile {
      tell(tunnel, .configured(profile, nil), at: now)
      followChosenRemote(of: tunnel, at: now)
      if !profile.tls.checks.identifiesServer { log.log(Note(.noServerCheck), of: tunnel.label, at: now) }
    } else {
      let detail = tunnel.loaded.firstError.map { "\($0.location): \($0.text)" }
      tell(tunnel, .configured(nil, Fault(.configurationInvalid, detail)), at: now)
    }
  }

  /// Feeds one event to a tunnel's reducer and does what it wants.
  func tell(_ tunnel: TunnelRun, _ event: TunnelEvent, at now: Instant) {
    if case .path(let path) = event { note(path, of: tunnel) }
    let (server, failure) = (tunnel.serverWords, tunnel.supervisor.lastFailure)
    let effects = tunnel.supervisor.handle(event, at: now)
    if tunnel.learn(from: event, server: server, formerly: failure, at: now) { lookAtGateway(of: tunnel, at: now) }
    for effect in effects { perform(effect, for: tunnel, at: now) }
  }

  private func perform(_ effect: TunnelEffect, for tunnel: TunnelRun, at now: Instant) {
    switch effect {
    case .startEngine: startEngine(for: tunnel, at: now)
    case .killEngine: dropEngine(of: tunnel)
    case .configure:
      if !isReloading { reread(tunnel, at: now) }
      sendConfiguration(to: tunnel, at: now)
    case .lookAtSecrets: lookAtSecrets(of: tunnel, at: now)
    case .resolve(let attempt, let host, let family):
      tunnel.grounds.quietSince = tunnel.grounds.quietSince ?? now
      resolve(attempt, host, family, of: tunnel, at: now)
    case .connect(let attempt, let remote, let endpoint, let hasAlternatives, let token, let tokenUser):
      tunnel.tls = nil
      tunnel.up = nil
      tunnel.hasAnswer = false
      tunnel.isProven = nil
      tunnel.grounds.quietSince = tunnel.grounds.quietSince ?? now
      let path = beginPath(of: tunnel, to: endpoint.address, at: now)
      let mustWait = waitsForClock(tunnel)
      recallSizes(of: tunnel, path)
      if path != nil, !mustWait {
        send(
          .connect(
            ConnectOrder(
              attempt: attempt, remote: UInt16(clamping: remote), endpoint: endpoint, wallTime: certificateTime(tunnel),
              hasAlternatives: hasAlternatives, token: token, tokenUser: tokenUser)), to: tunnel, at: now)
      }
      tell(tunnel, .path(path), at: now)
      if path != nil, mustWait { endForClock(attempt, of: tunnel, at: now) }
    case .order(let order):
      send(order, to: tunnel, at: now)
      if case .quit = order { dropEngine(of: tunnel, kill: false) }
    case .applyNetwork(let attempt, let items): applyNetwork(attempt, items, of: tunnel, at: now)
    case .withdrawNetwork:
      tunnel.pushed = nil
      tunnel.awaiting = nil
      refreshNetwork(at: now)
    // What failed is said once, with its reason, by `followEvidence`; each attempt by itself is no news.
    case .note(let note) where note.code == .sessionFailed:
      log.log(.debug, note.sentence, kind: note.code.rawValue, of: tunnel.label, at: now)
    case .note(let note): log.log(note, of: tunnel.label, at: now)
    }
  }

  // MARK: The engine

  private func startEngine(for tunnel: TunnelRun, at now: Instant) {
    do throws(SystemFailure) {
      let engine = try EngineProcess(user: tunnel.user)
      tunnel.engine = engine
      tunnel.engineGeneration &+= 1
      tunnel.hasTun = false
      tunnel.watched = nil
      tunnel.waitingNames = []
      tunnel.watch = EngineWatch(at: now)
      tunnel.sockets = Budget.sockets(at: now)
      // An engine's numbers are a stranger's: no sum of them may trap.
      tunnel.formerRenegotiations &+= tunnel.counters.renegotiations
      tunnel.counters = .init()
      tunnel.offloads = []
      let token = tunnel.number
      watch(engine.channelDescriptor, for: .readable, Token(.engine, token, generation: tunnel.engineGeneration))
      watch(engine.processDescriptor, for: .readable, Token(.engineProcess, token, generation: tunnel.engineGeneration))
    } catch {
      log.log(.error, "the engine cannot be started: \(error)", of: tunnel.label, at: now)
      tell(tunnel, .engineDied("\(error)"), at: now)
      return
    }
    sendConfiguration(to: tunnel, at: now)
    sendHealth(to: tunnel, at: now)
    sendWatch(to: tunnel, at: now)
    supply(tunnel, nil, at: now)
  }

  func sendConfiguration(to tunnel: TunnelRun, at now: Instant) {
    guard let text = tunnel.loaded.canonicalText else { return }
    let order = Order.configure(tunnel: tunnel.name.text, profile: text, offload: tunnel.loaded.settings.offload)
    send(order, to: tunnel, at: now)
  }

  /// - Parameter wanted: `nil` = the first supply.
  private func supply(_ tunnel: TunnelRun, _ wanted: [SocketKind]?, at now: Instant) {
    guard let profile = tunnel.loaded.profile else { return }
    let supply = SocketSupply(mark: marks.own, hasIPv6: network.hasIPv6)
    let kinds = wanted ?? supply.first(for: profile)
    // One that takes nothing gets nothing: what waits for it are descriptors of ours.
    let allowed = tunnel.engine?.hasQueued == true ? 0 : tunnel.sockets?.take(kinds.count, at: now) ?? 0
    let made = supply.sockets(Array(kinds.prefix(allowed)), for: profile)
    if let failure = made.failure {
      log.log(.error, "a socket cannot be made: \(failure)", of: tunnel.label, at: now)
    }
    if !made.kinds.isEmpty { send(.sockets(made.kinds), made.descriptors, to: tunnel, at: now) }
  }

  func send(_ order: Order, _ descriptors: [Int32] = [], to tunnel: TunnelRun, at now: Instant) {
    guard let engine = tunnel.engine else {
      for descriptor in descriptors { _ = FileDescriptor(owning: descriptor) }
      return
    }
    if !engine.send(order, descriptors: descriptors) {
      // It is gone, or hangs: its end is reported by its process descriptor.
      engine.kill()
      return
    }
    let token = Token(.engine, tunnel.number, generation: tunnel.engineGeneration)
    if engine.hasQueued { watch(engine.channelDescriptor, for: [.readable, .writable], token) }
  }

  func readEngine(of tunnel: TunnelRun, _ readiness: Poller.Readiness, at now: Instant) {
    guard let engine = tunnel.engine else { return }
    if readiness.contains(.writable) { engine.flush() }
    if readiness.contains(.writable), !engine.hasQueued {
      watch(
        engine.channelDescriptor, for: .readable,
        Token(.engine, tunnel.number, generation: tunnel.engineGeneration))
    }
    switch engine.receive() {
    case .reports(let reports):
      for report in reports {
        if case .counters(let counters) = report {
          tunnel.watch?.hear(carried: counters.tunReceivedPackets &+ counters.tunSentPackets)
        } else {
          tunnel.watch?.hear(at: now)
        }
        take(report, of: tunnel, at: now)
      }
    case .closed: forget(engine.channelDescriptor)
    case .misbehaved:
      log.log(.error, Fault(.engineMisbehaved).sentence, of: tunnel.label, at: now)
      forget(engine.channelDescriptor)
      engine.kill()
    }
  }

  /// Asks a quiet engine for a sign of life, and ends one that has none left.
  func watchEngine(of tunnel: TunnelRun, at now: Instant) {
    guard let engine = tunnel.engine else { return }
    switch tunnel.watch?.look(at: now) {
    case .ask: send(.reportCounters, to: tunnel, at: now)
    case .hangs:
      log.log(.error, "the engine does not answer and is ended", of: tunnel.label, at: now)
      engine.kill()
    case nil: break
    }
  }

  func collectEngine(of tunnel: TunnelRun, at now: Instant) {
    guard let engine = tunnel.engine, let (ending, lastWords) = engine.ending() else { return }
    dropEngine(of: tunnel)
    let words =
      switch ending {
      case .exit(let code): "it ended with code \(code)"
      case .signal(let number): "it was ended by signal \(number)"
      }
    tell(tunnel, .engineDied(lastWords.map { "\(words): \(LogSink.cleaned($0))" } ?? words), at: now)
  }

  /// - Parameter kill: false when it was told to quit and ends by itself; the end of the socketpair ends it too.
  func dropEngine(of tunnel: TunnelRun, kill: Bool = true) {
    guard let engine = tunnel.engine else { return }
    forget(engine.channelDescriptor)
    forget(engine.processDescriptor)
    if kill { engine.kill() }
    tunnel.engine = nil
    tunnel.watch = nil
    tunnel.hasTun = false
    tunnel.awaiting = nil
  }

  // MARK: What an engine says

  private func take(_ report: Report, of tunnel: TunnelRun, at now: Instant) {
    switch report {
    case .ready: break
    case .resolved(let attempt, let host, let addresses, let fault):
      take(attempt, host, addresses, fault, of: tunnel, at: now)
    case .event(let attempt, let event):
      guard attempt == tunnel.supervisor.currentAttempt else { return }
      remember(event, of: tunnel)
      tell(tunnel, .session(attempt, event), at: now)
      if case .up(let summary) = event {
        if !tunnel.isBeside { announce(summary, of: tunnel, at: now) }
        rememberServer(of: tunnel)
        ProgramMemory.forgetHandshake()
      }
      if case .mtu(let size) = event { take(mtu: size, of: tunnel, at: now) }
    case .note(let note): log.log(note, of: tunnel.label, at: now)
    case .counters(let counters): tunnel.counters = counters
    case .offloads(let offloads): tunnel.offloads = offloads
    case .wantsSockets(let kinds): supply(tunnel, kinds, at: now)
    case .names(let names): take(names, of: tunnel, at: now)
    }
  }

  private func remember(_ event: SessionEvent, of tunnel: TunnelRun) {
    switch event {
    case .started(let local): tunnel.local = local
    case .tlsEstablished(let summary): tunnel.tls = summary
    case .up(let summary): tunnel.up = summary
    case .serverAnswered: tunnel.hasAnswer = true
    case .proof(.alive):
      tunnel.isProven = true
      tunnel.sizes.isProven = true
    case .proof(.failed): tunnel.isProven = false
    case .wantsNetwork, .renegotiated, .token, .proof, .mtu, .ended: break
    }
  }

  func announce(_ summary: UpSummary, of tunnel: TunnelRun, at now: Instant) {
    let addresses = network.plan.tunnels.first { $0.name == tunnel.name }?.addresses.map(\.description) ?? []
    log.log(
      Note(.connected, addresses.joined(separator: ", "), summary.cipher.rawValue), of: tunnel.label, at: now)
  }
}
