internal import Base
internal import Gateway
internal import Hands
internal import IO
internal import Netlink
internal import Settings

/// Keeps the kernel's network as the plan says: plans, applies, hears of changes, and looks for the way to a server.
final class NetworkKeeper {
  /// Events of one change come in a bunch; the first re-plan waits this long for the rest.
  private static let settle: Duration = .milliseconds(100)
  /// After a failed step the whole plan is tried again.
  private static let retry: Duration = .seconds(5)

  private let hands: Hands
  private var monitor: Monitor
  private let firewallMonitor: FirewallMonitor
  private let log: LogSink
  private(set) var plan = NetworkPlan()
  private(set) var isDone = true
  private var awaitsFirewall = false
  /// True when everything that a tunnel needs to carry packets stands.
  private(set) var hasAdded = false
  private(set) var failures: [StepFailure] = []
  /// When to look again without an event.
  private(set) var refreshAt: Instant?

  init(stateDirectory: String, log: LogSink) throws(Fault) {
    hands = try Hands(stateDirectory: stateDirectory)
    do throws(NetlinkFailure) {
      monitor = try Monitor()
      firewallMonitor = try FirewallMonitor()
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
    self.log = log
  }

  var monitorDescriptors: [Int32] { [monitor.descriptor, firewallMonitor.descriptor] }
  /// Readable when nft has ended; `nil` when none runs.
  var firewallDescriptor: Int32? { hands.descriptor }
  var firewallRuns: Int { hands.runs }

  var nextWake: Instant? {
    switch (refreshAt, hands.deadline) {
    case (let a?, let b?): min(a, b)
    case (let a, let b): a ?? b
    }
  }

  /// True as of the last planning; sockets of IPv6 can be made then.
  private(set) var hasIPv6 = true

  /// The failure that keeps a tunnel from being used; a single refused route is none.
  var essentialFailure: Fault? { failures.first { $0.step.isEssential }?.fault }

  /// The failure that makes this device useless; the others go on.
  func failure(of device: DeviceName) -> Fault? { failures.first { $0.step.device == device }?.fault }

  private func snapshot() throws(Fault) -> Snapshot {
    do throws(NetlinkFailure) {
      let snapshot = try hands.netlink.snapshot()
      hasIPv6 = snapshot.hasIPv6
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
    do throws(Fault) {
      awaitsFirewall = !hands.hasRuleset
      let next = Planner.plan(
        settings: settings, tunnels: tunnels, snapshot: try snapshot(), choices: choices,
        formerUplinks: plan.uplinks, clockIsUnset: clockIsUnset, awaitsFirewall: awaitsFirewall)
      for warning in next.warnings where !plan.warnings.contains(warning) {
        // Of one kind: a server can push thousands of routes that are refused.
        log.log(.warning, warning, kind: "plan", at: now)
      }
      plan = next
      take(try hands.apply(next), at: now)
    } catch {
      fail(error, at: now)
    }
  }

  /// True when the LAN still waits for a firewall that stands by now: plan again.
  var mayOpen: Bool { awaitsFirewall && hands.hasRuleset }

  /// Goes on when nft has ended or its time is over.
  func proceed(at now: Instant) {
    do throws(Fault) { take(try hands.proceed(), at: now) } catch { fail(error, at: now) }
  }

  /// Something changed in the kernel, perhaps by us: look again soon.
  func drain(at now: Instant) {
    let report = monitor.drain()
    let lostTable = firewallMonitor.drain()
    guard lostTable || !report.changed.isEmpty || report.hasOverflowed, refreshAt == nil else { return }
    refreshAt = now + Self.settle
  }

  func openTun(_ device: NetworkPlan.TunDevice) throws(Fault) -> FileDescriptor? { try hands.openTun(device) }

  /// By which device, gateway and source a packet of ours would reach the address now; `nil` = not at all.
  func path(to address: IPAddress, mark: UInt32) -> Path? {
    do throws(NetlinkFailure) { return try hands.netlink.path(to: address, mark: mark) } catch { return nil }
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
      return failures.isEmpty
    } catch {
      log.log(.error, error.sentence, at: now)
      return false
    }
  }

  private func take(_ progress: Progress, at now: Instant) {
    isDone = progress.isDone
    hasAdded = progress.hasAdded
    for failure in progress.failures where !failures.contains(failure) {
      log.log(.error, failure.fault.sentence, kind: "step", at: now)
    }
    failures = progress.failures
    if isDone, failures.contains(where: { $0.step.isEssential || $0.step.device != nil }) {
      refreshAt = now + Self.retry
    }
  }

  private func fail(_ fault: Fault, at now: Instant) {
    log.log(.error, fault.sentence, at: now)
    hasAdded = false
    isDone = true
    refreshAt = now + Self.retry
  }
}
