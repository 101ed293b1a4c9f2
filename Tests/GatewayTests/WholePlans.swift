import Base
import Gateway
import Profile
import Settings
import Testing

/// The situations whose whole plans are kept as files: the shared ones as they are, and those that need more than a house.
enum WholePlans {
  struct Case: Sendable {
    var name: String
    var house: @Sendable () throws -> House
    /// `nil` = the plan of the house.
    var planning: (@Sendable (House) -> NetworkPlan)?

    init(
      _ name: String, _ house: @escaping @Sendable () throws -> House,
      planning: (@Sendable (House) -> NetworkPlan)? = nil
    ) {
      self.name = name
      self.house = house
      self.planning = planning
    }

    func plan() throws -> NetworkPlan {
      let house = try house()
      return planning?(house) ?? house.plan()
    }
  }

  static let all: [Case] =
    Situations.all.map { Case($0.name, $0.house) } + [
      Case("armed", always, planning: armed), Case("armed, scope all", alwaysForAll, planning: armed),
      Case("G-04: armed before the network", beforeNetwork, planning: armed),
      Case("armed with policies", armedPolicies, planning: armed),
      Case("after a crash of a session", Situations.full) {
        Planner.armed(settings: $0.settings, tunnels: $0.tunnels, snapshot: $0.snapshot, holdsSessions: true)
      },
      Case("while nft loads", Situations.full) { $0.plan(awaitsFirewall: true) },
      Case("clock unset, scope all", Situations.scopeAll) { $0.plan(clockIsUnset: true) },
      Case("G-01: the uplink lost its default", lostUplink) { house in
        let uplinks = Set([DeviceName("wan0")].compactMap(\.self))
        return Planner.plan(
          settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot, formerUplinks: uplinks)
      },
      Case("R-12: the server is gone", serverGone), Case("two gateways, two tunnels", twoGateways),
      Case("in reserve by choice", twoUp) { house in
        Planner.plan(
          settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot,
          choices: [house.settings.gateways[0].name: house.tunnels[1].name])
      },
      Case("S-01: device of somebody else", takenDevice), Case("other marks and priorities", otherNumbers),
      Case("G-10: PPPoE", narrowUplink), Case("C-3: a second session comes up", Situations.comingUp),
      Case("C-3: the second session serves", Situations.exchanged),
      Case("C-3: the first has left", Situations.leftAlone),
      Case("C-3: both sessions have the same address") { try Situations.comingUp(address: "10.8.0.2") },
    ]

  @Sendable private static func armed(_ house: House) -> NetworkPlan {
    Planner.armed(settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot)
  }

  @Sendable private static func always() throws -> House {
    var house = try Situations.full()
    house.settings.gateways[0].killSwitch = .always
    return house
  }

  @Sendable private static func alwaysForAll() throws -> House {
    var house = try always()
    house.settings.gateways[0].scope = .all
    return house
  }

  @Sendable private static func beforeNetwork() throws -> House {
    var house = try alwaysForAll()
    house.snapshot.routes = []
    house.snapshot.addresses = []
    try house.addPolicy("tv", from: ["192.168.1.50"], via: "wan")
    return house
  }

  @Sendable private static func armedPolicies() throws -> House {
    var house = try Situations.policiesWhileDown()
    house.settings.gateways[0].killSwitch = .always
    return house
  }

  @Sendable private static func lostUplink() throws -> House {
    var house = try Situations.full()
    house.snapshot.routes.removeAll { $0.destination.length == 0 }
    return house
  }

  @Sendable private static func serverGone() throws -> House {
    var house = try Situations.full()
    house.tunnels[0].isUp = false
    return house
  }

  @Sendable private static func twoUp() throws -> House {
    var house = try Situations.twoTunnels()
    house.tunnels[0].isUp = true
    return house
  }

  @Sendable private static func twoGateways() throws -> House {
    var house = try House()
    house.snapshot.links.append(Link(index: 4, name: try device("br-guest"), kind: "bridge"))
    try house.addKernelRoute("192.168.2.0/24", "br-guest", source: "192.168.2.1")
    try house.addTunnel("home") {
      try $0.subnet()
      $0.redirect()
    }
    try house.addTunnel("work", index: 2, server: "203.0.113.20") {
      try $0.subnet("10.9.0.2", gateway: "10.9.0.1")
      try $0.six()
      try $0.route("172.16.0.0/12")
    }
    try house.addGateway("home") { $0.killSwitch = .always }
    try house.addGateway("work", "home", lan: ["br-guest"]) {
      $0.name = try #require(TunnelName("guests"))
      $0.masquerade = false
      $0.clampsMSS = false
    }
    return house
  }

  @Sendable private static func takenDevice() throws -> House {
    var house = try Situations.full()
    house.snapshot.links.append(Link(index: 9, name: try device("tun-home"), kind: "tun"))
    return house
  }

  @Sendable private static func otherNumbers() throws -> House {
    var house = try Situations.policyToWAN()
    house.settings.globals.marks = MarkLayout(mask: 0x0000_ff00)
    house.settings.globals.rulePriority = 1_200
    return house
  }

  @Sendable private static func narrowUplink() throws -> House {
    var house = try Situations.full()
    for index in house.snapshot.links.indices where house.snapshot.links[index].name.text == "wan0" {
      house.snapshot.links[index].mtu = 1_492
    }
    return house
  }
}
