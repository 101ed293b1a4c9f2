import Base
import NamespaceKit
import Netlink
import Testing

@Suite("Tracked connections", .enabled(if: Namespace.isPossible))
struct ConntrackTests {
  /// A house in one device: what begins at 10.1.0.0/16 is hidden behind 10.9.0.9.
  private static let house = """
    set -e
    for address in 10.1.0.1 10.1.0.2 10.2.0.1 10.3.0.1 10.9.0.9; do ip addr add $address/32 dev lo; done
    ip -6 addr add fd01::1/128 dev lo nodad; ip -6 addr add fd02::1/128 dev lo nodad
    nft -f - <<'END'
    table inet test {
      chain out { type filter hook output priority mangle; ct state new ip daddr 10.3.0.1 ct mark set 0xae000000; }
      chain nat { type nat hook postrouting priority srcnat; ip saddr 10.1.0.2 snat ip to 10.9.0.9; }
    }
    END
    ping -c 1 -q -I 10.1.0.1 10.2.0.1; ping -c 1 -q -I 10.1.0.1 10.3.0.1; ping -c 1 -q -I 10.1.0.2 10.2.0.1
    ping -c 1 -q -I fd01::1 fd02::1
    """

  private func flow(_ source: String, _ destination: String, _ answered: String, mark: UInt32 = 0) throws
    -> Conntrack.Flow
  {
    Conntrack.Flow(
      source: try address(source), destination: try address(destination), answered: try address(answered), mark: mark)
  }

  @Test("each is shown with its ends, the address it is hidden behind, and its mark; what fits goes, and nothing else")
  func delete() throws {
    let all = try [
      flow("10.1.0.1", "10.2.0.1", "10.1.0.1"), flow("10.1.0.1", "10.3.0.1", "10.1.0.1", mark: 0xae00_0000),
      flow("10.1.0.2", "10.2.0.1", "10.9.0.9"), flow("fd01::1", "fd02::1", "fd01::1"),
    ]
    let outside = try address("10.9.0.9")
    let (before, counts, after) = try Namespace.run {
      try Namespace.shell(Self.house)
      let before = Set(try Conntrack.flows())
      let counts = [
        try Conntrack.delete { $0.answered == outside }, try Conntrack.delete { $0.answered == outside },
        try Conntrack.delete { $0.source.family == .ipv6 },
      ]
      return (before, counts, Set(try Conntrack.flows()))
    }
    #expect(before.isSuperset(of: all))
    #expect(counts[0] == 1 && counts[1] == 0 && counts[2] >= 1)
    #expect(after.isSuperset(of: all[..<2]) && after.isDisjoint(with: all[2...]))
  }

  @Test("a thousand are ended in a few milliseconds")
  func many() throws {
    let (count, left, time) = try Namespace.run {
      try Namespace.shell(Self.house)
      try Namespace.shell(
        "bash -c 'for port in {1000..1999}; do echo > /dev/udp/10.2.0.1/$port; done' 2> /dev/null || true")
      var count = 0
      let time = try ProcessorTime.measure { count = try Conntrack.delete { _ in true } }
      return (count, try Conntrack.flows().count, time)
    }
    #expect(count >= 1_000 && left == 0)
    print("\(count) connections ended in \(time)")
    #expect(time < .milliseconds(500))
  }
}
