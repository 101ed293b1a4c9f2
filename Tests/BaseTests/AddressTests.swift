import Base
import Testing

@Suite struct AddressTests {
  @Test(
    "IPv4 reads dotted quads only",
    arguments: [
      ("10.8.0.1", "10.8.0.1"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("1.2.3", nil),
      ("1.2.3.4.5", nil), ("256.1.1.1", nil), ("01.2.3.4", nil), ("1.2.3.4 ", nil), ("+1.2.3.4", nil), ("", nil),
    ] as [(String, String?)])
  func ipv4(text: String, expected: String?) { #expect(IPv4Address(text)?.description == expected) }

  @Test(
    "IPv6 reads every form of RFC 4291 and prints RFC 5952",
    arguments: [
      ("2001:DB8::1", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("fe80::", "fe80::"),
      ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("::ffff:192.0.2.1", "::ffff:c000:201"),
      ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
      ("1::2::3", nil), ("12345::", nil), (":1", nil), ("1:2:3:4:5:6:7:8:9", nil), ("1:2:3:4:5:6:7::8", nil),
      ("::+1", nil), ("fe80::1%eth0", nil), ("1.2.3.4", nil),
      ("1.2.3.4::", nil), ("1:1.2.3.4::1", nil), ("", nil),
    ] as [(String, String?)])
  func ipv6(text: String, expected: String?) { #expect(IPv6Address(text)?.description == expected) }

  @Test("IPv6 bytes and text agree") func ipv6Bytes() throws {
    let address = try #require(IPv6Address("2001:db8:1:2:3:4:5:6"))
    #expect(IPv6Address(bytes: address.bytes) == address)
    #expect(Hex.text(address.bytes) == "20010db8000100020003000400050006")
  }

  @Test("netmasks are contiguous or nothing") func netmask() {
    #expect(IPv4Address("255.255.240.0")?.netmaskLength == 20)
    #expect(IPv4Address("255.255.255.255")?.netmaskLength == 32)
    #expect(IPv4Address("0.0.0.0")?.netmaskLength == 0)
    #expect(IPv4Address("255.0.255.0")?.netmaskLength == nil)
    #expect(IPv4Address.netmask(1).description == "128.0.0.0")
    #expect(IPv4Address.netmask(0).description == "0.0.0.0")
  }

  @Test("prefixes mask, contain and overlap") func prefixes() throws {
    let wide = try #require(IPPrefix("10.8.1.2/16"))
    #expect(wide.network.description == "10.8.0.0/16")
    #expect(wide.contains(try #require(IPAddress("10.8.255.1"))))
    #expect(!wide.contains(try #require(IPAddress("10.9.0.1"))))
    #expect(wide.overlaps(try #require(IPPrefix("10.0.0.0/8"))))
    #expect(IPPrefix("10.0.0.0/33") == nil)
    #expect(IPPrefix("10.0.0.0/") == nil)
    #expect(IPPrefix("2001:db8::1/64")?.network.description == "2001:db8::/64")
    #expect(IPPrefix("2001:db8::ffff:1/112")?.network.description == "2001:db8::ffff:0/112")
    #expect(IPPrefix.everything(.ipv6).description == "::/0")
    #expect(IPPrefix("192.0.2.1")?.isHost == true)
  }

  @Test("device names are the kernel's and safe in a ruleset") func devices() {
    #expect(DeviceName("tun-home")?.text == "tun-home")
    #expect(DeviceName("a-name-of-16-byt") == nil)
    for bad in ["", ".", "..", "a b", "a/b", "a\"b", "a;b", "a\nb"] { #expect(DeviceName(bad) == nil) }
  }

  @Test("MAC addresses read both separators") func mac() {
    #expect(MACAddress("00:11:22:AA:bb:cc")?.description == "00:11:22:aa:bb:cc")
    #expect(MACAddress("00-11-22-aa-bb-cc")?.description == "00:11:22:aa:bb:cc")
    for bad in ["00:11:22:aa:bb", "00:11:22:aa:bb:c", "00:11:22:aa:bb:+c", ""] { #expect(MACAddress(bad) == nil) }
  }
}
