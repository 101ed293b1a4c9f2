import Base
import Gateway
import Hands
import IO
import NamespaceKit
import Netlink
import Testing

@Suite("A plan", .enabled(if: Namespace.isPossible))
struct PlanTests {
  @Test("every step is done, a second time there is nothing to do, and the empty plan takes all away")
  func wholeLife() throws {
    let plan = try samplePlan()
    struct Seen: Sendable {
      var failures: [[StepFailure]] = []
      var before = Snapshot()
      var during = Snapshot()
      var after = Snapshot()
      var again: [Step] = []
      var nft = ""
      var forwarding: [String?] = []
      var undo: [String?] = []
    }
    let seen = try inHouse { state in
      var seen = Seen()
      let hands = try Hands(stateDirectory: state.path)
      seen.before = try hands.netlink.snapshot()
      func look() {
        seen.forwarding.append(SysctlFile.value("net/ipv4/ip_forward"))
        seen.undo.append(state.undo)
      }
      look()
      seen.failures.append(try finish(hands, try hands.apply(plan)))
      look()
      let installed = try hands.installed(for: plan)
      seen.during = installed.snapshot
      seen.again = Difference.steps(from: installed, to: plan)
      seen.nft = try Namespace.shell("nft list table inet adit")
      seen.failures.append(try finish(hands, try hands.apply(NetworkPlan())))
      look()
      seen.after = try hands.netlink.snapshot()
      seen.nft += try Namespace.shell("nft list ruleset")
      return seen
    }
    #expect(seen.failures == [[], []])
    #expect(seen.again == [])
    #expect(seen.before == seen.after)
    let tun = try #require(seen.during.links.first { $0.name.text == "tun-home" })
    #expect(tun.alias == "adit:home" && tun.mtu == 1420 && tun.transmitQueueLength == 500 && tun.isUp)
    #expect(seen.nft.contains("first"))
    #expect(seen.nft.components(of: "table inet adit") == 1)
    #expect(seen.forwarding == ["0", "1", "0"])
    #expect(
      seen.undo == [
        nil,
        "sysctl\tnet/ipv4/conf/tun-home/promote_secondaries\t0\t1\nsysctl\tnet/ipv4/conf/all/src_valid_mark\t0\t1\n"
          + "sysctl\tnet/ipv4/ip_forward\t0\t1\n", nil,
      ])
  }

  @Test("what a plan adds stands while nft is at work; forwarding and deletions wait for it")
  func order() throws {
    let plan = try samplePlan()
    var changed = plan
    changed.ruleset = ruleset("second")
    changed.routes.append(Route(destination: try prefix("10.98.0.0/16"), device: try device("tun-home"), table: 44129))
    changed.routes.removeAll { $0.destination.description == "10.99.0.0/16" }
    let later = changed
    let (first, forwarding, second, routesWhileLoading, routesAfter, nft) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      let first = try hands.apply(plan)
      let forwarding = SysctlFile.value("net/ipv4/ip_forward")
      _ = try finish(hands, first)
      let second = try hands.apply(later)
      func specific() throws -> [String] {
        try hands.netlink.snapshot().routes.filter { $0.table == 44129 }.map { $0.destination.description }.sorted()
      }
      let during = try specific()
      _ = try finish(hands, second)
      return (first, forwarding, second, during, try specific(), try Namespace.shell("nft list ruleset"))
    }
    #expect(!first.isDone && first.hasAdded)
    #expect(forwarding == "0")
    #expect(!second.isDone && second.hasAdded)
    #expect(routesWhileLoading == ["10.98.0.0/16", "10.99.0.0/16"])
    #expect(routesAfter == ["10.98.0.0/16"])
    #expect(nft.contains("second") && !nft.contains("first"))
  }

  @Test("plans that come while one is being done: the newest is done after it")
  func newest() throws {
    let plan = try samplePlan()
    var middle = plan
    middle.ruleset = "this is no ruleset"
    var last = plan
    last.ruleset = ruleset("last")
    let (second, third) = (middle, last)
    let (failures, nft) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      let first = try hands.apply(plan)
      _ = try hands.apply(second)
      _ = try hands.apply(third)
      return (try finish(hands, first), try Namespace.shell("nft list ruleset"))
    }
    #expect(failures == [])
    #expect(nft.contains("last"))
  }

  @Test("a ruleset that nft refuses: its words are kept and forwarding stays off")
  func brokenRuleset() throws {
    var plan = try samplePlan()
    plan.ruleset = "table inet adit {\n  chain x { nonsense }\n}\n"
    let broken = plan
    let (failures, forwarding) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      let failures = try finish(hands, try hands.apply(broken))
      return (failures, SysctlFile.value("net/ipv4/ip_forward"))
    }
    #expect(failures.count == 1)
    #expect(failures.first?.fault.code == .firewallFailed)
    #expect(failures.first?.fault.detail?.contains("syntax error") == true)
    #expect(forwarding == "0")
  }

  @Test("a pushed route that the kernel refuses costs that route only")
  func refusedRoute() throws {
    var plan = try samplePlan()
    plan.routes.append(
      Route(
        destination: try prefix("10.97.0.0/16"), device: try device("tun-home"), source: try address("9.9.9.9"),
        table: 44129))
    let wanted = plan
    let (failures, forwarding) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      return (try hands.applyNow(wanted, within: .seconds(5)), SysctlFile.value("net/ipv4/ip_forward"))
    }
    #expect(failures.map(\.fault.code) == [.networkPlanFailed])
    #expect(failures.first?.fault.detail?.contains("10.97.0.0/16") == true)
    #expect(forwarding == "1")
  }

  @Test("a table that somebody flushed is loaded again")
  func flushed() throws {
    let plan = try samplePlan()
    let nft = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(plan, within: .seconds(5))
      try Namespace.shell("nft flush ruleset")
      _ = try hands.applyNow(plan, within: .seconds(5))
      return try Namespace.shell("nft list ruleset")
    }
    #expect(nft.contains("first"))
  }
}

extension String {
  fileprivate func components(of word: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: word) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
