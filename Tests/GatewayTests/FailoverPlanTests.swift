import Base
import Gateway
import Settings
import Testing

@Suite("Several tunnels and gateways in one plan")
struct FailoverPlanTests {
  /// Two tunnels of one provider: the same net, the same resolver.
  private func alike() throws -> House {
    var house = try House()
    for (index, name) in ["home", "backup"].enumerated() {
      try house.addTunnel(name, index: index + 1, server: "203.0.113.\(index + 9)") {
        try $0.subnet("10.8.0.\(index + 2)")
        $0.redirect()
        try $0.resolver("10.8.0.1")
      }
    }
    return house
  }

  private func plan(_ house: House, _ choices: [String: String]) throws -> NetworkPlan {
    var chosen: [TunnelName: TunnelName] = [:]
    for (gateway, tunnel) in choices {
      let name = try #require(TunnelName(tunnel))
      chosen[try #require(TunnelName(gateway))] = name
    }
    return Planner.plan(settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot, choices: chosen)
  }

  private func lines(_ plan: NetworkPlan, _ words: String...) -> [String] {
    plan.text.split(separator: "\n").map(String.init).filter { line in words.allSatisfy { line.contains($0) } }
  }

  @Test("The choice counts, whatever is up; facts follow it")
  func choice() throws {
    var house = try alike()
    try house.addGateway("home", "backup")
    #expect(lines(try plan(house, [:]), "v4", "iif br-lan") == ["rule v4 860: iif br-lan lookup 44001"])
    let over = try plan(house, ["lan": "backup"])
    #expect(lines(over, "v4", "iif br-lan") == ["rule v4 860: iif br-lan lookup 44002"])
    #expect(over.gateways.map(\.active?.text) == ["backup"])
  }

  @Test("R-06: going over adds the new rule before the old one goes, and moves what both have with it")
  func over() throws {
    var house = try alike()
    try house.addGateway("home", "backup") { $0.ipv6 = .block }
    var system = PretendSystem(house.snapshot)
    system.apply(Difference.steps(from: system.installed, to: try plan(house, ["lan": "home"])))
    #expect(
      Difference.text(from: system.installed, to: try plan(house, ["lan": "backup"])) == """
        ~ nft table inet adit
        ~ route 10.8.0.0/24 dev tun-backup table 44129
        + route 10.8.0.0/24 dev tun-home table 44131
        + rule v4 860: iif br-lan lookup 44002
        - rule v4 860: iif br-lan lookup 44001
        - route 10.8.0.0/24 dev tun-backup table 44132
        """)
  }

  @Test("Two LANs through two tunnels with the same net: each LAN has its own way there")
  func twoLANs() throws {
    var house = try alike()
    try house.addGateway("home")
    try house.addGateway("backup", lan: ["br-guest"]) { $0.name = try #require(TunnelName("guest")) }
    let plan = try plan(house, ["lan": "home", "guest": "backup"])
    #expect(
      lines(plan, "10.8.0.0/24") == [
        "route 10.8.0.0/24 dev tun-home table 44129", "route 10.8.0.0/24 dev tun-backup table 44132",
      ])
    #expect(lines(plan, "v4 848") == ["rule v4 848: iif br-guest lookup 44132"])
    #expect(
      lines(plan, "v4 860") == ["rule v4 860: iif br-lan lookup 44001", "rule v4 860: iif br-guest lookup 44002"])
  }

  @Test("Scope all: the router itself asks its gateway's own table too")
  func router() throws {
    var house = try alike()
    try house.addGateway("home", lan: ["br-guest"]) { $0.name = try #require(TunnelName("guest")) }
    try house.addGateway("backup") { $0.scope = .all }
    let plan = try plan(house, [:])
    #expect(
      lines(plan, "v4 848") == ["rule v4 848: iif br-lan lookup 44132", "rule v4 848: iif lo lookup 44132"])
  }

  @Test("An exception inside a net that two tunnels have is one for both")
  func exceptions() throws {
    var house = try House()
    for (index, name) in ["home", "backup"].enumerated() {
      try house.addTunnel(name, index: index + 1) {
        try $0.subnet("10.\(index + 8).0.2")
        try $0.route("10.0.0.0/8")
      }
    }
    try house.addGateway("home") { $0.excluded = [try prefix("10.77.0.0/16")] }
    try house.addGateway("backup", lan: ["br-guest"]) {
      $0.name = try #require(TunnelName("guest"))
      $0.excluded = [try prefix("10.78.0.0/16")]
    }
    #expect(
      lines(try plan(house, [:]), "throw", "table 4413") == ["route throw 10.78.0.0/16 table 44132"])
  }

  @Test("IPv6 is forwarded on while the tunnel that has it is in reserve, and not where the gateway blocks it")
  func forwardsInReserve() throws {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      try $0.six()
    }
    try house.addTunnel("backup", index: 2) { try $0.subnet("10.9.0.2", gateway: "10.9.0.1") }
    try house.addGateway("home", "backup")
    let forwarding = NetworkPlan.Sysctl("net/ipv6/conf/all/forwarding", "1")
    #expect(try plan(house, ["lan": "backup"]).sysctls.contains(forwarding))
    house.settings.gateways[0].ipv6 = .block
    #expect(try !plan(house, ["lan": "backup"]).sysctls.contains(forwarding))
  }
}
