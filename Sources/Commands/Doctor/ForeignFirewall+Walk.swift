package import Base
import Control

extension ForeignFirewall {
  /// A packet as far as it is known beforehand.
  package struct Traffic: Hashable, Sendable {
    package var family: AddressFamily
    package var input: String?
    package var output: String?
    package var transport = "tcp"
    package var destinationPort: Int64?
    /// `new` or `established`.
    package var state = "new"

    package init(_ family: AddressFamily, from input: DeviceName? = nil, to output: DeviceName? = nil) {
      self.family = family
      self.input = input?.text
      self.output = output?.text
    }
  }

  /// What may become of it.
  package struct Outcome: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let accepted = Outcome(rawValue: 1)
    package static let dropped = Outcome(rawValue: 2)
    /// The chain's end, or `return`.
    static let returned = Outcome(rawValue: 4)
    /// By the policy of a base chain, no rule said anything.
    package static let droppedByPolicy = Outcome(rawValue: 8)
  }

  /// What a base chain makes of the traffic.
  package func outcome(of traffic: Traffic, in chain: Chain) -> Outcome {
    var walk = Walk(firewall: self, traffic: traffic)
    var outcome = walk.pass(chain, depth: 0)
    if outcome.contains(.returned) {
      outcome.remove(.returned)
      outcome.formUnion(chain.policyDrops ? [.dropped, .droppedByPolicy] : .accepted)
    }
    return outcome
  }

  /// True when the kernel asks chains of this family about the traffic.
  static func concerns(_ chain: Chain, _ family: AddressFamily) -> Bool {
    switch chain.name.family {
    case "inet": true
    case "ip": family == .ipv4
    case "ip6": family == .ipv6
    default: false
    }
  }
}

/// Follows a packet through chains; what cannot be known goes both ways.
private struct Walk {
  let firewall: ForeignFirewall
  let traffic: ForeignFirewall.Traffic
  /// Chains that jump to each other cannot be loaded, but what nft printed is not ours to trust.
  static let deepest = 16
  private var steps = 200_000

  init(firewall: ForeignFirewall, traffic: ForeignFirewall.Traffic) {
    self.firewall = firewall
    self.traffic = traffic
  }

  mutating func pass(_ chain: ForeignFirewall.Chain, depth: Int) -> ForeignFirewall.Outcome {
    guard depth < Self.deepest else { return [.accepted, .dropped] }
    var outcome: ForeignFirewall.Outcome = []
    for rule in chain.rules {
      let (isOver, verdicts) = pass(rule, of: chain.name, depth: depth)
      outcome.formUnion(verdicts)
      if isOver { return outcome }
    }
    return outcome.union(.returned)
  }

  private mutating func pass(
    _ rule: [JSONValue], of chain: ForeignFirewall.ChainName, depth: Int
  ) -> (isOver: Bool, ForeignFirewall.Outcome) {
    var isCertain = true
    var outcome: ForeignFirewall.Outcome = []
    for statement in rule {
      steps -= 1
      guard steps > 0, let member = statement.members?.first else { return (false, outcome) }
      switch member.key {
      case "match":
        switch truth(of: member.value, in: chain) {
        case true?: continue
        case false?: return (false, outcome)
        case nil: isCertain = false
        }
      case "vmap":
        let (isOver, verdicts) = pass(map: member.value, of: chain, depth: depth)
        outcome.formUnion(verdicts)
        if isOver, isCertain { return (true, outcome) }
      case "limit", "quota", "xt", "connlimit", "ct count":
        if member.key == "xt", member.value["name"]?.text == "REJECT" { return (isCertain, outcome.union(.dropped)) }
        isCertain = false
      default:
        guard let (isOver, verdicts) = verdict(statement, of: chain, depth: depth) else { continue }
        outcome.formUnion(verdicts)
        return (isOver && isCertain, outcome)
      }
    }
    return (false, outcome)
  }

  /// - Returns: `nil` when the statement is no verdict; else whether the walk of this chain ends by it.
  private mutating func verdict(
    _ statement: JSONValue, of chain: ForeignFirewall.ChainName, depth: Int
  ) -> (isOver: Bool, ForeignFirewall.Outcome)? {
    guard let member = statement.members?.first else { return nil }
    switch member.key {
    case "accept": return (true, .accepted)
    case "drop", "reject": return (true, .dropped)
    case "return": return (true, .returned)
    case "queue": return (true, [.accepted, .dropped])
    case "jump", "goto":
      var target = chain
      target.chain = member.value["target"]?.text ?? ""
      guard let next = firewall.chain(target) else { return (false, []) }
      var outcome = pass(next, depth: depth + 1)
      let comesBack = outcome.contains(.returned)
      if member.key == "jump" { outcome.remove(.returned) }
      return (member.key == "goto" || !comesBack, outcome)
    default: return nil
    }
  }

