package import Base
package import Settings

/// What the rules for connecting on demand depend on, at one moment.
package struct Surroundings: Hashable, Sendable {
  /// `nil` = there is no way out.
  package var uplink: Uplink?
  /// Our own on the uplink's device.
  package var addresses: [IPAddress]
  /// What was asked whether it is there; missing = not yet known.
  package var answers: [ReachTarget: Bool]

  package init(uplink: Uplink? = nil, addresses: [IPAddress] = [], answers: [ReachTarget: Bool] = [:]) {
    self.uplink = uplink
    self.addresses = addresses
    self.answers = answers
  }
}

/// The rules for connecting on demand: of those that speak of a tunnel the first that fits decides. A rule fits when all its
/// conditions do; a condition fits when one of its values does.
package enum OnDemand {
  package enum Verdict: Hashable, Sendable {
    /// No rule speaks of it: as if there were none.
    case none
    /// It depends on what is not known yet: the tunnel stays as it is.
    case undecided
    /// - words: which rule, and why it fits.
    case rule(OnDemandSettings.Action, words: String)
  }

  package static func verdict(
    _ rules: [OnDemandSettings], for tunnel: TunnelName, in surroundings: Surroundings
  ) -> Verdict {
    for rule in rules where rule.tunnels.isEmpty || rule.tunnels.contains(tunnel) {
      // A slip of the pen must not take the tunnel away.
      let place = "\(rule.location.file):\(rule.location.line)"
      if rule.isBroken { return .rule(.connect, words: "\(place) has an error, which counts as `connect`") }
      var reasons: [String] = []
      switch fits(rule, surroundings, &reasons) {
      case .no: continue
      case .unknown: return .undecided
      case .yes:
        let why = reasons.isEmpty ? "always" : reasons.joined(separator: ", ")
        return .rule(rule.action, words: "\(rule.action.rawValue) by \(place): \(why)")
      }
    }
    return .none
  }

  private enum Fit { case yes, no, unknown }

  private static func fits(_ rule: OnDemandSettings, _ surroundings: Surroundings, _ reasons: inout [String]) -> Fit {
    if rule.isUnconditional { return .yes }
    // Between two ways out nothing can be said: what was right a moment ago stays.
    guard let uplink = surroundings.uplink, uplink.isUp else { return .unknown }
    if !rule.uplinks.isEmpty {
      guard rule.uplinks.contains(where: { DevicePattern.fits($0, uplink.device.text) }) else { return .no }
      reasons.append("the uplink is \(uplink.device)")
    }
    if !rule.kinds.isEmpty {
      guard rule.kinds.contains(uplink.kind) else { return .no }
      reasons.append("its kind is \(uplink.kind.rawValue)")
    }
    if !rule.subnets.isEmpty {
      if surroundings.addresses.isEmpty { return .unknown }
      guard let address = surroundings.addresses.first(where: { own in rule.subnets.contains { $0.contains(own) } })
      else { return .no }
      reasons.append("its address is \(address)")
    }
    return reaches(rule.reachable, surroundings.answers, &reasons)
  }

  private static func reaches(
    _ targets: [ReachTarget], _ answers: [ReachTarget: Bool], _ reasons: inout [String]
  ) -> Fit {
    guard !targets.isEmpty else { return .yes }
    if let target = targets.first(where: { answers[$0] == true }) {
      reasons.append("\(target) answers")
      return .yes
    }
    return targets.allSatisfy { answers[$0] == false } ? .no : .unknown
  }
}

/// A device's name in which `*` stands for any letters, none too.
package enum DevicePattern {
  package static func fits(_ pattern: String, _ name: String) -> Bool {
    var parts = pattern.split(separator: "*", omittingEmptySubsequences: false)[...]
    guard let head = parts.popFirst(), name.hasPrefix(head) else { return false }
    var rest = name.dropFirst(head.count)
    guard let tail = parts.popLast() else { return rest.isEmpty }
    for part in parts {
      // The first place is the best one: it leaves the most for those behind it.
      while !rest.hasPrefix(part) {
        if rest.isEmpty { return false }
        rest = rest.dropFirst()
      }
      rest = rest.dropFirst(part.count)
    }
    return rest.count >= tail.count && rest.hasSuffix(tail)
  }
}
