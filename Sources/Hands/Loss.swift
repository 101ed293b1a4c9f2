package import Gateway

/// Something of ours that was gone, or had another value, though a plan had brought it.
package struct Loss: Hashable, Sendable {
  /// What brings it back.
  package var step: Step
  /// The value that a setting had instead.
  package var found: String?

  package init(step: Step, found: String? = nil) {
    self.step = step
    self.found = found
  }
}

extension NetworkPlan {
  /// True when the plan itself wants what the step brings.
  func brings(_ step: Step) -> Bool {
    switch step {
    case .setLink(let device): devices.contains(device)
    case .addAddress(let address): addresses.contains(address)
    case .addRoute(let route): routes.contains(route)
    case .addRule(let rule): rules.contains(rule)
    case .loadRuleset(let text): ruleset == text
    case .setSysctl(let sysctl): sysctls.contains(sysctl)
    case .deleteRule, .deleteRoute, .deleteAddress, .deleteLink, .deleteRuleset: false
    }
  }
}

extension Step {
  var sysctl: NetworkPlan.Sysctl? {
    if case .setSysctl(let sysctl) = self { sysctl } else { nil }
  }
}
