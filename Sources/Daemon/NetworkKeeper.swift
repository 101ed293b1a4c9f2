internal import Base
internal import Gateway
internal import Hands
internal import IO
internal import Netlink
internal import Settings

/// Keeps the kernel's network as the plan says: plans, applies, hears of changes, and looks for the way to a server.
final class NetworkKeeper {
  /// Events of one change come in a bunch; the first re-plan waits this long for the rest.
  static let settle: Duration = .milliseconds(100)
  /// After a failed step the whole plan is tried again.
  private static let retry: Duration = .seconds(5)

  private let hands: Hands
  private var monitor: Monitor
  private var firewallMonitor: FirewallMonitor
  private let log: LogSink
  private(set) var plan = NetworkPlan()
  private(set) var isDone = true
  private var awaitsFirewall = false
  /// True when everything that a tunnel needs to carry packets stands.
  private(set) var hasAdded = false
  private(set) var failures: [StepFailure] = []
  /// Addresses that no name of the outside can have.
  private(set) var household = Household()
  /// As of the last planning.
  private(set) var linkMTUs: [DeviceName: Int] = [:]
  /// What was put into the table's sets is gone with a table that somebody took away.
  private var lostElements = false
  /// It is to be put in again: the table has been looked at since.
  private var wantsElements = false
  /// When to look again without an event.
  private(set) var refreshAt: Instant?
  /// When to look at settings of whose changes the kernel does not tell.
  private var settingsAt: Instant?
  private var calm = CalmPause()

  /// nft costs some 20 ms of work; what netlink brings back costs less.
  private var ofTable = Restoration(longestPause: .seconds(4))
  private var ofTheRest = Restoration(longestPause: .seconds(1))
  private var told = OncePerMinute()
  /// When what is open for a time closes by itself, and the plan has its rows again.
  private var closesAt: Instant?
  private var openings = Openings.none
  private static let openingSets = [TimedSet.openLAN, .openRouter].map(\.name.text)
  private var resolver: ResolverWatch

  private var ways = Ways()
  private var marks = MarkLayout()
  /// Connections that end once the newest plan stands.
  private var stranded: [StrandedFlows] = []

