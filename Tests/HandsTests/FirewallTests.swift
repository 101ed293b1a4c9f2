import Base
import Gateway
import Hands
import NamespaceKit
import Netlink
import Settings
import Testing

/// A plan of nothing but our table.
private func table(_ comment: String, more: String = "") -> NetworkPlan {
  var plan = NetworkPlan()
  plan.ruleset = ruleset(comment, more: more)
  return plan
}

private let patience = Duration.seconds(20)

private func passed(_ text: String, for timeout: Duration? = .seconds(600)) throws -> TimedElement {
  try #require(TimedElement(set: .pass(.ipv4), value: .address(try address(text)), timeout: timeout))
}

@Suite("Loads of our table", .enabled(if: Namespace.isPossible))
struct FirewallTests {
  @Test("a load keeps what was put into timed sets, the time it has left, and counters; all else is the new text's")
  func keeps() throws {
    let element = try passed("192.168.1.7")
    let (failures, before, after, counters, nft) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      var failures = try hands.applyNow(
        table("first", more: "\tcounter old { }\n\tset odd { type mark; }\n"), within: patience)
      try Namespace.shell("nft add rule inet adit forward counter name old; nft add element inet adit odd { 5 }")
      hands.add([element])
      let notes = hands.takeElementNotes()
      let before = try FirewallTable.elements(of: "pass4", in: "adit")
      try Namespace.shell(
        "nft add chain inet adit out '{ type filter hook output priority 0; }'; nft add rule inet adit out counter name blocked"
      )
      try Namespace.shell("ping -c 3 -i 0.01 -q 127.0.0.1")
      hands.distrustRuleset()
      failures += try hands.applyNow(table("second"), within: patience)
      return (
        failures.map(\.fault.sentence) + notes, before, try FirewallTable.elements(of: "pass4", in: "adit"),
        try FirewallTable.counters(of: "adit"), try Namespace.shell("nft list table inet adit")
      )
    }
    #expect(failures == [])
    #expect(before.map(\.key) == [[192, 168, 1, 7]] && after.map(\.key) == [[192, 168, 1, 7]])
    let times = try (#require(before.first?.timeout), #require(after.first?.timeout))
    #expect(times.0 <= .seconds(600) && times.1 <= times.0 && times.1 > .seconds(590))
    #expect(counters.keys.sorted() == ["blocked"])
    #expect(try #require(counters["blocked"]).packets >= 6 && #require(counters["blocked"]).bytes >= 6 * 84)
    #expect(nft.contains("second") && !nft.contains("first") && !nft.contains("chain out") && !nft.contains("set odd"))
  }

  @Test("a set that stands with another type or other flags is made anew")
  func otherFlags() throws {
    let (failures, nft) = try inHouse { state in
      try Namespace.shell(
        "nft add table inet adit; nft add set inet adit pass4 '{ type ipv4_addr; flags timeout, interval; }';"
          + "nft add element inet adit pass4 '{ 10.0.0.0/8 timeout 1h }'")
      let hands = try Hands(stateDirectory: state.path)
      return (
        try hands.applyNow(table("first"), within: patience), try Namespace.shell("nft list set inet adit pass4")
      )
    }
    #expect(failures == [])
    #expect(!nft.contains("interval") && !nft.contains("10.0.0.0"))
  }

  @Test("a table that nft cannot take apart is replaced whole", arguments: ["drop", "a b", "0;"])
  func odd(chain: String) throws {
    let (failures, runs, nft) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      var failures = try hands.applyNow(table("first"), within: patience)
      let json = #"{"nftables":[{"add":{"chain":{"family":"inet","table":"adit","name":"\#(chain)"}}}]}"#
      try Namespace.shell("echo '\(json)' | nft -j -f -")
      hands.distrustRuleset()
      failures += try hands.applyNow(table("second"), within: patience)
      return (failures, hands.runs, try Namespace.shell("nft list table inet adit"))
    }
    #expect(failures == [])
    // A word of nft's own is found out by trying, and once more in case it was a race.
    #expect(runs == (chain == "drop" ? 4 : 2))
    #expect(nft.contains("second") && !nft.contains(chain + " {"))
  }

  @Test("quotas of somebody's in our table go with it")
  func quota() throws {
    let (failures, nft) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(table("first"), within: patience)
      try Namespace.shell("nft add quota inet adit big '{ over 20 mbytes }'")
      hands.distrustRuleset()
      return (try hands.applyNow(table("second"), within: patience), try Namespace.shell("nft list ruleset"))
    }
    #expect(failures == [])
    #expect(nft.contains("second") && !nft.contains("quota"))
  }

  @Test("whoever looks knows which text stands, until its rules are gone; a table not loaded by itself nobody trusts")
  func digest() throws {
    let plan = table("first")
    let (known, flushed, runs) = try inHouse { state in
      _ = try Hands(stateDirectory: state.path).applyNow(plan, within: patience)
      let hands = try Hands(stateDirectory: state.path)
      let known = try hands.installed(for: plan)
      _ = try hands.applyNow(plan, within: patience)
      var runs = [hands.runs]
      _ = try hands.applyNow(plan, within: patience)
      runs.append(hands.runs)
      try Namespace.shell("nft flush table inet adit")
      let flushed = try hands.installed(for: plan)
      _ = try hands.applyNow(plan, within: patience)
      runs.append(hands.runs)
      return (known, flushed, runs)
    }
    #expect(Difference.steps(from: known, to: plan) == [])
    #expect(Difference.steps(from: flushed, to: plan) == [.loadRuleset(try #require(plan.ruleset))])
    #expect(runs == [1, 1, 2])
  }
}

