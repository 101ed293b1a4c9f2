import Gateway
import Netlink

extension Step {
  enum Batch: Hashable { case addAddress, addRoute, addRule, deleteRule, deleteRoute, deleteAddress, deleteLink }

  /// The kind of a step that netlink does.
  var batch: Batch? {
    switch self {
    case .addAddress: .addAddress
    case .addRoute: .addRoute
    case .addRule: .addRule
    case .deleteRule: .deleteRule
    case .deleteRoute: .deleteRoute
    case .deleteAddress: .deleteAddress
    case .deleteLink: .deleteLink
    case .setLink, .loadRuleset, .setSysctl, .deleteRuleset: nil
    }
  }

  var netlinkChange: NetlinkChange? {
    switch self {
    case .addAddress(let address): .addAddress(address)
    case .addRoute(let route): .addRoute(route)
    case .addRule(let rule): .addRule(rule)
    case .deleteRule(let rule): .deleteRule(rule)
    case .deleteRoute(let route): .deleteRoute(route)
    case .deleteAddress(let address): .deleteAddress(address)
    case .deleteLink(let name): .deleteLink(name)
    case .setLink, .loadRuleset, .setSysctl, .deleteRuleset: nil
    }
  }
}
