import Base
import Gateway
import Profile
import Testing

/// A kernel that does steps, so that a plan can be applied in memory.
struct PretendSystem {
  var installed: Installed
  private(set) var refusals: [String] = []

  init(_ snapshot: Snapshot) { installed = Installed(snapshot: snapshot) }

  mutating func apply(_ steps: [Step]) {
    for step in steps { apply(step) }
  }

  private mutating func apply(_ step: Step) {
    switch step {
    case .setLink(let device):
      installed.snapshot.links.removeAll { $0.name == device.name }
      installed.snapshot.links.append(
        Link(
          index: Int32(100 + installed.snapshot.links.count), name: device.name, kind: "tun", mtu: device.mtu,
          transmitQueueLength: device.transmitQueueLength, alias: device.alias))
    case .addAddress(let address): installed.snapshot.addresses.append(address)
    case .addRoute(let route):
      if let device = route.device, installed.snapshot.link(named: device) == nil {
        refusals.append("no device for \(route.words)")
      }
      installed.snapshot.routes.removeAll { $0.place == route.place }
      installed.snapshot.routes.append(route)
    case .addRule(let rule): installed.snapshot.rules.append(rule)
    case .loadRuleset(let text): installed.ruleset = .text(RulesetDigest(of: text))
    case .setSysctl(let file):
      installed.sysctls.removeAll { $0.path == file.path }
      installed.sysctls.append(file)
    case .deleteRule(let rule): installed.snapshot.rules.removeAll { $0 == rule }
    case .deleteRoute(let route): installed.snapshot.routes.removeAll { $0 == route }
    case .deleteAddress(let address): installed.snapshot.addresses.removeAll { $0 == address }
    case .deleteLink(let name):
      installed.snapshot.links.removeAll { $0.name == name }
      installed.snapshot.addresses.removeAll { $0.device == name }
    case .deleteRuleset: installed.ruleset = nil
    }
  }
}

extension Step {
  /// One word for the kind of step, and what it is about.
  var words: String {
    switch self {
    case .setLink(let device): "set link \(device.name)"
    case .addAddress(let address): "add address \(address.words)"
    case .addRoute(let route): "add route \(route.words)"
    case .addRule(let rule): "add rule \(rule.words)"
    case .loadRuleset: "load ruleset"
    case .setSysctl(let file): "set \(file.path)=\(file.value)"
    case .deleteRule(let rule): "delete rule \(rule.words)"
    case .deleteRoute(let route): "delete route \(route.words)"
    case .deleteAddress(let address): "delete address \(address.words)"
    case .deleteLink(let name): "delete link \(name)"
    case .deleteRuleset: "delete ruleset"
    }
  }
}

@Suite("The difference between a system and a plan")
struct DifferenceTests {
  @Test("Applying a plan twice changes nothing, in every situation")
  func twice() throws {
    for situation in Situations.all {
      let house = try situation.house()
      let plan = house.plan()
      var system = PretendSystem(house.snapshot)
      system.apply(Difference.steps(from: system.installed, to: plan))
      #expect(system.refusals.isEmpty, "\(situation.name)")
      #expect(Difference.steps(from: system.installed, to: plan).isEmpty, "\(situation.name)")
    }
  }

  @Test("A stop leaves the system as it was found, in every situation")
  func stop() throws {
    for situation in Situations.all {
      let house = try situation.house()
      var system = PretendSystem(house.snapshot)
      system.apply(Difference.steps(from: system.installed, to: house.plan()))
      system.apply(Difference.steps(from: system.installed, to: Planner.withdrawn))
      #expect(system.installed.snapshot == house.snapshot, "\(situation.name)")
      #expect(system.installed.ruleset == nil)
    }
  }

  @Test("The kill switch comes first, refusals before routes, routes before rules, forwarding last")
  func order() throws {
    let house = try Situations.fullWithIPv6()
    let words = Difference.steps(from: Installed(snapshot: house.snapshot), to: house.plan()).map(\.words)
    let kinds = words.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(kinds.first == "load ruleset")
    #expect(words.last == "set net/ipv6/conf/all/forwarding=1")
    #expect(words[1] == "set link tun-home")
    #expect(words[2] == "set net/ipv4/conf/tun-home/promote_secondaries=1")
    let routes = words.filter { $0.hasPrefix("add route") }
    #expect(routes.prefix(2).allSatisfy { $0.contains("unreachable") })
    let lastRoute = try #require(kinds.lastIndex(of: "add route"))
    let firstRule = try #require(kinds.firstIndex(of: "add rule"))
    #expect(lastRoute < firstRule)
  }

