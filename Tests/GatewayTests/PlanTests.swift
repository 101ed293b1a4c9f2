import Gateway
import Testing

@Suite("Whole plans of the common situations")
struct PlanTests {
  @Test("G-04: before the first connection")
  func closed() throws {
    #expect(
      try Situations.closed().plan().text == """
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
        """)
  }

  @Test("full tunnel")
  func full() throws {
    #expect(
      try Situations.full().plan().text == """
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
        rule v6 860: iif br-lan lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("full tunnel with IPv6")
  func fullWithIPv6() throws {
    #expect(
      try Situations.fullWithIPv6().plan().text == """
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
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv6/conf/tun-home/disable_ipv6=0
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        sysctl net/ipv6/conf/wan0/accept_ra=2
        sysctl net/ipv6/conf/all/forwarding=1
        """)
  }

  @Test("P-22, P-09, G-24: no gateway, specific routes")
  func specific() throws {
    #expect(
      try Situations.specific().plan().text == """
        link tun-work alias adit:work mtu 1500 txqueuelen 1000
        address 10.20.0.7/20 dev tun-work
        route unreachable default table 44001 metric 4294967295
        route default dev tun-work table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.20.0.0/20 dev tun-work table 44129
        route 10.0.0.0/8 dev tun-work table 44129 metric 5
        route 192.168.0.0/16 dev tun-work table 44129
        route 203.0.113.9/32 dev tun-work table 44129
        route 9.9.9.9/32 dev tun-work table 44129
        route throw 192.168.1.0/24 table 44129
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
        sysctl net/ipv4/conf/tun-work/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        warning work: the route to 192.168.1.0/24 is refused: it is 192.168.1.0/24 on br-lan, a net of this router
        warning work: the route to 192.168.1.77/32 is refused: it is 192.168.1.0/24 on br-lan, a net of this router
        warning work: the route to 198.51.100.0/24 is refused: it is 198.51.100.0/24 on wan0, a net of this router
        """)
  }

  @Test("O-33: no gateway, redirect-gateway")
  func redirected() throws {
    #expect(
      try Situations.redirected().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.8.0.0/24 dev tun-home table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 869: fwmark 0xad000000/0xff000000 unreachable
        rule v4 870: iif lo lookup 44001
        \(band6)
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 869: fwmark 0xad000000/0xff000000 unreachable
        rule v6 870: iif lo lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/tcp_fwmark_accept=1
        sysctl net/ipv4/fwmark_reflect=1
        sysctl net/ipv6/fwmark_reflect=1
        warning home: block-local is ignored: it would cut this router off its own uplink
        """)
  }

  @Test("P-04: SoftEther's pair")
  func pair() throws {
    #expect(
      try Situations.pair().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 192.168.30.29 peer 192.168.30.30 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 192.168.30.30/32 dev tun-home table 44129
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
        rule v6 860: iif br-lan lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("P-06: gateway with routes pushed only")
  func pushedOnly() throws {
    #expect(
      try Situations.pushedOnly().plan().text == """
        link tun-work alias adit:work mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-work
        route unreachable default table 44001 metric 4294967295
        route default dev tun-work table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.8.0.0/24 dev tun-work table 44129
        route 172.29.64.0/24 dev tun-work table 44129
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
        sysctl net/ipv4/conf/tun-work/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("scope all, clock unset")
  func scopeAll() throws {
    #expect(
      try Situations.scopeAll().plan(clockIsUnset: true).text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route unreachable default6 table 44001 metric 4294967295
        route 10.8.0.0/24 dev tun-home table 44129
        route 192.168.1.0/24 dev br-lan src 192.168.1.1 table 44128
        route fd01::/64 dev br-lan table 44128 metric 256
        \(band4)
        rule v4 821: iif lo ipproto 17 dport 123 lookup 254
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif br-lan lookup 44001
        rule v4 870: not fwmark 0xad000000/0xff000000 lookup 44001
        \(band6)
        rule v6 821: iif lo ipproto 17 dport 123 lookup 254
        rule v6 830: lookup 44128
        rule v6 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v6 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v6 860: iif br-lan lookup 44001
        rule v6 870: not fwmark 0xad000000/0xff000000 lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/tcp_fwmark_accept=1
        sysctl net/ipv4/fwmark_reflect=1
        sysctl net/ipv6/fwmark_reflect=1
        sysctl net/ipv4/ip_forward=1
        """)
  }

  @Test("one-armed")
  func oneArmed() throws {
    #expect(
      try Situations.oneArmed().plan().text == """
        link tun-home alias adit:home mtu 1500 txqueuelen 1000
        address 10.8.0.2/24 dev tun-home
        route unreachable default table 44001 metric 4294967295
        route default dev tun-home table 44001
        route 10.8.0.0/24 dev tun-home table 44129
        route 192.168.178.0/24 dev eth0 src 192.168.178.20 table 44128
        \(band4)
        rule v4 830: lookup 44128
        rule v4 840: fwmark 0x01000000/0xff000000 lookup 44001
        rule v4 850: not fwmark 0xad000000/0xff000000 lookup 44129
        rule v4 860: iif eth0 lookup 44001
        sysctl net/ipv4/conf/tun-home/promote_secondaries=1
        sysctl net/ipv4/conf/all/src_valid_mark=1
        sysctl net/ipv4/conf/all/send_redirects=0
        sysctl net/ipv4/conf/eth0/send_redirects=0
        sysctl net/ipv4/ip_forward=1
        """)
  }
}
