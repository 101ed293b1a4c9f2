import Base
import NamespaceKit
import Netlink
import Testing

@Suite("The path to an address", .enabled(if: Namespace.isPossible))
struct PathTests {
  @Test("marks decide which way a packet goes, in both families")
  func marks() throws {
    let (plain, marked, plain6, marked6) = try inHouse { socket in
      try Namespace.shell(
        """
        set -e
        ip route add default via 198.51.100.1 dev wan0
        ip -6 route add default via 2001:db8::1 dev wan0
        ip addr add fd00:1::1/64 dev lan0 nodad
        for f in -4 -6; do
          ip $f route add default dev lan0 table 44001
          ip $f rule add pref 800 fwmark 0xad000000/0xff000000 lookup main
          ip $f rule add pref 801 lookup 44001
        done
        """)
      let v4 = try address("203.0.113.10")
      let v6 = try address("2001:db8:99::1")
      let mark: UInt32 = 0xad00_0000
      return (
        try socket.path(to: v4), try socket.path(to: v4, mark: mark), try socket.path(to: v6),
        try socket.path(to: v6, mark: mark)
      )
    }
    let wan = try device("wan0")
    let lan = try device("lan0")
    #expect(plain == Path(device: lan, source: try address("192.168.1.1")))
    #expect(marked == Path(device: wan, gateway: try address("198.51.100.1"), source: try address("198.51.100.2")))
    #expect(plain6?.device == lan)
    #expect(plain6?.gateway == nil)
    #expect(marked6 == Path(device: wan, gateway: try address("2001:db8::1"), source: try address("2001:db8::2")))
  }

  @Test("no route, and every refusing route, is no path")
  func unreachable() throws {
    let paths = try inHouse { socket in
      try Namespace.shell(
        """
        set -e
        ip route add unreachable 10.1.0.0/16; ip route add prohibit 10.2.0.0/16; ip route add blackhole 10.3.0.0/16
        ip -6 route add unreachable fd01::/16; ip -6 route add blackhole fd03::/16; ip -6 route add prohibit fd02::/16
        """)
      return try ["9.9.9.9", "10.1.0.1", "10.2.0.1", "10.3.0.1", "2620:fe::9", "fd01::1", "fd02::1", "fd03::1"]
        .map { try socket.path(to: address($0)) }
    }
    #expect(paths == Array(repeating: nil, count: 8))
  }

  @Test("an address of our own is reached by lo")
  func local() throws {
    let path = try inHouse { try $0.path(to: address("198.51.100.2")) }
    #expect(path?.device.text == "lo")
  }
}

@Suite("The answer for an address", .enabled(if: Namespace.isPossible))
struct PathAnswerTests {
  @Test("a cable that is out is told beside the route that the kernel keeps, and one that was out is counted")
  func carrier() throws {
    let answers = try inHouse { socket in
      try Namespace.shell("ip route add default via 198.51.100.1 dev wan0")
      let target = try address("203.0.113.10")
      var answers = [try socket.answer(to: target)]
      for (command, isUp) in [("ip link set wan1 down", false), ("ip link set wan1 up", true)] {
        try Namespace.shell(command)
        var answer = try socket.answer(to: target)
        for _ in 0..<300 where answer?.isUp != isUp {
          try Namespace.shell("sleep 0.01")
          answer = try socket.answer(to: target)
        }
        answers.append(answer)
      }
      return answers
    }
    let path = try #require(answers[0]).path
    #expect(answers.allSatisfy { $0?.path == path })
    #expect(answers.map { $0?.isUp } == [true, false, true])
    let counts = answers.compactMap { $0?.carrierChanges }
    #expect(counts[0] < counts[1] && counts[1] < counts[2])
  }

  @Test("an address of this machine is known as one")
  func ours() throws {
    let found = try inHouse { socket in
      try ["198.51.100.2", "2001:db8::2", "198.51.100.1", "203.0.113.1", "2001:db8::3"].map {
        try socket.isOurs(address($0))
      }
    }
    #expect(found == [true, true, false, false, false])
  }
}
