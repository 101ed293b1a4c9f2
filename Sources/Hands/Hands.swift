package import Base
package import Gateway
import IO
package import Netlink

/// Does what a plan says, and undoes it.
///
/// Everything is done at once but nft, which runs beside the daemon's loop: after `apply` and each `proceed`, wait for
/// `descriptor` and `deadline` and call `proceed`, until the progress is done.
package final class Hands {
  /// The name of our nft table.
  package static let table = Firewall.table

  package let netlink: NetlinkSocket
  /// Tells the router's resolvers what a plan says; after the network stands, and on its own time.
  package let names: ResolverHand
  private let settings: SystemSettings
  private var firewall: Firewall

  private var queue: ArraySlice<Step> = []
  private var failures: [StepFailure] = []
  /// What nft does now.
  private var running: Step?
  private var kept: Set<String> = []
  private var next: NetworkPlan?
  /// The plan that was done last, and what of it could not be done.
  private var settled: NetworkPlan?
  private var unsettled: Set<Step> = []
  private var current = NetworkPlan()
  private var losses: [Loss] = []
  /// True when all that `next` adds stands already.
  private var hasAddedNext = false
  var waitingElements: [TimedElement] = []
  var elementNotes: [String] = []

  /// - Parameters:
  ///   - stateDirectory: holds `undo`; made when there is something to note.
  ///   - programs: of the router's resolvers.
  package init(stateDirectory: String, programs: ResolverPrograms = .system) throws(Fault) {
    do throws(NetlinkFailure) {
      netlink = try NetlinkSocket()
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
    let journal = UndoJournal(directory: stateDirectory)
    settings = SystemSettings(journal)
    names = ResolverHand(stateDirectory: stateDirectory, journal, programs)
    firewall = try Firewall()
  }

  /// Readable when nft has ended; `nil` when none runs.
  package var descriptor: Int32? { firewall.descriptor }
  /// Rises with every start of nft, whose descriptor may have the same number again.
  package var runs: Int { firewall.runs }
  /// When nft must have ended.
  package var deadline: Instant? { firewall.deadline }
  package var isBusy: Bool { firewall.isRunning || !queue.isEmpty }
  /// True when our nft table stands, be it an older text of ours.
  package var hasRuleset: Bool { firewall.standing != nil }

  /// True when a kill switch stands that is to outlive every daemon, whoever made it.
  package func holdsAlways() throws(Fault) -> Bool { try Firewall.holdsAlways() }

  /// The system as it is, for a comparison with that plan.
  package func installed(for plan: NetworkPlan) throws(Fault) -> Installed {
    if !firewall.isRunning { try firewall.refresh() }
    let paths = settings.changedPaths.union(plan.sysctls.map(\.path))
    let sysctls = paths.sorted().compactMap { path in
      SysctlFile.value(path).map { NetworkPlan.Sysctl(path, $0) }
    }
    do throws(NetlinkFailure) {
      return Installed(snapshot: try netlink.snapshot(), ruleset: firewall.standing, sysctls: sysctls)
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
  }

  /// The steps to a plan. A table that this process did not load is loaded anew, whatever its digest says.
  private func steps(to plan: NetworkPlan) throws(Fault) -> [Step] {
    var installed = try installed(for: plan)
    if !firewall.isTrusted, installed.ruleset != nil { installed.ruleset = .unknown }
    let steps = Difference.steps(from: installed, to: plan)
    note(steps, installed)
    return steps
  }

  private func note(_ steps: [Step], _ installed: Installed) {
    guard let settled else { return }
    // A plan that came in between and is not done yet may have wanted something else.
    let former = next ?? current
    for step in steps where settled.brings(step) && former.brings(step) && !unsettled.contains(step) {
      let loss = Loss(
        step: step, found: step.sysctl.flatMap { file in installed.sysctls.first { $0.path == file.path }?.value })
      if !losses.contains(loss) { losses.append(loss) }
    }
  }

  /// Somebody else changed our table: the next plan loads it anew.
  package func distrustRuleset() { firewall.distrust() }

  /// Takes an event of the firewall's monitor.
  /// - Returns: true when somebody else did it, and our table is to be loaded anew.
  package func isForeign(_ change: FirewallChange) -> Bool {
    guard firewall.isForeign(change) else { return false }
    firewall.distrust()
    return true
  }

  /// True when a setting has another value than the plan that was done last gave it.
  package var hasLostSetting: Bool {
    settled.map { plan in plan.sysctls.contains { (SysctlFile.value($0.path) ?? $0.value) != $0.value } } ?? false
  }

  /// What was gone though the plan before had brought it, since the last call.
  package func takeLosses() -> [Loss] {
    defer { losses = [] }
    return losses
  }

  /// Brings the system to the plan. While nft is still at work for an earlier one, what the newest adds is done at once,
  /// and the rest of it waits.
  package func apply(_ plan: NetworkPlan) throws(Fault) -> Progress {
    guard !isBusy else {
      defer { next = plan }
      hasAddedNext = try addEarly(plan)
      return Progress(isDone: false, hasAdded: hasAddedNext, failures: failures)
    }
    begin(try steps(to: plan), keeping: plan)
    return try proceed()
  }

  /// Goes on where nft held things up.
  package func proceed() throws(Fault) -> Progress {
    advance()
    guard !isBusy else {
      let hasAdded = next == nil ? !queue.contains(where: \.isAddition) : hasAddedNext
      return Progress(isDone: false, hasAdded: hasAdded, failures: failures)
    }
    if let plan = next {
      next = nil
      return try apply(plan)
    }
    // No step says so: what the plan no longer names goes back.
    restoreSettings()
    addWaiting()
    settled = current
    unsettled = Set(failures.map(\.step))
    let result = Progress(isDone: true, hasAdded: true, failures: failures)
    failures = []
    return result
  }

  /// Brings the system to the plan and waits for the end: for a clean stop and for one-shot commands.
  package func applyNow(_ plan: NetworkPlan, within limit: Duration) throws(Fault) -> [StepFailure] {
    let end = Clock.now + limit
    var progress = try apply(plan)
    while !progress.isDone {
      guard Clock.now < end else {
        let missing = queue.map { StepFailure(step: $0, fault: Fault(.firewallFailed, "nft did not end in time")) }
        firewall.stop()
        queue = []
        next = nil
        return progress.failures + missing
      }
      try waitForFirewall(until: end)
      progress = try proceed()
    }
    return progress.failures
  }

  private func waitForFirewall(until end: Instant) throws(Fault) {
    guard let descriptor = firewall.descriptor else { return }
    do throws(SystemFailure) {
      var poller = try Poller()
      try poller.add(descriptor, for: .readable, token: 0)
      _ = try poller.wait(until: min(end, firewall.deadline ?? end))
    } catch {
      throw Fault(.internalError, "\(error)")
    }
  }

  /// - Returns: true when every addition stands; what failed is tried again when the plan's turn comes.
  private func addEarly(_ plan: NetworkPlan) throws(Fault) -> Bool {
    let additions = try steps(to: plan).filter(\.isAddition)
    var isWhole = true
    for case .setLink(let device) in additions {
      do throws(Fault) { try setDevice(device) } catch { isWhole = false }
    }
    return netlink.perform(additions.compactMap(\.netlinkChange)).allSatisfy { $0 == nil } && isWhole
  }

  private func begin(_ steps: [Step], keeping plan: NetworkPlan) {
    queue = steps[...]
    failures = []
    kept = Set(plan.sysctls.map(\.path))
    current = plan
  }

  private func advance() {
    if firewall.isRunning {
      do throws(Fault) {
        _ = try firewall.finish()
      } catch {
        if let running { fail(running, error) }
      }
    }
    while let step = queue.first {
      guard !firewall.isRunning || step.mayPrecedeRuleset else { return }
      switch step {
      case .loadRuleset(let text):
        queue.removeFirst()
        start(step, text)
      case .deleteRuleset:
        queue.removeFirst()
        // Forwarding goes back before the guard does.
        restoreSettings()
        start(step, nil)
      case .setSysctl(let sysctl):
        queue.removeFirst()
        do throws(Fault) { try settings.set(sysctl) } catch { fail(step, error) }
      case .setLink(let device):
        queue.removeFirst()
        do throws(Fault) { try setDevice(device) } catch { fail(step, error) }
      default: performBatch()
      }
    }
  }

  private func start(_ step: Step, _ text: String?) {
    running = step
    do throws(Fault) { try firewall.start(text) } catch { fail(step, error) }
  }

  private func fail(_ step: Step, _ fault: Fault) {
    failures.append(StepFailure(step: step, fault: fault))
    if step.isEssential { queue = [] }
  }

  private func restoreSettings() { failures += settings.restore(except: kept).failures }

  func restoreSettings(except kept: Set<String>) -> (restored: [String], failures: [StepFailure]) {
    settings.restore(except: kept)
  }

  /// - Returns: false when it was not there.
  package func removeRuleset(within limit: Duration) throws(Fault) -> Bool {
    try firewall.refresh()
    guard firewall.standing != nil else { return false }
    try firewall.start(nil)
    let end = Clock.now + limit
    while try !firewall.finish() {
      guard Clock.now < end else {
        firewall.stop()
        throw Fault(.firewallFailed, "nft did not end in time")
      }
      try waitForFirewall(until: end)
    }
    return true
  }

  /// The run of steps for netlink at the head of the queue, of one kind: what fails ends it before the next kind begins.
  private func performBatch() {
    guard let kind = queue.first?.batch else { return }
    var changes: [NetlinkChange] = []
    var steps: [Step] = []
    while let step = queue.first, step.batch == kind, let change = step.netlinkChange {
      queue.removeFirst()
      steps.append(step)
      changes.append(change)
    }
    for (step, failure) in zip(steps, netlink.perform(changes)) {
      if let failure { fail(step, Fault(.networkPlanFailed, "\(failure)")) }
    }
  }
}
