import Base
import NamespaceKit
import Netlink
import Testing

@Suite("What the kernel tells of others", .enabled(if: Namespace.isPossible))
struct OutlineTests {
  @Test("every rule has an outline, also one that a plan's rule cannot say; the kernel's own three are standard")
  func rules() throws {
    let outlines = try inHouse { socket in
      try Namespace.shell(
        """
        ip rule add pref 850 fwmark 0x100/0x3f00 blackhole
        ip rule add pref 851 lookup main suppress_prefixlength 0
        ip rule add pref 852 iif lan0 lookup 100
        ip -6 rule add pref 853 fwmark 0/0xff lookup 100
        """)
      return try socket.ruleOutlines()
    }
    let foreign = outlines.filter { !$0.isStandard }
    #expect(foreign.map(\.priority) == [850, 851, 852, 853])
    #expect(foreign.map(\.mark) == [0x100, nil, nil, 0])
    #expect(foreign[0].markMask == 0x3f00 && foreign[0].table == nil)
    #expect(foreign[1].table == Route.mainTable && !foreign[1].isForAll)
    #expect(foreign[2].inputDevice == (try device("lan0")))
    #expect(foreign[3].family == .ipv6)
    #expect(outlines.count { $0.isStandard } == 5)
  }

  @Test("neighbours of both families, without those that did not answer")
  func neighbours() throws {
    let neighbours = try inHouse { socket in
      try Namespace.shell(
        """
        ip neigh add 192.168.1.40 lladdr 02:00:00:00:00:40 dev lan0
        ip neigh add fd01::40 lladdr 02:00:00:00:00:40 dev lan0
        ip neigh add 192.168.1.41 nud incomplete dev lan0 2> /dev/null || true
        """)
      return try socket.neighbours().filter { $0.device.text == "lan0" }
    }
    let mac = try #require(MACAddress("02:00:00:00:00:40"))
    #expect(
      Set(neighbours) == [
        Neighbour(address: try address("192.168.1.40"), mac: mac, device: try device("lan0")),
        Neighbour(address: try address("fd01::40"), mac: mac, device: try device("lan0")),
      ])
  }

  @Test("A neighbour answers, is unconfirmed or silent; one that is gone is found out within seconds")
  func states() throws {
    let states = try inHouse { socket -> [NeighbourState?] in
      try Namespace.shell(
        """
        ip neigh add 198.51.100.1 lladdr 02:00:00:00:00:01 dev wan0 nud permanent
        ip neigh add 192.168.1.40 lladdr 02:00:00:00:00:40 dev lan0 nud stale
        ip neigh add 192.168.1.41 lladdr 02:00:00:00:00:41 dev lan0 nud reachable
        ip neigh add 192.168.1.42 dev lan0 nud failed
        """)
      let lan = try device("lan0")
      func state(_ text: String, _ place: DeviceName) throws -> NeighbourState? {
        try socket.state(of: try address(text), on: place)
      }
      let first = [
        try state("198.51.100.1", try device("wan0")), try state("192.168.1.40", lan), try state("192.168.1.41", lan),
        try state("192.168.1.42", lan), try state("192.168.1.43", lan),
      ]
      // Nobody has that address on the other end of the cable.
      try socket.confirm(try address("192.168.1.41"), on: lan)
      var last: NeighbourState?
      for _ in 0..<1000 {
        last = try state("192.168.1.41", lan)
        if last == .silent { break }
        try Namespace.shell("sleep 0.01")
      }
      return first + [last]
    }
    #expect(states == [.answers, .unconfirmed, .answers, .silent, nil, .silent])
  }
}