  private mutating func pass(
    map: JSONValue, of chain: ForeignFirewall.ChainName, depth: Int
  ) -> (isOver: Bool, ForeignFirewall.Outcome) {
    guard let key = map["key"], let entries = map["data"]?["set"]?.elements else { return (false, []) }
    var outcome: ForeignFirewall.Outcome = []
    for entry in entries {
      guard let pair = entry.elements, pair.count == 2 else { continue }
      let isHit = truth(of: key, matches: pair[0], in: chain)
      guard isHit != false, let (isOver, verdicts) = verdict(pair[1], of: chain, depth: depth) else { continue }
      outcome.formUnion(verdicts)
      if isHit == true { return (isOver, outcome) }
    }
    return (false, outcome)
  }

  // MARK: Conditions

  /// `nil` = it cannot be known.
  private func truth(of match: JSONValue, in chain: ForeignFirewall.ChainName) -> Bool? {
    guard let left = match["left"], let right = match["right"], let operation = match["op"]?.text else { return nil }
    let isHit = truth(of: left, matches: right, in: chain)
    switch operation {
    case "==", "in": return isHit
    case "!=": return isHit.map { !$0 }
    default: return nil
    }
  }

  private func truth(
    of left: JSONValue, matches right: JSONValue, in chain: ForeignFirewall.ChainName
  ) -> Bool? {
    if let name = right.text, name.hasPrefix("@") {
      guard let elements = firewall.set(String(name.dropFirst()), in: chain) else { return nil }
      return any(of: elements) { truth(of: left, matches: $0, in: chain) }
    }
    if let elements = right["set"]?.elements ?? right.elements {
      return any(of: elements) { truth(of: left, matches: $0, in: chain) }
    }
    if let element = right["elem"]?["val"] { return truth(of: left, matches: element, in: chain) }
    return truth(of: left, is: right)
  }

  private func any(of elements: [JSONValue], _ body: (JSONValue) -> Bool?) -> Bool? {
    var isOpen = false
    for element in elements {
      switch body(element) {
      case true?: return true
      case false?: continue
      case nil: isOpen = true
      }
    }
    return isOpen ? nil : false
  }

  private func truth(of left: JSONValue, is right: JSONValue) -> Bool? {
    if let key = left["meta"]?["key"]?.text {
      switch key {
      case "iifname", "iif": return device(traffic.input, is: right)
      case "oifname", "oif": return device(traffic.output, is: right)
      case "nfproto": return right.text.map { $0 == traffic.family.keyword }
      case "protocol": return right.text.map { $0 == (traffic.family == .ipv4 ? "ip" : "ip6") }
      case "l4proto": return right.text.map { $0 == traffic.transport }
      default: return nil
      }
    }
    if left["ct"]?["key"]?.text == "state" { return right.text.map { $0 == traffic.state } }
    // None of ours is sent elsewhere than it was meant for.
    if left["ct"]?["key"]?.text == "status", right.text == "dnat" { return false }
    guard let header = left["payload"]?["protocol"]?.text else { return nil }
    switch header {
    case "ip" where traffic.family == .ipv6, "ip6" where traffic.family == .ipv4: return false
    case "tcp", "udp", "icmp", "icmpv6", "sctp", "dccp":
      guard header == traffic.transport else { return false }
    case "th": break
    default: return nil
    }
    guard left["payload"]?["field"]?.text == "dport", let port = traffic.destinationPort else { return nil }
    if let bounds = right["range"]?.elements, bounds.count == 2, let first = bounds[0].integer,
      let last = bounds[1].integer
    {
      return first <= port && port <= last
    }
    return right.integer.map { $0 == port }
  }

  /// `tun*` stands for every name that begins so.
  private func device(_ device: String?, is pattern: JSONValue) -> Bool? {
    guard let pattern = pattern.text else { return nil }
    guard let device else { return false }
    return pattern.hasSuffix("*") ? device.hasPrefix(pattern.dropLast()) : device == pattern
  }
}