  @Test("A stop takes rules, routes and devices with their addresses before the kill switch")
  func reverse() throws {
    let house = try Situations.full()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    let kinds = Difference.steps(from: system.installed, to: Planner.withdrawn).map(\.words)
      .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(
      kinds.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        == ["delete rule", "delete route", "delete link", "delete ruleset"])
  }

  @Test("R-13: another push changes only what differs, new before old")
  func otherPush() throws {
    var house = try Situations.full()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    house.tunnels[0].pushed?.tunnel = .init()
    try house.tunnels[0].pushed?.tunnel.subnet("10.8.0.77")
    try house.tunnels[0].pushed?.tunnel.resolver("192.0.2.99")
    let words = Difference.steps(from: system.installed, to: house.plan()).map(\.words)
    #expect(
      words == [
        "load ruleset", "add address 10.8.0.77/24 dev tun-home",
        "add route 192.0.2.99/32 dev tun-home table 44129", "delete route 192.0.2.53/32 dev tun-home table 44129",
        "delete address 10.8.0.2/24 dev tun-home",
      ])
  }

  @Test("A reconnect with the same push is no step at all")
  func samePush() throws {
    var house = try Situations.full()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    house.tunnels[0].serverAddress = try address("203.0.113.10")
    #expect(Difference.steps(from: system.installed, to: house.plan()).isEmpty)
    // Not back at once: names are refused now, and all else stands.
    house.tunnels[0].isUp = false
    #expect(Difference.text(from: system.installed, to: house.plan()) == "~ nft table inet adit")
  }

  @Test("A route that moved to another device is replaced, not deleted")
  func replaced() throws {
    var house = try Situations.twoTunnels()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    house.tunnels[1].pushed?.tunnel.routes = []
    let words = Difference.steps(from: system.installed, to: house.plan()).map(\.words)
    #expect(
      words == [
        "add route 10.50.0.0/16 dev tun-home table 44129", "delete route 10.50.0.0/16 dev tun-home table 44131",
      ])
  }

  @Test("S-03: what a dead predecessor left goes, what others made stays")
  func leftovers() throws {
    let house = try Situations.closed()
    var snapshot = house.snapshot
    let old = try device("tun-old")
    let foreign = Route(destination: try prefix("10.1.0.0/16"), device: try device("wan0"), table: 44129, origin: 4)
    let stale = Route(destination: try prefix("10.2.0.0/16"), device: old, table: RoutingTables.pushed)
    snapshot.links.append(Link(index: 9, name: old, kind: "tun", alias: "adit:old"))
    snapshot.routes += [foreign, stale]
    let foreignRule = Rule(family: .ipv4, priority: 850, action: .lookup(100), origin: 0)
    let staleRule = Rule(family: .ipv4, priority: 861, action: .lookup(44_002))
    snapshot.rules += [foreignRule, staleRule]
    let removals = Difference.steps(from: Installed(snapshot: snapshot), to: house.plan())
      .filter { $0.words.hasPrefix("delete") }
    #expect(removals == [.deleteRule(staleRule), .deleteRoute(stale), .deleteLink(old)])
  }

  @Test("S-01: a device of somebody else is a fault, and never touched")
  func foreignDevice() throws {
    var house = try Situations.full()
    house.snapshot.links.append(Link(index: 9, name: try device("tun-home"), kind: "tun"))
    let plan = house.plan()
    #expect(plan.faults.values.map(\.code) == [.deviceTaken])
    #expect(plan.devices.isEmpty)
    #expect(plan.addresses.isEmpty)
    #expect(plan.rules.contains { $0.words == "v4 860: iif br-lan lookup 44001" })
  }

  @Test("A changed sysctl is put right, a right one is left alone")
  func sysctls() throws {
    let house = try Situations.full()
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: house.plan()))
    system.apply([.setSysctl(.init("net/ipv4/ip_forward", "0"))])
    #expect(
      Difference.steps(from: system.installed, to: house.plan()) == [.setSysctl(.init("net/ipv4/ip_forward", "1"))])
  }
}
