import Base
import Gateway
import Profile
import Settings
import Testing

extension Situations {
  /// `tun-home` serves, and the preferred server has just said what it gives on `tun-home.1`.
  @Sendable static func comingUp() throws -> House { try comingUp(address: "10.9.0.6") }

  static func comingUp(address: String, mtu: Int? = nil) throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      try $0.route("172.16.0.0/16")
      $0.redirect()
      try $0.resolver("10.8.0.1")
    }
    try house.addGateway("home")
    var pushed = PushedOptions()
    let gateway = address.split(separator: ".").dropLast().joined(separator: ".") + ".1"
    try pushed.tunnel.subnet(address, gateway: gateway)
    try pushed.tunnel.route("172.16.0.0/16")
    try pushed.tunnel.route("172.17.0.0/16")
    pushed.tunnel.redirect()
    pushed.tunnel.mtu = mtu
    try pushed.tunnel.resolver(gateway)
    house.tunnels[0].second = SecondSession(
      device: try device("tun-home.1"), pushed: pushed, serverAddress: try serverAddress("203.0.113.77"))
    return house
  }

  private static func serverAddress(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Sendable static func exchanged() throws -> House {
    var house = try comingUp()
    house.tunnels[0] = house.tunnels[0].exchanged
    return house
  }

  @Sendable static func leftAlone() throws -> House {
    var house = try exchanged()
    house.tunnels[0].second = nil
    return house
  }
}

@Suite("A second session beside the one that serves")
struct SecondSessionTests {
  /// The system after the plans of these houses, one after the other, and what the last of them took.
  private func run(_ houses: House...) throws -> (system: PretendSystem, last: [Step]) {
    var system = PretendSystem(try #require(houses.first).snapshot)
    var last: [Step] = []
    for house in houses {
      last = Difference.steps(from: system.installed, to: house.plan())
      system.apply(last)
    }
    #expect(system.refusals.isEmpty)
    return (system, last)
  }

  private func alone(_ house: House) -> House {
    var house = house
    house.tunnels[0].second = nil
    return house
  }

  private func exchanged(_ house: House) -> House {
    var house = house
    house.tunnels[0] = house.tunnels[0].exchanged
    return house
  }

  @Test("C-3: while it comes up it takes no way of the one that serves")
  func comingUp() throws {
    let house = try Situations.comingUp()
    let (_, steps) = try run(alone(house), house)
    let words = steps.filter { if case .loadRuleset = $0 { false } else { true } }.map(\.words)
    #expect(
      words == [
        "set link tun-home.1", "set net/ipv4/conf/tun-home.1/promote_secondaries=1",
        "add address 10.9.0.6/24 dev tun-home.1",
      ])
    #expect(house.plan().routes == alone(house).plan().routes)
    #expect(house.plan().rules == alone(house).plan().rules)
    #expect(house.plan().gateways == alone(house).plan().gateways)
  }

  @Test("C-3: the change is one route replaced for each place, and no table is without a way at any step")
  func change() throws {
    let house = try Situations.comingUp()
    let (_, steps) = try run(alone(house), house, exchanged(house))
    let table = RoutingTables.tunnel(1)
    let added = steps.compactMap { step -> Route? in if case .addRoute(let route) = step { route } else { nil } }
    let gone = steps.compactMap { step -> Route? in if case .deleteRoute(let route) = step { route } else { nil } }
    #expect(added.filter { $0.table == table }.map(\.device) == [DeviceName("tun-home.1")])
    #expect(gone.allSatisfy { $0.table != table })
    #expect(added.contains { $0.destination == IPPrefix("172.16.0.0/16") && $0.device == DeviceName("tun-home.1") })
    #expect(gone.map(\.destination.description) == ["10.8.0.0/24"])
    // No device, no address and no rule changes.
    for step in steps {
      switch step {
      case .loadRuleset, .addRoute, .deleteRoute: break
      default: Issue.record("\(step.words)")
      }
    }
  }

