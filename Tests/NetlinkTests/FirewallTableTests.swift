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
