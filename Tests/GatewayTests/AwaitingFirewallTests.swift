import Base
import Gateway
import Testing

@Suite struct AwaitingFirewallTests {
  @Test("until nft is done a rule keeps the LAN closed, before the pushed routes and the tunnel's table")
  func waits() throws {
    let house = try Situations.scopeAll()
    let waiting = house.plan(awaitsFirewall: true)
    let standing = house.plan()
    let extra = waiting.rules.filter { !standing.rules.contains($0) }
    #expect(extra.map(\.family) == [.ipv4, .ipv6])
    for rule in extra {
      #expect(rule.priority == 845 && rule.action == .unreachable && rule.inputDevice == DeviceName("br-lan"))
    }
    #expect(waiting.routes == standing.routes)
    #expect(waiting.ruleset == standing.ruleset)
  }
}
