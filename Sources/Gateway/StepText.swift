import Base

extension Difference {
  /// The steps from the system as it is to a plan, a line each; `nothing to do` when there is none.
  package static func text(from installed: Installed, to plan: NetworkPlan) -> String {
    var lines = steps(from: installed, to: plan).map { $0.text(from: installed) }
    let wanted = plan.nameService.lines
    lines += wanted.filter { !installed.names.contains($0) }.map { "+ \($0)" }
    lines += installed.names.filter { !wanted.contains($0) }.map { "- \($0)" }
    return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
  }
}

extension Step {
  /// `+` for what comes, `-` for what goes, `~` for what takes the place of something that stands.
  ///
  /// - Parameter installed: the system that the step starts from.
  package func text(from installed: Installed) -> String {
    let now = installed.snapshot
    return switch self {
    case .setLink(let device): (now.link(named: device.name) == nil ? "+ " : "~ ") + "link \(device.words)"
    case .addAddress(let address): "+ address \(address.words)"
    case .addRoute(let route):
      (now.routes.contains { $0.place == route.place } ? "~ " : "+ ") + "route \(route.words)"
    case .addRule(let rule): "+ rule \(rule.words)"
    case .loadRuleset: (installed.ruleset == nil ? "+ " : "~ ") + Self.table
    case .setSysctl(let wanted): Self.text(wanted, over: installed.sysctls.first { $0.path == wanted.path })
    case .deleteRule(let rule): "- rule \(rule.words)"
    case .deleteRoute(let route): "- route \(route.words)"
    case .deleteAddress(let address): "- address \(address.words)"
    case .deleteLink(let name): "- link \(name)"
    case .deleteRuleset: "- " + Self.table
    }
  }

  private static func text(_ wanted: NetworkPlan.Sysctl, over current: NetworkPlan.Sysctl?) -> String {
    let words = "sysctl \(wanted.path)=\(wanted.value)"
    return current.map { "~ \(words) (now \($0.value))" } ?? "+ \(words)"
  }

  private static let table = "nft table inet adit"
}
