import NamespaceKit
import Netlink
import Testing

@Suite("nft tables", .enabled(if: Namespace.isPossible))
struct FirewallTableTests {
  @Test("a table is found in its family only, while it is there")
  func existence() throws {
    let seen = try Namespace.run {
      var seen = [try FirewallTable.exists("adit")]
      try Namespace.shell("nft add table ip adit")
      seen.append(try FirewallTable.exists("adit"))
      try Namespace.shell("nft add table inet adit")
      seen.append(try FirewallTable.exists("adit"))
      try Namespace.shell("nft delete table inet adit")
      seen.append(try FirewallTable.exists("adit"))
      return seen
    }
    #expect(seen == [false, false, true, false])
  }
}

@Suite("The firewall's monitor", .enabled(if: Namespace.isPossible))
struct FirewallMonitorTests {
  private static let table = """
    add table inet adit
    add chain inet adit guard { type filter hook forward priority 0; }
    add set inet adit lan { type ifname; }
    add set inet adit pass4 { type ipv4_addr; flags timeout; }
    add counter inet adit blocked
    add rule inet adit guard iifname @lan counter name blocked drop
    """

  /// What is heard of each command.
  private func heard(_ commands: [String]) throws -> [[FirewallChange]] {
    try Namespace.run {
      try Namespace.shell("nft -f - <<'END'\n\(Self.table)\nEND")
      var monitor = try FirewallMonitor(table: "adit")
      var heard: [[FirewallChange]] = []
      for command in commands {
        try Namespace.shell(command)
        let report = monitor.drain()
        if report.hasOverflowed { throw Namespace.Failure(description: "overflow") }
        heard.append(report.changes)
      }
      return heard + [monitor.drain().changes]
    }
  }

  @Test("G-22: whatever anybody does to the table is one change, with the program's name")
  func changes() throws {
    let commands: [(String, (FirewallChange) -> Bool)] = [
      ("nft add rule inet adit guard accept", { $0.added == 1 && $0.removed == 0 }),
      ("nft insert rule inet adit guard accept", { $0.added == 1 }),
      ("nft add element inet adit lan '{ eth0 }'", { $0.changedSets == ["lan"] && $0.added + $0.removed == 0 }),
      ("nft delete element inet adit lan '{ eth0 }'", { $0.changedSets == ["lan"] }),
      ("nft add element inet adit pass4 '{ 9.9.9.9 timeout 1h }'", { $0.changedSets == ["pass4"] }),
      ("nft flush chain inet adit guard", { $0.removed == 3 && !$0.deletesTable }),
      ("nft delete set inet adit lan", { $0.removed == 1 }),
      ("nft add chain inet adit more", { $0.newChains == ["more"] && $0.added == 1 }),
      ("nft add rule inet adit guard accept", { $0.added == 1 }),
      ("nft flush table inet adit", { $0.removed == 1 && !$0.deletesTable }),
      ("nft add table inet adit '{ flags dormant; }'", { $0.added == 1 }),
      ("nft flush ruleset", { $0.deletesTable }),
      ("nft add table inet adit", { $0.added == 1 && !$0.deletesTable }),
      ("nft delete table inet adit", { $0.deletesTable && $0.removed == 1 }),
    ]
    let all = try heard(commands.map(\.0))
    for ((command, isRight), changes) in zip(commands, all) {
      #expect(changes.count == 1, "\(command): \(changes)")
      guard let change = changes.first else { continue }
      #expect(isRight(change), "\(command): \(change)")
      #expect(change.program == "nft" && change.process ?? 0 > 0, "\(command): \(change)")
    }
    #expect(all.last == [])
  }

  @Test("nothing is heard of other tables, of our name in another family, and of what changes nothing")
  func silence() throws {
    let all = try heard([
      "nft add table inet other; nft add chain inet other adit; nft flush ruleset ip", "nft add table ip adit",
      "nft add rule ip adit x accept || true; nft delete table ip adit", "nft list ruleset; nft reset counters",
      "nft add table inet adit", "nft -c add rule inet adit guard accept",
    ])
    #expect(all.flatMap { $0 } == [])
  }

  @Test("an element whose time is over goes without a word")
  func timeout() throws {
    let all = try heard([
      "nft add element inet adit pass4 '{ 9.9.9.9 timeout 50ms }'",
      "until ! nft list set inet adit pass4 | grep -q 9.9.9.9; do sleep 0.02; done",
    ])
    #expect(all.map(\.count) == [1, 0, 0])
  }

  @Test("dropped events are told, once, and later ones are heard")
  func overflow() throws {
    let reports = try Namespace.run {
      try Namespace.shell("nft -f - <<'END'\n\(Self.table)\nEND")
      var monitor = try FirewallMonitor(table: "adit", socketBuffer: 4096)
      for _ in 0..<20 { try Namespace.shell("nft add rule inet adit guard accept") }
      var reports = [monitor.drain(), monitor.drain()]
      try Namespace.shell("nft flush table inet adit")
      reports.append(monitor.drain())
      return reports
    }
    #expect(reports[0].hasOverflowed)
    #expect(reports[1] == FirewallMonitor.Report())
    #expect(!reports[2].hasOverflowed && reports[2].changes.map(\.removed) == [21])
  }
}
