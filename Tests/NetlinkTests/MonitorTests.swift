import Base
import NamespaceKit
import Netlink
import Testing

@Suite("The monitor", .enabled(if: Namespace.isPossible))
struct MonitorTests {
  /// What the kernel still has to tell of what is done comes a moment later, on a busy machine a long one.
  ///
  /// - Returns: false when it does not come to an end.
  private static func falls(silent monitor: inout Monitor) throws -> Bool {
    var quiet = 0
    for _ in 0..<1_000 where quiet < 5 {
      quiet = monitor.drain() == Monitor.Report() ? quiet + 1 : 0
      try Namespace.shell("sleep 0.01")
    }
    return quiet == 5
  }

  @Test("each kind of change is heard, in both families, and nothing when nothing happens")
  func kinds() throws {
    let commands: [(String, Monitor.Kind)] = [
      ("ip link set lan0 mtu 1400", .link), ("ip addr add 10.0.0.1/32 dev wan0", .address),
      ("ip -6 addr add fd00::1/128 dev lo nodad", .address), ("ip route add 10.1.0.0/16 dev lan0", .route),
      ("ip -6 route add fd01::/16 dev lan0", .route), ("ip rule add pref 5 lookup 5", .rule),
      ("ip -6 rule add pref 5 lookup 5", .rule), ("sysctl -qw net.ipv4.ip_forward=1", .setting),
      ("sysctl -qw net.ipv4.conf.lan0.rp_filter=2", .setting), ("sysctl -qw net.ipv6.conf.all.forwarding=1", .setting),
    ]
    let (heard, silences) = try inHouse { _ in
      var monitor = try Monitor(aliasPrefix: "adit:")
      var silences = [try Self.falls(silent: &monitor)]
      var heard: [Monitor.Report] = []
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
      silences.append(try Self.falls(silent: &monitor))
      return (heard, silences)
    }
    #expect(silences == [true, true])
    for (report, (_, kind)) in zip(heard, commands) { #expect(report.changed.contains(kind)) }
    #expect(!heard.contains { $0.hasOverflowed })
  }

  @Test("G-22: the loss of something of ours is told apart from other changes, and from our own")
  func losses() throws {
    let commands: [(String, Bool)] = [
      ("ip rule add pref 850 lookup 5 protocol 173; ip route add 10.2.0.0/16 dev lan0 table 44001 proto 173", false),
      ("ip rule add pref 851 lookup 5; ip rule del pref 851", false), ("ip rule del pref 850", true),
      ("ip route add 10.3.0.0/16 dev lan0; ip route del 10.3.0.0/16", false),
      ("ip route flush table 44001", true),
      ("ip -6 rule add pref 850 lookup 5 protocol 173", false), ("ip -6 rule flush", true),
      ("ip -6 route add fd02::/16 dev lan0 table 44001 proto 173", false), ("ip -6 route flush table 44001", true),
      ("ip tuntap add tun0 mode tun; ip link set tun0 alias adit:home", false), ("ip link set tun0 up", false),
      ("ip link set tun0 down", true), ("ip link set tun0 up; ip link set tun0 mtu 1400", false),
      ("ip link del tun0", true), ("ip link set lan0 down; ip link set lan0 up", false),
    ]
    let rule = Rule(family: .ipv4, priority: 850, action: .lookup(5))
    let route = Route(destination: try prefix("10.2.0.0/16"), device: try device("lan0"), table: 44001)
    let (heard, own, others) = try inHouse { socket in
      var monitor = try Monitor(aliasPrefix: "adit:")
      var heard: [Bool] = []
      for (command, _) in commands {
        try Namespace.shell(command)
        heard.append(monitor.drain(leavingOut: socket).hasLost)
      }
      for change in [NetlinkChange.addRule(rule), .addRoute(route), .deleteRule(rule), .deleteRoute(route)] {
        try socket.perform(change)
      }
      let own = monitor.drain(leavingOut: socket)
      try socket.perform(.addRule(rule))
      try socket.perform(.deleteRule(rule))
      return (heard, own, monitor.drain(leavingOut: try NetlinkSocket()))
    }
    for ((command, isLoss), heard) in zip(commands, heard) { #expect(heard == isLoss, "\(command)") }
    #expect(own.changed.isSuperset(of: [.rule, .route]) && !own.hasLost)
    #expect(others.hasLost)
  }

  @Test(
    "dropped events are told, once, and later ones are heard",
    arguments: [
      ("ip link set lan0 mtu %d", Monitor.Kind.link), ("ip addr add 10.9.%d.1/32 dev lan0", .address),
      ("ip -6 addr add fd00::%d/128 dev lo nodad", .address), ("ip route add 10.9.%d.0/24 dev lan0", .route),
      ("ip -6 route add fd09:%d::/32 dev lan0", .route), ("ip rule add pref %d lookup 5", .rule),
      ("ip -6 rule add pref %d lookup 5", .rule), ("sysctl -qw net.ipv4.conf.lan0.rp_filter=$((%d % 3))", .setting),
      ("sysctl -qw net.ipv6.conf.lan0.forwarding=$((%d % 2))", .setting),
    ])
  func overflow(command: String, kind: Monitor.Kind) throws {
    let (first, second, third) = try inHouse { _ in
      var monitor = try Monitor(aliasPrefix: "adit:", socketBuffer: 2048)
      let numbered = command.replacing("%d", with: "$i")
      try Namespace.shell("for i in $(seq 100 180); do \(numbered); done")
      var first = monitor.drain()
      // The kernel tells of an IPv6 address a moment after it took it: all must have been told before the last is added.
      for _ in 0..<500 where kind == .address {
        let tentative = try Namespace.shell(
          "ip -6 addr show dev lo tentative; ip -6 route show table local | grep -c '^local fd00' || true")
        let more = monitor.drain()
        first.hasOverflowed = first.hasOverflowed || more.hasOverflowed
        if more == Monitor.Report(), ["0", "81"].contains(tentative) { break }
      }
      try Namespace.shell("i=77; \(numbered)")
      var second = monitor.drain()
      for _ in 0..<500 where !second.changed.contains(kind) {
        try Namespace.shell("sleep 0.01")
        second.changed.formUnion(monitor.drain().changed)
      }
      return (first, second, monitor.drain())
    }
    #expect(first.hasOverflowed, "\(command)")
    #expect(second.changed.contains(kind) && !second.hasOverflowed, "\(command): \(second)")
    #expect(!third.hasOverflowed)
  }
}