@Suite("Whose change it was", .enabled(if: Namespace.isPossible))
struct ForeignChangeTests {
  @Test("our own loads and the deletion are known as ours, whatever others do beside them")
  func own() throws {
    let element = try passed("192.168.1.7")
    let heard = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      var monitor = try FirewallMonitor(table: Hands.table)
      var heard: [[Bool]] = []
      func hear() { heard.append(monitor.drain().changes.map(hands.isForeign)) }
      _ = try hands.applyNow(table("first"), within: patience)
      hear()
      _ = try hands.applyNow(table("second"), within: patience)
      hands.add([element])
      hear()
      let progress = try hands.apply(table("third"))
      try Namespace.shell("nft add rule inet adit forward accept")
      _ = try finish(hands, progress)
      hear()
      _ = try hands.applyNow(table("third"), within: patience)
      hear()
      _ = try hands.applyNow(NetworkPlan(), within: patience)
      hear()
      return heard
    }
    // In whichever order the two came.
    #expect(heard[2].filter { $0 }.count == 1 && heard[2].count == 2)
    #expect(heard[0] == [false] && heard[1].allSatisfy { !$0 } && heard[3] == [false] && heard[4] == [false])
  }

  @Test(
    "what anybody else does to the table makes it be loaded anew",
    arguments: [
      "nft flush table inet adit", "nft flush chain inet adit forward", "nft flush ruleset",
      "nft delete table inet adit", "nft insert rule inet adit forward accept", "nft add chain inet adit more",
      "nft add element inet adit lan '{ eth9 }'", "nft flush set inet adit lan",
      "nft add table inet adit '{ flags dormant; }'",
      "nft list table inet adit > /tmp/adit-$$; nft flush ruleset; nft -f /tmp/adit-$$; rm /tmp/adit-$$",
    ])
  func foreign(command: String) throws {
    let plan = table("first", more: "\tset lan { type ifname; elements = { \"lan0\" }; }\n")
    let (foreign, runs, before, after) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      var monitor = try FirewallMonitor(table: Hands.table)
      _ = try hands.applyNow(plan, within: patience)
      _ = monitor.drain().changes.map(hands.isForeign)
      let before = try Namespace.shell("nft list table inet adit")
      try Namespace.shell(command)
      let foreign = monitor.drain().changes.map(hands.isForeign)
      let runs = hands.runs
      _ = try hands.applyNow(plan, within: patience)
      return (foreign, hands.runs - runs, before, try Namespace.shell("nft list table inet adit"))
    }
    #expect(foreign.contains(true))
    // The kernel wakes a table that sleeps only when nothing else is done to it: the last attempt replaces it.
    #expect(runs == (command.contains("dormant") ? 3 : 1))
    #expect(before == after)
  }

  @Test("elements of timed sets may come and go by anybody's hand")
  func elements() throws {
    let (foreign, runs) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      var monitor = try FirewallMonitor(table: Hands.table)
      _ = try hands.applyNow(table("first"), within: patience)
      _ = monitor.drain().changes.map(hands.isForeign)
      try Namespace.shell("nft add element inet adit pass4 '{ 10.0.0.1 timeout 1h }'; nft flush set inet adit pass4")
      let foreign = monitor.drain().changes.map(hands.isForeign)
      _ = try hands.applyNow(table("first"), within: patience)
      return (foreign, hands.runs)
    }
    #expect(foreign == [false, false] && runs == 1)
  }
}

