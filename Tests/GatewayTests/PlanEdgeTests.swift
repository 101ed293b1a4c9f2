import Gateway
import Testing

@Suite("Whole plans of the odd situations")
struct PlanEdgeTests {
  @Test("G-18: subnet conflict")
  func conflict() throws {
    #expect(
      try Situations.conflict().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        route unreachable default table 44001 metric 4294967295
        route unreachable default6 table 44001 metric 4294967295
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44001
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        fault home subnet_conflict
        """)
  }

  @Test("P-13: IPv6 switched off")
  func withoutIPv6() throws {
    #expect(
      try Situations.withoutIPv6().plan().text == """
        link tun-home alias adit:home mtu 1400 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route 10.8.0.0/24 dev tun-home table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        warning home: the IPv6 part is skipped: this router has IPv6 switched off
        """)
  }

  @Test("P-07: net_gateway and exclude")
  func exceptions() throws {
    #expect(
      try Situations.exceptions().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route throw 10.66.0.0/16 table 44001
        route throw 203.0.113.9/32 table 44001
        route throw 100.64.0.0/10 table 44001
        route throw 10.77.0.0/16 table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.8.0.0/24 dev tun-home table 44129
        route 10.0.0.0/8 dev tun-home table 44129
        route 172.16.6.0/24 dev tun-home table 44129 metric 7
        route throw 10.66.0.0/16 table 44129
        route throw 10.77.0.0/16 table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44001
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        warning home: the server wants 0.0.0.0/1 outside the tunnel: refused, it is half the internet
        warning home: the route to 172.16.5.0/24 by 192.168.1.9 is refused: that is a net of this router (br-lan)
        warning home: the route to the name intranet.example is skipped: write its address
        """)
  }

  @Test("kill switch off and down")
  func open() throws {
    #expect(
      try Situations.open().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.8.0.0/24 dev tun-home table 44129
        route 192.0.2.53/32 dev tun-home table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("P-10: two tunnels")
  func twoTunnels() throws {
    #expect(
      try Situations.twoTunnels().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        link tun-backup alias adit:backup mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        address 10.9.0.6/32 dev tun-backup
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route unreachable default table 44002 metric 4294967295
        route default dev tun-backup table 44002
        route unreachable default6 table 44002 metric 4294967295
        route 10.9.0.6/32 dev tun-backup table 44129
        route 10.9.0.1/32 dev tun-backup table 44129
        route 10.50.0.0/16 dev tun-backup table 44129
        route 10.8.0.0/24 dev tun-home table 44129
        route 10.50.0.0/16 dev tun-home table 44131
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 840: fwmark 0x02000000/0xff000000 lookup 44002
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44002
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 840: fwmark 0x02000000/0xff000000 lookup 44002
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan lookup 44002
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/tun-backup/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("IPv6 bypass")
  func bypass() throws {
    #expect(
      try Situations.bypass().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.8.0.0/24 dev tun-home table 44129
        route 192.0.2.53/32 dev tun-home table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44001
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("inbound block, DoT blocked, hijack")
  func strict() throws {
    #expect(
      try Situations.strict().plan().text == """
        link tun-home alias adit:home mtu 1400 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        address fd00:8::1001/64 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route default6 dev tun-home table 44001
        route 10.8.0.0/24 dev tun-home table 44129
        route fd00:8::/64 dev tun-home table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44001
        rule v4 870: not fwmark 0xad000000/0xff000000 lookup 44001
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan unreachable
        rule v6 870: not fwmark 0xad000000/0xff000000 unreachable
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv6/conf/tun-home/disable_ipv6=0
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/tcp_fwmark_accept=1
        sysctl net/ipv4/fwmark_reflect=1
        sysctl net/ipv6/fwmark_reflect=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("unusable tunnel")
  func unusable() throws {
    #expect(
      try Situations.unusable().plan().text == """
        route unreachable default table 44001 metric 4294967295
        route unreachable default6 table 44001 metric 4294967295
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan unreachable
        \(band6)
        rule v6 830: lookup 44128
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan unreachable
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        warning lan: no tunnel is usable, so its LANs stay closed
        """)
  }
}
