import Base
import Gateway
import Profile
import Settings
import Testing

/// Which running connections are ended when a plan follows another.
@Suite("Connections whose way has changed (R-13)")
struct WaysTests {
  private static let device = "192.168.1.77"

  private func plans(_ first: House, _ change: (inout House) throws -> Void) throws -> StrandedFlows? {
    var ways = Ways()
    _ = ways.change(to: first.plan())
    var house = first
    try change(&house)
    return ways.change(to: house.plan())
  }

  private func ends(_ flows: StrandedFlows?, _ source: String, _ destination: String, _ answered: String? = nil) throws
    -> Bool
  {
    let source = try address(source)
    return try flows?.contains(
      source: source, destination: address(destination), answered: answered.map { try address($0) } ?? source) ?? false
  }

  @Test("the first way into a tunnel ends what went out by the WAN before, and nothing inside the house")
  func first() throws {
    var ways = Ways()
    let house = try Situations.full()
    let plan = house.plan()
    let flows = ways.change(to: plan)
    #expect(try ends(flows, Self.device, "9.9.9.9"))
    #expect(try !ends(flows, Self.device, "192.168.1.1"))
    #expect(try !ends(flows, Self.device, "224.0.0.251") && !ends(flows, Self.device, "255.255.255.255"))
    #expect(try !ends(flows, "9.9.9.9", Self.device))
    for own in plan.ownAddresses where own.family == .ipv4 {
      #expect(try !ends(flows, Self.device, "\(own)") && !ends(flows, "\(own)", "9.9.9.9"))
    }
    #expect(ways.change(to: plan) == nil)
  }

  @Test("a reconnect with equal settings, and the time without a tunnel, end nothing")
  func reconnect() throws {
    var ways = Ways()
    var house = try Situations.full()
    _ = ways.change(to: house.plan())
    house.tunnels[0].isUp = false
    #expect(ways.change(to: house.plan()) == nil)
    house.tunnels[0].isUp = true
    #expect(ways.change(to: house.plan()) == nil)
  }

  @Test("R-13: another address of the tunnel ends what was hidden behind the old one, whoever began it")
  func otherAddress() throws {
    let flows = try plans(Situations.full()) { house in
      house.tunnels[0].pushed?.tunnel = .init()
      try house.tunnels[0].pushed?.tunnel.subnet("10.8.0.77")
    }
    #expect(try ends(flows, "172.16.5.5", "9.9.9.9", "10.8.0.2"))
    #expect(try ends(flows, "10.8.0.2", "9.9.9.9"))
    #expect(try !ends(flows, "172.16.5.5", "9.9.9.9", "10.8.0.77"))
  }

  @Test("another tunnel, and an open gateway, end what the LAN had outside")
  func otherTunnel() throws {
    let house = try Situations.twoTunnels()
    let failedOver = try plans(house) { $0.tunnels[0].isUp = true }
    #expect(try ends(failedOver, Self.device, "9.9.9.9"))
    let opened = try plans(house) { house in
      house.settings.gateways[0].killSwitch = .off
      for index in house.tunnels.indices { house.tunnels[index].isUp = false }
    }
    #expect(try ends(opened, Self.device, "9.9.9.9"))
    let gone = try plans(house) { $0.settings.gateways = [] }
    #expect(try ends(gone, Self.device, "9.9.9.9"))
  }
}
