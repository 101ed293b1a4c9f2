import Base
import IO
import Testing

@Suite("The uplink's resolvers, and what hosts(5) says")
struct UplinkResolversTests {
  private func addresses(_ texts: String...) -> [IPAddress] { texts.compactMap { IPAddress($0) } }

  private func chosen(
    own: [IPAddress] = [], _ texts: [String], pushed: [IPAddress] = [], by path: Path? = nil
  ) -> [IPAddress] {
    UplinkResolvers.choose(own: own, from: texts, bootstrap: [], pushed: pushed, by: path).map(\.address)
  }

  @Test("Those of the uplink's own lease go first, then the router's file; what a tunnel pushed is none of them (R-18)")
  func order() {
    let file = "nameserver 192.0.2.1\nnameserver 10.8.0.1\nnameserver 127.0.0.53\n"
    let pushed = addresses("10.8.0.1")
    #expect(chosen([file], pushed: pushed) == addresses("192.0.2.1"))
    #expect(
      chosen(own: addresses("198.51.100.1", "10.8.0.1"), [file], pushed: pushed)
        == addresses("198.51.100.1", "192.0.2.1"))
  }

  @Test("A resolver that is the uplink's next hop too goes before the others")
  func gateway() throws {
    let path = Path(device: try #require(DeviceName("wan0")), gateway: IPAddress("198.51.100.1"))
    let file = "nameserver 203.0.113.53\nnameserver 198.51.100.1\n"
    #expect(chosen([file], by: path) == addresses("198.51.100.1", "203.0.113.53"))
  }

  @Test("systemd-networkd's files of a link or a lease")
  func networkd() {
    let text = "# This is private data.\nADDRESS=198.51.100.2\nDNS=198.51.100.1 2001:db8::53 127.0.0.1\nNTP=1.2.3.4\n"
    #expect(LeaseFiles.assigned(in: text) == addresses("198.51.100.1", "2001:db8::53"))
  }

  @Test("dhclient's leases: the last one of this device")
  func dhclient() throws {
    let text = """
      lease {
        interface "wan0";
        option domain-name-servers 192.0.2.1;
      }
      lease {
        interface "wan0";
        option domain-name-servers 192.0.2.2, 192.0.2.3;
      }
      lease {
        interface "wan1";
        option domain-name-servers 192.0.2.9;
      }
      """
    let device = try #require(DeviceName("wan0"))
    #expect(LeaseFiles.leased(text, of: device) == addresses("192.0.2.2", "192.0.2.3"))
    #expect(LeaseFiles.leased("lease {", of: device) == [])
  }

  @Test("hosts(5): every line that names the host, of the wanted family, and nothing that only blocks it")
  func hosts() {
    let text = Array(
      """
      127.0.0.1 localhost vpn.example.net
      0.0.0.0 vpn.example.net
      203.0.113.10\tother VPN.example.net # vpn.example.com
      2001:db8::10 vpn.example.net
      nonsense vpn.example.net
      """.utf8)
    func found(_ host: String, _ family: AddressFamily? = nil) -> [IPAddress] {
      HostsFile.addresses(of: host, family: family, in: text)
    }
    #expect(found("vpn.example.net") == addresses("203.0.113.10", "2001:db8::10"))
    #expect(found("vpn.example.net", .ipv6) == addresses("2001:db8::10"))
    #expect(found("vpn.example.com") == [])
    #expect(found("example.net") == [])
  }
}
