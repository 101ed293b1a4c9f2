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

  @Test("the firewall's monitor hears of a flush and of a deleted table, and of nothing else")
  func deletions() throws {
    let heard = try Namespace.run {
      let monitor = try FirewallMonitor()
      var heard: [Bool] = []
      for command in [
        "nft add table inet adit", "nft add chain inet adit lan", "nft flush table inet adit", "nft flush ruleset",
        "nft add table inet adit", "nft delete table inet adit",
      ] {
        try Namespace.shell(command)
        heard.append(monitor.drain())
      }
      heard.append(monitor.drain())
      return heard
    }
    #expect(heard == [false, false, false, true, false, true, false])
  }
}
