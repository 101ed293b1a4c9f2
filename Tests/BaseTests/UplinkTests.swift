import Base
import Testing

@Suite("Kinds of uplink")
struct UplinkTests {
  @Test(
    "What sysfs shows tells the kind",
    arguments: [
      (DeviceFacts(hardware: 1), Uplink.Kind.wired), (DeviceFacts(hardware: 1, type: "wlan"), .wifi),
      (DeviceFacts(hardware: 1, isWireless: true), .wifi), (DeviceFacts(hardware: 1, type: "wwan"), .cellular),
      (DeviceFacts(hardware: 519), .cellular), (DeviceFacts(hardware: 65_534, driver: "qmi_wwan"), .cellular),
      (DeviceFacts(hardware: 1, driver: "cdc_mbim"), .cellular),
      (DeviceFacts(hardware: 1, driver: "cdc_ether"), .wired),
      (DeviceFacts(hardware: 512), .ppp), (DeviceFacts(hardware: 512, type: "ppp"), .ppp),
      (DeviceFacts(hardware: 65_534, isTunnel: true), .other), (DeviceFacts(hardware: 1, isTunnel: true), .other),
      (DeviceFacts(hardware: 772), .other),
    ])
  func kinds(facts: DeviceFacts, kind: Uplink.Kind) { #expect(Uplink.Kind(facts) == kind) }

  @Test("A bridge or a VLAN is what lies below it, when that is of one kind")
  func lower() {
    #expect(Uplink.Kind(lower: [.wifi], of: .wired) == .wifi)
    #expect(Uplink.Kind(lower: [.wifi, .wired], of: .wired) == .wired)
    #expect(Uplink.Kind(lower: [], of: .ppp) == .ppp)
  }
}