  @Test("C-3: the kill switch, masquerade and segment sizes know both devices before and after the change")
  func devices() throws {
    let house = try Situations.comingUp(address: "10.8.0.6", mtu: 1400)
    for plan in [house.plan(), exchanged(house).plan()] {
      let sets = plan.table?.sets ?? []
      for name in ["tunnels", "nat_tunnels"] {
        let set = try #require(sets.first { $0.name.text == name })
        #expect(set.elements == .devices([try device("tun-home"), try device("tun-home.1")]))
      }
      let text = try #require(plan.ruleset)
      #expect(text.contains("iifname \"tun-home\" goto from_tunnel_1"))
      #expect(text.contains("iifname \"tun-home.1\" goto from_tunnel_1"))
      #expect(
        text.contains(
          "oifname \"tun-home\" meta nfproto ipv4 tcp flags & (syn | rst) == syn tcp option maxseg size set 1403"))
      #expect(
        text.contains(
          "oifname \"tun-home.1\" meta nfproto ipv4 tcp flags & (syn | rst) == syn tcp option maxseg size set 1360"))
    }
    let names = Set([house.plan(), exchanged(house).plan()].compactMap { $0.table }.map { $0.chains.map(\.name) })
    #expect(names.count == 1)
  }

  @Test("C-3: both sessions may have the same address")
  func sameAddress() throws {
    let house = try Situations.comingUp(address: "10.8.0.2")
    var (system, steps) = try run(alone(house), house, exchanged(house))
    let own = system.installed.snapshot.addresses.filter { $0.prefix == IPPrefix("10.8.0.2/24") }.map(\.device.text)
    #expect(own.sorted() == ["tun-home", "tun-home.1"])
    var left = exchanged(house)
    left.tunnels[0].second = nil
    steps = Difference.steps(from: system.installed, to: left.plan())
    system.apply(steps)
    #expect(system.installed.snapshot.addresses.contains { $0.device.text == "tun-home.1" })
    #expect(system.installed.snapshot.link(named: try device("tun-home")) == nil)
    #expect(steps.allSatisfy { if case .addRoute = $0 { false } else { true } })
  }

  @Test("C-3: an answer in the middle of a connection is not reset while both sessions have the same address")
  func sharing() throws {
    let text = try #require(Situations.comingUp(address: "10.8.0.2").plan().ruleset)
    #expect(text.contains("ip daddr 10.8.0.2/32 meta l4proto { tcp, udp } ct direction original ct state new drop"))
    #expect(try !(#require(Situations.comingUp().plan().ruleset)).contains("chain sharing"))
  }

  @Test("C-3: connections live on where the address is the same, and end where it is another")
  func flows() throws {
    for (inside, ends) in [("10.8.0.2", false), ("10.9.0.6", true)] {
      let house = try Situations.comingUp(address: inside)
      var ways = Ways()
      _ = ways.change(to: alone(house).plan())
      #expect(ways.change(to: house.plan()) == nil)
      let stranded = ways.change(to: exchanged(house).plan())
      #expect((stranded != nil) == ends)
      if ends {
        #expect(
          stranded?.contains(
            source: try #require(IPAddress("192.168.1.50")), destination: try #require(IPAddress("192.0.2.9")),
            answered: try #require(IPAddress("10.8.0.2"))) ?? false)
        // The next packet after the change began it anew, before the firewall was done.
        #expect(
          try stranded?.contains(
            source: address("192.168.1.50"), destination: address("192.0.2.9"), answered: address("10.9.0.6")) == false)
      }
    }
  }

  @Test("C-3: one that cannot have a network leaves the one that serves alone")
  func conflict() throws {
    let house = try Situations.comingUp(address: "192.168.1.7")
    let plan = house.plan()
    #expect(plan.faults.isEmpty)
    #expect(plan.faultsOfSeconds.values.map(\.code) == [.subnetConflict])
    #expect(plan.routes == alone(house).plan().routes)
    #expect(plan.addresses == alone(house).plan().addresses)
  }

  @Test("C-3: no net of one session takes the server of the other into main")
  func servers() throws {
    var house = try Situations.comingUp()
    house.tunnels[0].serverAddress = IPAddress("10.9.0.200")
    let plan = house.plan()
    #expect(plan.addresses.contains { $0.device.text == "tun-home.1" && $0.prefix == IPPrefix("10.9.0.6/32") })
  }

  @Test("Its device has the tunnel's name and a number, within 15 bytes, and no other device's name")
  func names() throws {
    #expect(SecondSession.device(besides: try device("tun-home"), taken: [])?.text == "tun-home.1")
    #expect(
      SecondSession.device(besides: try device("tun-home"), taken: [try device("tun-home.1")])?.text == "tun-home.2")
    #expect(SecondSession.device(besides: try device("tun-123456789ab"), taken: [])?.text == "tun-123456789.1")
    #expect(SecondSession.device(besides: try device("tun-123456789.1"), taken: [])?.text == "tun-123456789.2")
  }
}
