import Base
import Commands
import Gateway
import IO
import Testing

@Suite("Who may have a pass")
struct LANPlacesTests {
  private func places() throws -> LANPlaces {
    let (lan, wan) = (try #require(DeviceName("br-lan")), try #require(DeviceName("wan0")))
    var snapshot = Snapshot()
    func address(_ device: DeviceName, _ text: String) throws {
      snapshot.addresses.append(InterfaceAddress(device: device, prefix: try #require(IPPrefix(text))))
    }
    try address(lan, "192.168.1.1/24")
    try address(lan, "fd01::1/64")
    try address(lan, "fe80::1/64")
    try address(wan, "198.51.100.2/24")
    for (text, table) in [("10.1.0.0/16", RoutingTables.local), ("10.2.0.0/16", 254), ("0.0.0.0/0", 254)] {
      snapshot.routes.append(
        Route(
          destination: try #require(IPPrefix(text)), device: lan, gateway: IPAddress("192.168.1.9"),
          table: table))
    }
    return LANPlaces(lan: [lan], snapshot: snapshot)
  }

  private func complaint(_ text: String) throws -> String? {
    try places().complaint(about: try #require(IPAddress(text)))
  }

  @Test(
    "a device in a net of a LAN, or behind another router of the house",
    arguments: ["192.168.1.50", "fd01::5", "10.1.2.3"])
  func devices(text: String) throws { #expect(try complaint(text) == nil) }

  @Test(
    "everybody else is refused, and told why",
    arguments: [
      ("192.168.1.1", "192.168.1.1 is this router itself"),
      ("192.168.1.255", "192.168.1.255 is no device: it is the net 192.168.1.0/24 itself, or everybody in it"),
      ("10.1.0.0", "10.1.0.0 is no device: it is the net 10.1.0.0/16 itself, or everybody in it"),
      ("198.51.100.9", "198.51.100.9 is no device of a LAN; these are: 192.168.1.0/24 (br-lan), 10.1.0.0/16 (br-lan)"),
      ("10.2.0.1", "10.2.0.1 is no device of a LAN; these are: 192.168.1.0/24 (br-lan), 10.1.0.0/16 (br-lan)"),
      ("2001:db8::1", "2001:db8::1 is no device of a LAN; these are: fd01::/64 (br-lan)"),
      ("fe80::5", "fe80::5 holds on one link only and never leaves the house"),
    ])
  func others(text: String, words: String) throws { #expect(try complaint(text) == words) }

  @Test("before the network is up no LAN has a net")
  func nothing() throws {
    let places = LANPlaces(lan: [try #require(DeviceName("br-lan"))], snapshot: Snapshot())
    #expect(
      places.complaint(about: try #require(IPAddress("192.168.1.5")))
        == "192.168.1.5 is no device of a LAN: none has an IPv4 net now")
  }

  @Test("times read as the household's clock shows them, with the date on another day")
  func clock() {
    let noon = WallTime(seconds: 1_767_268_800)
    #expect(LocalClock.text(noon, now: noon).count == 5)
    #expect(LocalClock.text(noon + .seconds(86_400), now: noon).hasPrefix("2026-01-0"))
  }
}
