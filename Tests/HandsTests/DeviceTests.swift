import Base
import Gateway
import Hands
import IO
import NamespaceKit
import Netlink
import Testing

@Suite("The tun device of a tunnel", .enabled(if: Namespace.isPossible))
struct DeviceTests {
  private static func wanted() throws -> NetworkPlan.TunDevice {
    NetworkPlan.TunDevice(name: try device("tun-home"), alias: "adit:home", mtu: 1420, transmitQueueLength: 1000)
  }

  @Test("it is made with our alias, outlives its descriptor, and is opened again")
  func life() throws {
    let wanted = try Self.wanted()
    let (first, held, second, third) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      let tun = try hands.openTun(wanted)
      let first = try hands.netlink.link(named: wanted.name)?.alias
      let whileHeld = try hands.openTun(wanted) == nil
      if let tun { _ = consume tun }
      let second = try hands.netlink.link(named: wanted.name)?.alias
      let again = try hands.openTun(wanted)
      return (first, whileHeld, second, again != nil)
    }
    #expect(first == "adit:home")
    #expect(held)
    #expect(second == "adit:home")
    #expect(third)
  }

  @Test("a device of somebody else, of another kind or of another tunnel is never taken")
  func taken() throws {
    let wanted = try Self.wanted()
    let codes = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      var codes: [Fault.Code?] = []
      func attempt() {
        do throws(Fault) {
          _ = try hands.openTun(wanted)
          codes.append(nil)
        } catch { codes.append(error.code) }
      }
      for make in [
        "ip tuntap add tun-home mode tun", "ip tuntap add tun-home mode tun; ip link set tun-home alias adit:work",
        "ip link add tun-home type bridge; ip link set tun-home alias adit:home",
      ] {
        try Namespace.shell(make)
        attempt()
        try Namespace.shell("ip link del tun-home")
      }
      return codes
    }
    #expect(codes == [.deviceTaken, .deviceTaken, .deviceTaken])
  }
}
