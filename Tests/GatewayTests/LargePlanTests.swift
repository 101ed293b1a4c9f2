import Base
import Gateway
import NamespaceKit
import Profile
import Settings
import Testing

@Suite("Thousands of pushed routes and policy entries", .serialized)
struct LargePlanTests {
  /// A house with a policy list of `entries`, half of them IPv6, and a server that pushes `routes` and a tenth of exceptions.
  private static func house(routes: Int, entries: Int) throws -> House {
    var house = try House()
    try house.addTunnel("work") { options in
      try options.subnet()
      for index in 0..<routes {
        try options.route("100.\(64 + index / 256).\(index % 256).0/24", by: index % 10 == 9 ? .net : .vpn)
      }
    }
    try house.addGateway("work")
    try house.addPolicy("films", via: "wan") { policy in
      policy.destinations = try (0..<entries).map { index in
        let text =
          index % 2 == 0
          ? "203.\(index / 512).\(index / 2 % 256).0/25" : "2001:db8:\(String(index, radix: 16))::/48"
        return PolicySettings.Term(match: .prefix(try prefix(text)))
      }
    }
    return house
  }

  @Test(
    "5,000 pushed routes and 2,000 entries are planned, applied and found standing; entries are elements, not rules")
  func many() throws {
    let house = try Self.house(routes: 5_000, entries: 2_000)
    let plan = house.plan()
    #expect(plan.routes.count { $0.table == RoutingTables.pushed && $0.kind == .unicast } == 4_501)
    let small = try Self.house(routes: 10, entries: 4).plan()
    let rules = try #require(plan.table).chains.map { $0.name.text + " \($0.rules.count)" }
    #expect(try rules == #require(small.table).chains.map { $0.name.text + " \($0.rules.count)" })
    let sets = try #require(plan.table).sets
    let elements = sets.filter { $0.name.text.hasSuffix("_films") }.map { set in
      if case .prefixes(_, let prefixes) = set.elements { prefixes.count } else { 0 }
    }
    #expect(elements == [1_000, 1_000])
    var system = PretendLargeSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: plan))
    #expect(Difference.steps(from: system.installed, to: plan).isEmpty)
  }

  @Test("Twice as much takes about twice as long: a plan, its text and its difference")
  func linear() throws {
    func cost(_ scale: Int) throws -> Duration {
      let house = try Self.house(routes: 1_250 * scale, entries: 500 * scale)
      return (0..<5).map { _ in
        ProcessorTime.measure {
          let plan = house.plan()
          #expect(plan.ruleset?.isEmpty == false)
          #expect(!Difference.steps(from: Installed(snapshot: house.snapshot), to: plan).isEmpty)
        }
      }.min() ?? .zero
    }
    _ = try cost(1)
    let (one, four) = (try cost(1), try cost(4))
    // Four times as much; a quadratic step would take sixteen times as long.
    #expect(four < one * 9, "\(one) for n, \(four) for 4n")
  }
}

/// A kernel in which finding a route costs nothing.
private struct PretendLargeSystem {
  var installed: Installed

  init(_ snapshot: Snapshot) { installed = Installed(snapshot: snapshot) }

  mutating func apply(_ steps: [Step]) {
    for step in steps {
      switch step {
      case .addRoute(let route): installed.snapshot.routes.append(route)
      case .addRule(let rule): installed.snapshot.rules.append(rule)
      case .addAddress(let address): installed.snapshot.addresses.append(address)
      case .loadRuleset(let text): installed.ruleset = .text(RulesetDigest(of: text))
      case .setSysctl(let file): installed.sysctls.append(file)
      case .setLink(let device):
        installed.snapshot.links.append(
          Link(
            index: 100, name: device.name, kind: "tun", mtu: device.mtu,
            transmitQueueLength: device.transmitQueueLength, alias: device.alias))
      default: Issue.record("\(step.words) on an empty system")
      }
    }
  }
}
