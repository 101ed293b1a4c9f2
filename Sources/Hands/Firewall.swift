import Base
import Gateway
import IO
import Netlink

/// Our one nft table: loaded and deleted by `nft -f -`, one run at a time.
struct Firewall: ~Copyable {
  static let table = "adit"
  private static let deletion = "table inet \(table)\ndelete table inet \(table)\n"
  static let programs = ["/usr/sbin/nft", "/sbin/nft", "/usr/bin/nft", "/usr/local/sbin/nft"]
  /// A run takes some 20 ms; a router with other things to do gets time.
  private static let patience = Duration.seconds(10)
  private static let longestReason = 400

  /// The text that stands; empty when our table is there and its text is not known, `nil` when it is not there.
  private(set) var loaded: String?
  private var run: ChildProcess?
  /// How often nft was started: a new run's descriptor often has the number of the last one.
  private(set) var runs = 0
  /// What `loaded` becomes when the run succeeds.
  private var loading: String?
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
    do throws(NetlinkFailure) {
      return try FirewallTable.exists(table, set: NetworkPlan.alwaysSet.text)
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
  }

  /// Looks whether somebody took our table away, or whether a predecessor left one.
  mutating func refresh() throws(Fault) {
    do throws(NetlinkFailure) {
      loaded = try FirewallTable.exists(Self.table) ? loaded ?? "" : nil
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
  }

  /// - Parameter ruleset: `nil` deletes our table; deleting one that is not there is no failure.
  mutating func start(_ ruleset: String?) throws(Fault) {
    precondition(run == nil, "nft runs already")
    guard let program = Self.programs.first(where: { TextFile.status($0) != nil }) else {
      throw Fault(.firewallFailed, "the program nft is not installed")
    }
    var request = ChildProcess.Request(program, ["-f", "-"])
    request.input = Array((ruleset ?? Self.deletion).utf8)
    do throws(SystemFailure) {
      run = try ChildProcess(request)
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
    runs += 1
    loading = ruleset
    deadline = Clock.now + Self.patience
  }

  /// - Returns: true when the run has ended well, false while it runs.
  mutating func finish() throws(Fault) -> Bool {
    guard let result = run?.result() else {
      guard let deadline, Clock.now >= deadline else { return false }
      stop()
      throw Fault(.firewallFailed, "nft did not end in time")
    }
    stop()
    guard result.isSuccess else { throw Fault(.firewallFailed, Self.reason(result)) }
    loaded = loading
    return true
  }

  /// Ends a run that is not over: its transaction happens whole or not at all.
  mutating func stop() {
    run = nil
    deadline = nil
  }

  private static func reason(_ result: ChildProcess.Result) -> String {
    if result.output.isEmpty { return "nft ended with \(result.ending) and no word" }
    // The first complaint; the lines under it show the place in a text that is ours.
    let words = result.output.split(separator: "\n").prefix(2).joined(separator: " ")
    return String(words.prefix(longestReason))
  }
}
