import Base
import NamespaceKit
import Netlink
import Testing

@Suite("The monitor", .enabled(if: Namespace.isPossible))
struct MonitorTests {
  @Test("each kind of change is heard, in both families, and nothing when nothing happens")
  func kinds() throws {
    let commands: [(String, Monitor.Kind)] = [
      ("ip link set lan0 mtu 1400", .link), ("ip addr add 10.0.0.1/32 dev wan0", .address),
      ("ip -6 addr add fd00::1/128 dev lo nodad", .address), ("ip route add 10.1.0.0/16 dev lan0", .route),
      ("ip -6 route add fd01::/16 dev lan0", .route), ("ip rule add pref 5 lookup 5", .rule),
      ("ip -6 rule add pref 5 lookup 5", .rule),
    ]
    let heard = try inHouse { _ in
      var monitor = try Monitor()
      var heard = [monitor.drain()]
      for (command, kind) in commands {
        try Namespace.shell(command)
        var report = monitor.drain()
        // The kernel tells of an IPv6 address a moment after it took it.
        for _ in 0..<500 where !report.changed.contains(kind) {
          try Namespace.shell("sleep 0.01")
          report.changed.formUnion(monitor.drain().changed)
        }
        heard.append(report)
      }
      heard.append(monitor.drain())
      return heard
    }
    #expect(heard.first == Monitor.Report())
    #expect(heard.last == Monitor.Report())
    for (report, (_, kind)) in zip(heard.dropFirst(), commands) { #expect(report.changed.contains(kind)) }
    #expect(!heard.contains { $0.hasOverflowed })
  }

  @Test("dropped events are told, once, and later ones are heard")
  func overflow() throws {
    let lan = try device("lan0")
    let (first, second, third) = try inHouse { socket in
      var monitor = try Monitor(socketBuffer: 4096)
      for _ in 0..<20 {
        for mtu in [1400, 1500] { try socket.perform(.setLink(LinkChange(name: lan, mtu: mtu))) }
      }
      let first = monitor.drain()
      let second = monitor.drain()
      try socket.perform(.setLink(LinkChange(name: lan, mtu: 1400)))
      return (first, second, monitor.drain())
    }
    #expect(first.hasOverflowed)
    #expect(second == Monitor.Report())
    #expect(third == Monitor.Report(changed: [.link]))
  }
}
