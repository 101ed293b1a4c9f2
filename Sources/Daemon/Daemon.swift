internal import Base
internal import ConfigDirectory
internal import Control
internal import Gateway
internal import IO
internal import Settings
internal import Supervisor

/// The supervisor process: wires the pure rooms' effects to hands and engines. One thread, one loop.
final class Daemon {
  /// Time for goodbyes and for taking everything back; together under the five seconds that a stop may take.
  static let goodbye: Duration = .milliseconds(3_200)
  static let undoing: Duration = .milliseconds(1_500)
  /// Counters are asked for when somebody looks, and at this interval for the log of drops.
  static let statusPatience: Duration = .milliseconds(200)

  /// The predecessor's engine lets go of a device without a word.
  static let deviceLook: Duration = .milliseconds(20)

  let options: DaemonOptions
  let log: LogSink
  let network: NetworkKeeper
  let control: ControlServer
  var configuration: LoadedConfiguration
  /// The sessions that serve, one of each tunnel.
  var tunnels: [TunnelRun] = []
  /// What stands beside them.
  var slots: [TunnelName: Slots] = [:]
  var failover = Failover()
  var refusals = RefusalWatch()
  var names = NameLedger()
  var sizes = MTUMemory()
  var stopBy: Instant?
  var isOver = false
  /// What was just read needs no reading again, tunnel by tunnel.
  var isReloading = false
  /// The init system, where it wants to be told.
  var service: ServiceNotice?
  var lateFiles = LateFiles()
  var serverAddresses: RememberedAddresses
  var soundings = Soundings()
  /// Why each tunnel was not connected when the stop began.
  var reasons: [(tunnel: String, verdict: Verdict)] = []
  var pathQuestion = PathQuestion()
  var uplinkNews = UplinkNews()
  var clock: ClockJudge
  var sleep = SleepJudge()
  var overrides: KeptOverrides
  /// What each tunnel was told last.
  var wants: [TunnelName: Want] = [:]
  var demand = DemandWatch()

  private var poller: Poller
  private var timer: TimerDescriptor
  private let clockWatch: ClockWatch
  private let signals: SignalSource
  private var watchedFirewallRun = 0
  private var watchedResolverRun = 0

  init(
    _ options: DaemonOptions, _ configuration: LoadedConfiguration, log: LogSink, network: NetworkKeeper,
    control: ControlServer
  ) throws(SystemFailure) {
    self.options = options
    self.configuration = configuration
    self.log = log
    self.network = network
    self.control = control
    serverAddresses = RememberedAddresses(stateDirectory: options.stateDirectory)
    overrides = KeptOverrides(stateDirectory: options.connect == nil ? options.stateDirectory : nil)
    SignalSource.ignoreBrokenPipes()
    poller = try Poller()
    timer = try TimerDescriptor()
    clockWatch = try ClockWatch()
    clock = ClockJudge(
      built: Version.releaseDate, files: Self.knownDates(options), wall: Clock.wallTime, at: Clock.now)
    signals = try SignalSource([.terminate, .interrupt, .hangUp])
    try poller.add(signals.descriptor, for: .readable, token: Token(.signal).value)
    try poller.add(timer.descriptor, for: .readable, token: Token(.timer).value)
    try poller.add(clockWatch.descriptor, for: .readable, token: Token(.clock).value)
    for descriptor in network.monitorDescriptors {
      try poller.add(descriptor, for: .readable, token: Token(.netlink).value)
    }
    try poller.add(control.descriptor, for: .readable, token: Token(.control).value)
  }

  var settings: Settings { configuration.settings }
  var marks: MarkLayout { settings.globals.marks }

  /// Runs until a signal ends it and everything is taken back.
  ///
  /// - Returns: true when nothing of ours is left but an armed kill switch.
  func run() throws(SystemFailure) -> Bool {
    start(at: Clock.now)
    while !isOver {
      watchFirewall()
      watchResolver()
      notifyService(at: Clock.now)
      try timer.set(nextWake)
      let count = try poller.wait(until: nil)
      let now = Clock.now
      for position in 0..<count {
        let event = poller[position]
        if let token = Token(event.token) { handle(token, event.readiness, at: now) }
      }
      wake(at: now)
      followSlots(at: now)
      followEvidence(at: now)
      followTunnels(at: now)
      followRefusals(at: now)
      followSizes(at: now)
    }
    return network.withdraw(settings, tunnels.map(\.state), within: Self.undoing, at: Clock.now)
  }

