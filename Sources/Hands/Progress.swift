package import Base
package import Gateway

/// A step that could not be done.
package struct StepFailure: Error, Hashable, Sendable {
  package var step: Step
  package var fault: Fault

  package init(step: Step, fault: Fault) {
    self.step = step
    self.fault = fault
  }
}

/// How far a plan has got.
package struct Progress: Hashable, Sendable {
  /// Nothing waits any more.
  package var isDone: Bool
  /// Devices, addresses, routes and rules to add stand: the tunnel can carry packets, though nft may still be at work.
  package var hasAdded: Bool
  /// All failures of this plan until now.
  package var failures: [StepFailure]

  package init(isDone: Bool, hasAdded: Bool, failures: [StepFailure] = []) {
    self.isDone = isDone
    self.hasAdded = hasAdded
    self.failures = failures
  }
}

extension Step {
  var isAddition: Bool {
    switch self {
    case .setLink, .addAddress, .addRoute, .addRule: true
    default: false
    }
  }

  /// True when a failure leaves too little to go on safely: what follows must not open what this should close.
  ///
  /// A device or an address costs its own tunnel, see `device`; a single route that the kernel refuses costs that route, a
  /// setting that is missing that setting.
  package var isEssential: Bool {
    switch self {
    case .addRule, .loadRuleset: true
    case .addRoute(let route): route.kind != .unicast
    case .setLink, .addAddress, .setSysctl, .deleteRule, .deleteRoute, .deleteAddress, .deleteLink, .deleteRuleset:
      false
    }
  }

  /// The device that is of no use when this fails.
  package var device: DeviceName? {
    switch self {
    case .setLink(let device): device.name
    case .addAddress(let address): address.device
    default: nil
    }
  }

  /// True for what may happen while nft is at work: the old text guards, or the plan's own rule does where there is none
  /// yet. Forwarding and deletions wait.
  var mayPrecedeRuleset: Bool {
    if case .setSysctl(let sysctl) = self {
      return !sysctl.path.hasSuffix("/ip_forward") && !sysctl.path.hasSuffix("/forwarding")
    }
    return isAddition
  }
}