  init(stateDirectory: String, log: LogSink) throws(Fault) {
    hands = try Hands(stateDirectory: stateDirectory)
    resolver = ResolverWatch(hands.names)
    do throws(NetlinkFailure) {
      monitor = try Monitor(aliasPrefix: TunnelState.aliasPrefix)
      firewallMonitor = try FirewallMonitor(table: Hands.table)
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
    self.log = log
  }

  var monitorDescriptors: [Int32] { [monitor.descriptor, firewallMonitor.descriptor] }
  /// Readable when nft has ended; `nil` when none runs.
  var firewallDescriptor: Int32? { hands.descriptor }
  var firewallRuns: Int { hands.runs }

  /// Readable when a program that changes a resolver has ended.
  var resolverDescriptor: Int32? { hands.names.descriptor }
  var resolverRuns: Int { hands.names.runs }

  var nextWake: Instant? {
    [refreshAt, closesAt, hands.deadline, hands.names.deadline, resolver.lookAt, settingsAt].compactMap { $0 }
      .min()
  }

  /// When the time has come, looks whether others answer names on this router than before.
  func lookAtResolvers(at now: Instant) {
    if let due = hands.names.deadline, due <= now { proceedWithResolvers(at: now) }
    if resolver.hasChanged(at: now), refreshAt == nil { refreshAt = now }
  }

  func proceedWithResolvers(at now: Instant) {
    hands.names.proceed()
    sayOfResolvers(at: now)
  }

  /// A configuration that was read again deserves another try.
  func forgetResolverTrouble() { hands.names.retry() }

  private func sayOfResolvers(at now: Instant) {
    for message in hands.names.takeMessages() { log.log(message.level, message.text, at: now) }
  }

  func wantsRefresh(at now: Instant) -> Bool { [refreshAt, closesAt].contains { $0.map { $0 <= now } ?? false } }

  /// True as of the last planning; sockets of IPv6 can be made then.
  var hasIPv6: Bool { surface.hasIPv6 }
  /// The kernel's network as of the last planning.
  private(set) var surface = Snapshot()
  /// How often it was read.
  private(set) var readings = 0

  /// The failure that keeps a tunnel from being used; a single refused route is none.
  var essentialFailure: Fault? { failures.first { $0.step.isEssential }?.fault }

  /// The failure that makes this device useless; the others go on.
  func failure(of device: DeviceName) -> Fault? { failures.first { $0.step.device == device }?.fault }

  private func snapshot() throws(Fault) -> Snapshot {
    do throws(NetlinkFailure) {
      let snapshot = try hands.netlink.snapshot()
      surface = snapshot
      readings += 1
      return snapshot
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
  }

  /// Plans anew and brings the system there, as far as it goes without waiting.
  ///
  /// - Parameter choices: the tunnel that serves each gateway.
  func refresh(
    _ settings: Settings, _ tunnels: [TunnelState], choices: [TunnelName: TunnelName], clockIsUnset: Bool,
    at now: Instant
  ) {
    refreshAt = nil
    ofTable.end()
    ofTheRest.end()
    marks = settings.globals.marks
    settingsAt = calm.begin(at: now)
    do throws(Fault) {
      awaitsFirewall = !hands.hasRuleset
      wantsElements = wantsElements || lostElements
      lostElements = false
      try lookForOpenings(at: now)
      let snapshot = try snapshot()
      let pushed = plan.tunnels.flatMap(\.dns).map(\.address)
      let answering = resolver.facts(for: settings, pushed: pushed, at: now)
      let next = Planner.plan(
        settings: settings, tunnels: tunnels, snapshot: snapshot, choices: choices,
        formerUplinks: plan.uplinks, openings: openings, clockIsUnset: clockIsUnset, awaitsFirewall: awaitsFirewall,
        resolver: answering)
      for warning in next.warnings where !plan.warnings.contains(warning) {
        // Of one kind: a server can push thousands of routes that are refused.
        log.log(.warning, warning, kind: "plan", at: now)
      }
      plan = next
      linkMTUs = Dictionary(snapshot.links.map { ($0.name, $0.mtu) }, uniquingKeysWith: { first, _ in first })
      household = Household(addresses: snapshot.addresses, others: next.tunnels.flatMap(\.hosts))
      if let flows = ways.change(to: next) { stranded.append(flows) }
      take(try hands.apply(next), at: now)
      // Resolvers of a router whose owner wants none of it are not looked at, but what a predecessor told them goes.
      hands.names.apply(next.nameService, answering ?? ResolverFacts())
      sayOfResolvers(at: now)
    } catch {
      fail(error, at: now)
    }
  }

  /// What `adit disarm --for` opened, and what closed since.
  private func lookForOpenings(at now: Instant) throws(Fault) {
    let exceptions = try Exceptions.read()
    // A little later, so that the kernel has dropped it by then.
    closesAt = exceptions.leftOpen.map { now + $0 + .milliseconds(20) }
    let fresh = exceptions.openings
    if fresh != openings {
      let words = fresh == .none ? "closed again" : "open for a time, by `adit disarm --for`: the LAN goes by the WAN"
      log.log(.warning, words, at: now)
    }
    openings = fresh
  }

  /// True when the LAN still waits for a firewall that stands by now: plan again.
  var mayOpen: Bool { awaitsFirewall && hands.hasRuleset }

  /// Goes on when nft has ended or its time is over, or looks at the settings.
  func proceed(at now: Instant) {
    if let due = settingsAt, due <= now {
      settingsAt = calm.stretch(at: now)
      if hands.hasLostSetting { restore(ofTheRest.moment(at: now), at: now) }
    }
    guard hands.isBusy else { return }
    do throws(Fault) { take(try hands.proceed(), at: now) } catch { fail(error, at: now) }
  }

  /// Something changed in the kernel, perhaps by us: look again soon, and at once when something of ours is gone.
  /// - Returns: true when a way may be another.
  func drain(at now: Instant) -> Bool {
    drainFirewall(at: now)
    let report = monitor.drain(leavingOut: hands.netlink)
    if report.hasLost || report.hasOverflowed || (report.changed.contains(.setting) && hands.hasLostSetting) {
      restore(ofTheRest.moment(at: now), at: now)
    }
    guard !report.changed.isEmpty || report.hasOverflowed else { return false }
    refreshAt = refreshAt ?? now + Self.settle
    return true
  }

  private func drainFirewall(at now: Instant) {
    let report = firewallMonitor.drain()
    // Somebody opened for a time, or ended it before the time.
    if report.changes.contains(where: { !$0.changedSets.isDisjoint(with: Self.openingSets) }) {
      refreshAt = min(refreshAt ?? now, now)
    }
    let changes = report.changes.filter(hands.isForeign)
    if !changes.isEmpty || report.hasOverflowed || report.changes.contains(where: \.deletesTable) {
      lostElements = true
    }
    guard plan.ruleset != nil, !changes.isEmpty || report.hasOverflowed else { return }
    // When even the largest buffer was too small it may have been our own load that filled it: then what a look shows
    // must do.
    if report.hasOverflowed, !firewallMonitor.isLargest { hands.distrustRuleset() }
    for change in changes { tell(LossText.words(change), kind: LossText.deed(change), at: now) }
    restore(ofTable.moment(at: now), at: now)
  }

  private func restore(_ noticed: Instant?, at now: Instant) {
    if let moment = Restoration.moment(noticed, of: ofTable, and: ofTheRest, at: now) {
      refreshAt = min(refreshAt ?? moment, moment)
    }
  }

  private func tell(_ text: String, kind: String, at now: Instant) {
    if let line = told.line(text, kind: kind, at: now) { log.log(.warning, line, at: now) }
  }

  // MARK: Timed sets

  /// True when what is added now stands at once, and all that was added stands.
  var takesElements: Bool { isDone && !hands.isBusy }

  /// - Returns: true when everything is to be added again.
  func takeLoss() -> Bool {
    guard wantsElements, hands.hasRuleset else { return false }
    wantsElements = false
    hands.names.forgetAnswers()
    return true
  }

  func add(_ elements: [TimedElement], at now: Instant) {
    if !elements.isEmpty { hands.add(elements) }
    noteElements(at: now)
  }

  private func noteElements(at now: Instant) {
    for note in hands.takeElementNotes() {
      log.log(.warning, note, kind: "elements", at: now)
      lostElements = true
    }
  }

  func openTun(_ device: NetworkPlan.TunDevice) throws(Fault) -> FileDescriptor? { try hands.openTun(device) }

  /// By which device, gateway and source a packet of ours would reach the address now; `nil` = not at all.
  func answer(to address: IPAddress, mark: UInt32) throws(NetlinkFailure) -> PathAnswer? {
    let answer = try hands.netlink.answer(to: address, mark: mark)
    // A default that somebody laid through a tunnel of ours leads nowhere for what carries the tunnel.
    return plan.devices.contains { $0.name == answer?.path.device } ? nil : answer
  }

  /// An uplink whose routes may stand, but whose cable is out.
  var hasDeadUplink: Bool {
    plan.uplinks.contains { device in surface.link(named: device).map { !$0.isUp || !$0.hasCarrier } ?? true }
  }

  /// The devices by which the internet is or was reached, those with the better default first. Where none is known, every
  /// device that could be one.
  func uplinksByPreference(_ settings: Settings) -> [DeviceName] {
    let metrics = Dictionary(
      surface.routes.filter { $0.destination.length == 0 && $0.table == Route.mainTable }.compactMap { route in
        route.device.map { ($0, route.metric) }
      }, uniquingKeysWith: min)
    let lan = Set(settings.gateways.flatMap(\.lan))
    let ours = Set(surface.links.filter(TunnelState.isOurs).map(\.name)).union(plan.devices.map(\.name))
    let possible = surface.links.filter {
      $0.name.text != "lo" && $0.master == nil && $0.kind != "tun" && !lan.contains($0.name) && !ours.contains($0.name)
    }.map(\.name)
    let known = plan.uplinks.isEmpty ? possible : Array(plan.uplinks)
    return known.sorted { (metrics[$0] ?? UInt32.max, $0.text) < (metrics[$1] ?? UInt32.max, $1.text) }
  }

  /// Whether the kernel hears that neighbour; `nil` = it cannot tell.
  func answers(_ address: IPAddress, on device: DeviceName) -> Bool? {
    switch try? hands.netlink.state(of: address, on: device) {
    case .answers: true
    case .silent: false
    case .unconfirmed, nil: nil
    }
  }

  /// Lets the kernel find out whether that neighbour is still there.
  func confirm(_ address: IPAddress, on device: DeviceName) { try? hands.netlink.confirm(address, on: device) }

  func path(to address: IPAddress, mark: UInt32) -> Path? { (try? answer(to: address, mark: mark))?.path }

  func uplink(to address: IPAddress, mark: UInt32) -> Uplink? {
    guard let answer = try? answer(to: address, mark: mark) else { return nil }
    return Uplink(
      path: answer.path, kind: DeviceFiles.kind(of: answer.path.device, index: answer.index), isUp: answer.isUp)
  }

  func isOurs(_ address: IPAddress) -> Bool { (try? hands.netlink.isOurs(address)) ?? false }

  /// A way is there again: what the kernel asked for without an answer while it was not is asked for anew at once.
  func forgetSilent(_ path: Path) {
    if let gateway = path.gateway { try? hands.netlink.forget(gateway, on: path.device) }
  }

  /// What decides about a packet now.
  func scene(_ settings: Settings, withNames: Bool) throws(Fault) -> Scene {
    Scene(settings: settings, plan: plan, in: try hands.standing(of: plan, withNames: withNames))
  }

  /// True when a kill switch stands that is to outlive every daemon.
  func findsArmed() throws(Fault) -> Bool { try hands.holdsAlways() }

  /// Takes away all that is ours, at a clean stop, but what keeps the gateways of `always` closed.
  func withdraw(_ settings: Settings, _ tunnels: [TunnelState], within limit: Duration, at now: Instant) -> Bool {
    do throws(Fault) {
      let rest = Planner.armed(
        settings: settings, tunnels: tunnels, snapshot: try snapshot(), formerUplinks: plan.uplinks)
      let failures = try hands.applyNow(rest, within: limit)
      for failure in failures { log.log(.error, failure.fault.sentence, at: now) }
      plan = rest
      if let flows = ways.change(to: rest) { stranded.append(flows) }
      endStranded(at: now)
      _ = hands.names.withdraw(within: limit)
      sayOfResolvers(at: now)
      return failures.isEmpty
    } catch {
      log.log(.error, error.sentence, at: now)
      return false
    }
  }

  private func take(_ progress: Progress, at now: Instant) {
    for (kind, text) in LossText.lines(hands.takeLosses()) { tell(text, kind: kind, at: now) }
    isDone = progress.isDone
    hasAdded = progress.hasAdded
    for failure in progress.failures where !failures.contains(failure) {
      log.log(.error, failure.fault.sentence, kind: "step", at: now)
    }
    failures = progress.failures
    noteElements(at: now)
    if isDone { endStranded(at: now) }
    if isDone, failures.contains(where: { $0.step.isEssential || $0.step.device != nil }) {
      refreshAt = now + Self.retry
    }
  }

  /// After the new ways stand: before that their next packet would only get used to the old ones again.
  ///
  /// What began at an uplink keeps its way, whatever the plan says, and so does our own transport.
  private func endStranded(at now: Instant) {
    guard !stranded.isEmpty else { return }
    let ending = stranded
    stranded = []
    do throws(NetlinkFailure) {
      let count = try Conntrack.delete { [marks] flow in
        ![marks.wan, marks.own].contains(flow.mark & marks.mask)
          && ending.contains {
            $0.contains(source: flow.source, destination: flow.destination, answered: flow.answered)
          }
      }
      let text = "\(count) connection\(count == 1 ? "" : "s") had another way before: ended"
      log.log(count > 0 ? .info : .debug, text, at: now)
    } catch {
      log.log(.warning, "connections with another way before: \(error)", at: now)
    }
  }

  private func fail(_ fault: Fault, at now: Instant) {
    log.log(.error, fault.sentence, at: now)
    hasAdded = false
    isDone = true
    refreshAt = now + Self.retry
  }
}

extension NetworkPlan.TunnelFacts {
  /// Hosts inside that are none of a policy's.
  fileprivate var hosts: [IPAddress] {
    [gateway4.map(IPAddress.v4), gateway6.map(IPAddress.v6)].compactMap { $0 } + dns.map(\.address)
  }
}