@Suite("Elements of timed sets", .enabled(if: Namespace.isPossible))
struct ElementTests {
  @Test("an element comes, gets a new time, and goes; one without a time stays")
  func life() throws {
    let short = try passed("192.168.1.7", for: .seconds(20))
    let long = try passed("192.168.1.7", for: .seconds(900))
    let forever = try passed("192.168.1.8", for: nil)
    let seen = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(table("first"), within: patience)
      func look() throws -> [FirewallTable.Element] {
        try FirewallTable.elements(of: "pass4", in: "adit").sorted { $0.key[3] < $1.key[3] }
      }
      hands.add([short, forever])
      var seen = [try look()]
      hands.add([long])
      seen.append(try look())
      hands.add([short])
      seen.append(try look())
      let notes = Hands.removeNow([short, try passed("192.168.1.99")])
      seen.append(try look())
      return (seen, notes + hands.takeElementNotes(), try Namespace.shell("nft list set inet adit pass4"))
    }
    let times = seen.0.map { $0.map { $0.timeout.map { $0 / .seconds(1) } } }
    #expect(times.map(\.count) == [2, 2, 2, 1])
    #expect((15...20).contains(try #require(times[0][0])) && times[0][1] == nil)
    #expect((890...900).contains(try #require(times[1][0])))
    #expect((15...20).contains(try #require(times[2][0])))
    #expect(seen.1 == [])
    #expect(seen.2.contains("192.168.1.8"))
  }

  @Test("every kind of timed set takes its elements, and nft shows them as meant")
  func kinds() throws {
    let policy = try #require(TunnelName("tv"))
    let elements = try [
      TimedElement(set: .pass(.ipv6), value: .address(address("fd00::7"))),
      TimedElement(set: .openLAN, value: .device(device("lan0"))),
      TimedElement(set: .openRouter, value: .family(.ipv4)), TimedElement(set: .openRouter, value: .family(.ipv6)),
      TimedElement(set: .names(policy: policy, .ipv4), value: .address(address("9.9.9.9"))),
    ].map { try #require($0) }
    #expect(TimedElement(set: .pass(.ipv6), value: .address(try address("9.9.9.9"))) == nil)
    #expect(TimedElement(set: .openLAN, value: .family(.ipv4)) == nil)
    let sets = elements.map(\.set) + [.pass(.ipv4)]
    let declarations = Set(sets).subtracting([.pass(.ipv4)]).map { set in
      "\tset \(set.name) { type \(set.type); flags timeout;\(set.size.map { " size \($0);" } ?? "") }\n"
    }
    let (notes, kept) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(table("first", more: declarations.joined()), within: patience)
      hands.add(elements)
      _ = try hands.applyNow(table("second", more: declarations.joined()), within: patience)
      return (hands.takeElementNotes(), try Namespace.shell("nft list table inet adit"))
    }
    #expect(notes == [])
    for word in ["fd00::7", "\"lan0\"", "ipv4, ipv6", "9.9.9.9", "size 65535"] {
      #expect(kept.contains(word), "\(word)")
    }
    for set in sets { #expect(TimedSet(name: set.name.text) == set) }
    let leftOut = TimedSet.notNames(policy: try #require(TunnelName("tv")), .ipv6)
    #expect(leftOut.name.text == "notnames6_tv")
    #expect(TimedSet(name: "notnames6_tv") == leftOut)
    for name in ["names4_", "names4tv", "notnames_tv", "names5_tv", "pass46"] { #expect(TimedSet(name: name) == nil) }
  }

  @Test("while a load runs elements wait for it; those of a set that is not there are dropped with a word")
  func waiting() throws {
    let element = try passed("192.168.1.7")
    let other = try #require(TimedElement(set: .openLAN, value: .device(try device("lan0"))))
    let (notes, elements) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      let progress = try hands.apply(table("first"))
      hands.add([element, other])
      let early = hands.takeElementNotes()
      _ = try finish(hands, progress)
      return (early + hands.takeElementNotes(), try FirewallTable.elements(of: "pass4", in: "adit"))
    }
    #expect(notes == ["1 element of the set open_lan: dropped, there is no such set"])
    #expect(elements.map(\.key) == [[192, 168, 1, 7]])
  }

  @Test("a thousand elements are added in a few milliseconds, and a load keeps them")
  func many() throws {
    let elements = try (0..<1_000).map { try passed("10.0.\($0 / 250).\($0 % 250)") }
    let (notes, time, count) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(table("first"), within: patience)
      let time = ProcessorTime.measure { hands.add(elements) }
      _ = try hands.applyNow(table("second"), within: patience)
      return (hands.takeElementNotes(), time, try FirewallTable.elements(of: "pass4", in: "adit").count)
    }
    #expect(notes == [])
    #expect(count == 1_000)
    print("1000 elements added in \(time)")
    #expect(time < .milliseconds(500))
  }
}
