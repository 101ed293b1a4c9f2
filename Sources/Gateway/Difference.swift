package import Base

/// What stands in the system now, as far as a plan can compare it.
package struct Installed: Hashable, Sendable {
  package var snapshot: Snapshot
  /// Which text of our table stands; `nil` when the table is not there.
  package var ruleset: StandingRuleset?
  /// Current values of the files that a plan names; a missing one counts as different.
  package var sysctls: [NetworkPlan.Sysctl]
  /// What resolvers were told, as `NameService.lines` has it.
  package var names: [String] = []

  package init(snapshot: Snapshot = Snapshot(), ruleset: StandingRuleset? = nil, sysctls: [NetworkPlan.Sysctl] = []) {
    self.snapshot = snapshot
    self.ruleset = ruleset
    self.sysctls = sysctls
  }
}

/// The steps from the system as it is to a plan.
///
/// Fail closed: the ruleset with the kill switch comes first, what must exist comes before what refers to it, forwarding
/// comes last, and everything is added before anything is taken away. Deletions run the other way, the ruleset last.
package enum Difference {
  package static func steps(from installed: Installed, to plan: NetworkPlan) -> [Step] {
    let now = installed.snapshot
    var steps: [Step] = []

    if let ruleset = plan.ruleset, installed.ruleset != .text(RulesetDigest(of: ruleset)) {
      steps.append(.loadRuleset(ruleset))
    }

    for device in plan.devices where !stands(device, in: now) { steps.append(.setLink(device)) }

    // Files below a device of ours exist once it does, and are needed before its addresses change.
    let sysctls = plan.sysctls.filter { wanted in !installed.sysctls.contains(wanted) }
    let ofDevices = sysctls.filter { file in plan.devices.contains { file.path.contains("/\($0.name)/") } }
    steps += ofDevices.map(Step.setSysctl)

    let devices = Set(plan.devices.map(\.name))
    let addresses = now.addresses.filter { address in
      // The kernel gives every device its own link-local address.
      devices.contains(address.device) && !address.prefix.address.isLinkLocal
    }
    steps += plan.addresses.filter { !addresses.contains($0) }.map(Step.addAddress)

    let routes = now.routes.filter { $0.origin == Route.ours }
    let standing = Set(routes.map(\.comparable))
    let missing = plan.routes.filter { !standing.contains($0.comparable) }
    // Refusals first, so that a table is never open while it fills.
    steps += missing.filter { $0.kind == .unreachable }.map(Step.addRoute)
    steps += missing.filter { $0.kind != .unreachable }.map(Step.addRoute)

    let rules = now.rules.filter { $0.origin == Route.ours }
    let ruling = Set(rules.map(\.comparable))
    steps += plan.rules.filter { !ruling.contains($0.comparable) }.map(Step.addRule)

    steps += sysctls.filter { !ofDevices.contains($0) }.map(Step.setSysctl)
    return steps + removals(installed, plan, rules: rules, routes: routes, addresses: addresses)
  }

  private static func removals(
    _ installed: Installed, _ plan: NetworkPlan, rules: [Rule], routes: [Route], addresses: [InterfaceAddress]
  ) -> [Step] {
    var steps: [Step] = []
    let plannedRules = Set(plan.rules.map(\.comparable))
    steps += rules.filter { !plannedRules.contains($0.comparable) }.reversed().map(Step.deleteRule)

    let plannedRoutes = Set(plan.routes.map(\.comparable))
    // Adding a route replaces the one in the same place, which then is gone already.
    let places = Set(plan.routes.map(\.place))
    steps += routes.filter { !plannedRoutes.contains($0.comparable) && !places.contains($0.place) }
      .sorted { left, right in right.kind == .unreachable && left.kind != .unreachable }.map(Step.deleteRoute)

    steps += addresses.filter { !plan.addresses.contains($0) }.reversed().map(Step.deleteAddress)

    let devices = Set(plan.devices.map(\.name))
    let links = installed.snapshot.links.filter {
      TunnelState.isOurs($0) && !devices.contains($0.name)
    }
    steps += links.map { Step.deleteLink($0.name) }
    if plan.ruleset == nil, installed.ruleset != nil { steps.append(.deleteRuleset) }
    return steps
  }

  private static func stands(_ device: NetworkPlan.TunDevice, in snapshot: Snapshot) -> Bool {
    guard let link = snapshot.link(named: device.name) else { return false }
    return link.isUp && link.alias == device.alias && link.mtu == device.mtu
      && link.transmitQueueLength == device.transmitQueueLength
  }
}

extension Route {
  /// As the kernel tells it back: a refusal has no device, no next hop.
  fileprivate var comparable: Route {
    guard kind != .unicast, kind != .local else { return self }
    var copy = self
    copy.device = nil
    copy.gateway = nil
    copy.source = nil
    return copy
  }
}

extension Rule {
  /// Without a mark its mask means nothing.
  fileprivate var comparable: Rule {
    var copy = self
    if mark == nil { copy.markMask = 0xffff_ffff }
    return copy
  }
}
