import Base
import Gateway
import IO
import Netlink

/// Our one nft table: loaded and deleted by `nft -f -`, one run at a time.
struct Firewall: ~Copyable {
  static let table = NetworkPlan.table.text
  private static let deletion = "table inet \(table)\ndelete table inet \(table)\n"
  static let programs = ["/usr/sbin/nft", "/sbin/nft", "/usr/bin/nft", "/usr/local/sbin/nft"]
  /// A run takes some 20 ms; a router with other things to do gets time.
  private static let patience = Duration.seconds(10)
  private static let longestReason = 400
  /// Somebody else may change the table between our look and the run. The last attempt keeps nothing, and so does not depend
  /// on what stands.
  private static let attempts = 3

  /// What is being done to the table.
  private enum Work {
    case load(String, attempt: Int)
    case deletion
  }

  /// As of the last look or run; `nil` when our table is not there.
  private(set) var standing: StandingRuleset?
  /// True while the table has the text that this process loaded. What a table that somebody else made or changed holds, its
  /// digest does not prove.
  private(set) var isTrusted = false
  private var run: ChildProcess?
  private var wasTouched = false
  /// What the run will show of itself in the events of nf_tables; each run ends with one transaction at most.
  private var expected: Expectation?

  private enum Expectation: Hashable {
    case load(chain: String)
    case deletion
  }
  /// How often nft was started: a new run's descriptor often has the number of the last one.
  private(set) var runs = 0
  private var work = Work.deletion
  private(set) var deadline: Instant?

  init() throws(Fault) { try refresh() }

  var isRunning: Bool { run != nil }
  var descriptor: Int32? {
    switch run {
    case .some(let child): child.descriptor
    case .none: nil
    }
  }

  /// True when the table that stands closes a gateway for good.
  static func holdsAlways() throws(Fault) -> Bool {
    try asking { () throws(NetlinkFailure) in try FirewallTable.exists(table, set: NetworkPlan.alwaysSet.text) }
  }

  /// Looks at what stands.
  mutating func refresh() throws(Fault) {
    standing = try Self.asking { () throws(NetlinkFailure) in
      guard let contents = try FirewallTable.contents(of: Self.table) else { return nil }
      let rules = try FirewallTable.ruleCount(of: Self.table)
      let digests = contents.chains.compactMap { RulesetDigest(chain: $0, rules: rules) }
      return digests.count == 1 ? .text(digests[0]) : .unknown
    }
    if standing == nil { isTrusted = false }
  }

  private static func asking<Answer>(_ body: () throws(NetlinkFailure) -> Answer) throws(Fault) -> Answer {
    do throws(NetlinkFailure) {
      return try body()
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
  }

  /// - Parameter ruleset: `nil` deletes our table; deleting one that is not there is no failure.
  mutating func start(_ ruleset: String?) throws(Fault) {
    precondition(run == nil, "nft runs already")
    if let ruleset {
      try begin(.load(ruleset, attempt: 1))
    } else {
      try begin(.deletion)
    }
  }

  private mutating func begin(_ next: Work) throws(Fault) {
    guard let program = Self.programs.first(where: { TextFile.status($0) != nil }) else {
      throw Fault(.firewallFailed, "the program nft is not installed")
    }
    var request = ChildProcess.Request(program, ["-f", "-"])
    request.input = Array(try Self.input(next).utf8)
    do throws(SystemFailure) {
      run = try ChildProcess(request)
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
    work = next
    isTrusted = false
    wasTouched = false
    switch next {
    case .load(let ruleset, _): expected = .load(chain: RulesetDigest(of: ruleset).chain)
    case .deletion: expected = .deletion
    }
    runs += 1
    deadline = Clock.now + Self.patience
  }

  private static func input(_ work: Work) throws(Fault) -> String {
    switch work {
    case .deletion: return deletion
    case .load(let ruleset, let attempt):
      guard attempt < attempts else { return RulesetLoad.replacing(ruleset) }
      let contents = try asking { () throws(NetlinkFailure) in try FirewallTable.contents(of: table) }
      return RulesetLoad.text(ruleset, over: contents)
    }
  }

  /// - Returns: true when the run has ended well, false while it runs, or runs again.
  mutating func finish() throws(Fault) -> Bool {
    guard let result = run?.result() else {
      guard let deadline, Clock.now >= deadline else { return false }
      stop()
      throw Fault(.firewallFailed, "nft did not end in time")
    }
    stop()
    switch work {
    case .load(let ruleset, let attempt):
      if result.isSuccess {
        standing = .text(RulesetDigest(of: ruleset))
        isTrusted = !wasTouched
        return true
      }
      // Over nothing there was nothing to be mistaken about.
      guard attempt < Self.attempts, standing != nil else { break }
      try begin(.load(ruleset, attempt: attempt + 1))
      return false
    case .deletion:
      guard result.isSuccess else { break }
      standing = nil
      return true
    }
    throw Fault(.firewallFailed, Self.reason(result))
  }

  /// Ends a run that is not over: its transaction happens whole or not at all.
  mutating func stop() {
    run = nil
    deadline = nil
  }

  /// Tells our own transactions from others'. By what they do and not by the process's number, which the kernel gives as
  /// the whole machine counts and not as a container does.
  mutating func isForeign(_ change: FirewallChange) -> Bool {
    switch expected {
    case .load(let chain) where change.newChains.contains(chain): expected = nil
    case .deletion where change.deletesTable && change.added == 0: expected = nil
    default:
      // What is put into timed sets is nobody's attack.
      return change.deletesTable || change.removed + change.added > 0
        || change.changedSets.contains { TimedSet(name: $0) == nil }
    }
    return false
  }

  /// Somebody else changed the table: what stands there is not known until it is loaded anew.
  ///
  /// While nft runs it may have been after our own change.
  mutating func distrust() {
    isTrusted = false
    wasTouched = true
  }

  private static func reason(_ result: ChildProcess.Result) -> String {
    if result.output.isEmpty { return "nft ended with \(result.ending) and no word" }
    // The first complaint; the lines under it show the place in a text that is ours.
    let words = result.output.split(separator: "\n").prefix(2).joined(separator: " ")
    return String(words.prefix(longestReason))
  }
}
