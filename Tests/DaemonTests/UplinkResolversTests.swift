import Base
import Testing

@testable import Daemon

@Suite struct UplinkResolversTests {
  @Test("resolv.conf gives the uplink's servers, never the router's own loopback") func servers() {
    let text = """
      # by dhcp
      search lan
      nameserver 127.0.0.53
      nameserver\t192.0.2.53
      nameserver 2001:db8::53
      nameserver fe80::1%wan0
      nameserver 192.0.2.53
      nameserver nonsense
      """
    #expect(UplinkResolvers.servers(in: text).map(\.description) == ["192.0.2.53", "2001:db8::53"])
  }
}
