import Base
import Gateway
import Testing

@Suite("The client of `adit prove` in the plan")
struct ProbeDeviceTests {
  private func house(kind: String = "veth", alias: String?, master: Int32? = nil) throws -> House {
    var house = try Situations.full()
    house.snapshot.links.append(
      Link(index: 40, name: try device("adit-prove0"), kind: kind, alias: alias, master: master))
    house.snapshot.addresses.append(
      InterfaceAddress(device: try device("adit-prove0"), prefix: try prefix("198.19.255.1/30")))
    try house.addKernelRoute("198.19.255.0/30", "adit-prove0")
    return house
  }

  private func plan(_ house: House) -> NetworkPlan {
    Planner.plan(settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot)
  }

  @Test(
    "its device is one more LAN device of its gateway, in rules and in the table, also while nothing but the kill switch lives"
  )
  func counts() throws {
    let house = try house(alias: "adit-prove:lan")
    let plan = plan(house)
    #expect(plan.rules.filter { $0.inputDevice?.text == "adit-prove0" }.map(\.family) == [.ipv4, .ipv6])
    #expect(plan.ruleset?.contains(#"elements = { "adit-prove0", "br-lan" }"#) == true)
    #expect(plan.routes.contains { $0.destination.description == "198.19.255.0/30" })
    let armed = Planner.armed(
      settings: house.settings, tunnels: house.tunnels, snapshot: house.snapshot, holdsSessions: true)
    #expect(armed.ruleset?.contains("adit-prove0") == true)
  }

  @Test(
    "what is no cable of ours, a port of a bridge, or of a gateway that is not there, is none",
    arguments: [
      ("veth", "adit-prove:other", nil), ("veth", "adit-prove:lan", 3), ("veth", "prove:lan", nil),
      ("veth", nil, nil), ("bridge", "adit-prove:lan", nil),
    ] as [(String, String?, Int32?)])
  func countsNot(kind: String, alias: String?, master: Int32?) throws {
    let plan = plan(try house(kind: kind, alias: alias, master: master))
    #expect(!plan.rules.contains { $0.inputDevice?.text == "adit-prove0" })
    #expect(plan.ruleset?.contains("adit-prove0") == false)
  }
}