  private var nextWake: Instant? {
    let runs = runs
    var moments = runs.compactMap(\.supervisor.nextWake)
    moments += runs.compactMap {
      $0.hasTun ? $0.awaiting?.until : $0.awaiting.map { _ in Clock.now + Self.deviceLook }
    }
    moments += runs.compactMap(\.watch?.due)
    moments += [
      stopBy, pathsAt, network.nextWake, control.nextWake, stopBy == nil ? failover.nextWake : nil,
      stopBy == nil ? evidenceAt : nil, service?.nextWake,
      lateFiles.nextWake, nextLookupWake, nextSwitch,
      stopBy == nil ? overrides.overrides.nextEnd : nil, stopBy == nil ? demand.due : nil,
      stopBy == nil ? refusals.due : nil,
    ].compactMap { $0 }
    return moments.min()
  }

  private func handle(_ token: Token, _ readiness: Poller.Readiness, at now: Instant) {
    switch token.kind {
    case .signal:
      while let signal = signals.next() { take(signal, at: now) }
    case .timer: timer.acknowledge()
    case .clock: clockWatch.acknowledge()
    case .netlink: if network.drain(at: now) { pathQuestion.notice(at: now) }
    case .firewall:
      network.proceed(at: now)
      if network.mayOpen { refreshNetwork(at: now) }
      answerNetworks(at: now)
    case .resolver: network.proceedWithResolvers(at: now)
    case .control: acceptClients(at: now)
    case .mounts: lateFiles.lookNow(at: now)
    case .client: serve(token.index, at: now)
    case .engine, .engineProcess:
      guard let tunnel = runs.first(where: { $0.number == token.index }),
        tunnel.engineGeneration & 0xff_ffff == token.generation
      else { return }
      if token.kind == .engine {
        readEngine(of: tunnel, readiness, at: now)
      } else {
        collectEngine(of: tunnel, at: now)
      }
    }
  }

  private func wake(at now: Instant) {
    followClock(at: now)
    // Before anything that takes longer: sessions wait for the answer.
    if let due = pathsAt, due <= now { lookForPaths(at: now) }
    network.lookAtResolvers(at: now)
    if let due = network.nextWake, due <= now {
      if network.wantsRefresh(at: now) { refreshNetwork(at: now) } else { network.proceed(at: now) }
      pathQuestion.notice(at: now)
      answerNetworks(at: now)
    }
    for tunnel in runs {
      if let due = tunnel.supervisor.nextWake, due <= now { tell(tunnel, .wake, at: now) }
      if tunnel.awaiting != nil { answerNetworks(at: now) }
      watchEngine(of: tunnel, at: now)
    }
    lookForLateFiles(at: now)
    answerNames(at: now)
    followLookups(at: now)
    if stopBy == nil { endPauses(at: now) }
    proceedWithDemand(at: now)
    for index in control.late(at: now) { dismiss(index) }
    if let stopBy, runs.allSatisfy({ $0.supervisor.isIdle }) || now >= stopBy { finish() }
  }

  private func take(_ signal: SignalSource.Signal, at now: Instant) {
    switch signal {
    case .hangUp: reload(at: now)
    case .terminate, .interrupt, .child, .user1, .user2:
      if stopBy != nil {
        // Asked twice: no more goodbyes.
        finish()
        return
      }
      log.log(.info, "stopping", at: now)
      reasons = tunnels.map { ($0.name.text, verdict(of: $0, at: now)) }.filter { $0.1.fault != nil }
      stopBy = now + Self.goodbye
      for tunnel in runs { tell(tunnel, .down, at: now) }
    }
  }

  private func finish() {
    for tunnel in runs { dropEngine(of: tunnel) }
    isOver = true
  }

  /// Every run of nft has a descriptor of its own; the kernel forgets a closed one by itself.
  private func watchFirewall() {
    guard network.firewallRuns != watchedFirewallRun else { return }
    watchedFirewallRun = network.firewallRuns
    if let descriptor = network.firewallDescriptor { watch(descriptor, for: .readable, Token(.firewall)) }
  }

  private func watchResolver() {
    guard network.resolverRuns != watchedResolverRun else { return }
    watchedResolverRun = network.resolverRuns
    if let descriptor = network.resolverDescriptor { watch(descriptor, for: .readable, Token(.resolver)) }
  }

  func watch(_ descriptor: Int32, for readiness: Poller.Readiness, _ token: Token) {
    do throws(SystemFailure) {
      try poller.add(descriptor, for: readiness, token: token.value)
    } catch {
      // EEXIST: it is watched already, for something else.
      try? poller.change(descriptor, to: readiness, token: token.value)
    }
  }

  func forget(_ descriptor: Int32) { poller.remove(descriptor) }
}
