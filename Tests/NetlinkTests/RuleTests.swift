import Base
import NamespaceKit
import Netlink
import Testing

@Suite("Policy rules", .enabled(if: Namespace.isPossible))
struct RuleTests {
  static func everySelector(_ family: AddressFamily) throws -> [Rule] {
    let v4 = family == .ipv4
    func rule(_ priority: UInt32, _ change: (inout Rule) throws -> Void) rethrows -> Rule {
      var rule = Rule(family: family, priority: priority, action: .lookup(44001))
      try change(&rule)
      return rule
    }
    return [
      Rule(family: family, priority: 800, action: .lookup(Route.mainTable)),
      Rule(family: family, priority: 801, action: .unreachable),
      rule(802) {
        $0.mark = 0xad00_0000; $0.markMask = 0xff00_0000
      },
      rule(803) {
        $0.mark = 0xad00_0000; $0.markMask = 0xff00_0000; $0.isInverted = true
      },
      rule(804) {
        $0.mark = 0; $0.markMask = 0xff00_0000
      },
      rule(805) { $0.mark = 7 },
      try rule(806) { $0.inputDevice = try device("lan0") },
      try rule(807) { $0.outputDevice = try device("wan0") },
      try rule(808) { $0.source = try prefix(v4 ? "192.168.1.0/24" : "fd00:1::/64") },
      try rule(809) { $0.destination = try prefix(v4 ? "10.8.0.1" : "fd00:8::1") },
      rule(810) {
        $0.ipProtocol = 17; $0.destinationPorts = Rule.Ports(123)
      },
      rule(811) {
        $0.ipProtocol = 17; $0.sourcePorts = Rule.Ports(68); $0.destinationPorts = Rule.Ports(67)
      },
      rule(812) {
        $0.ipProtocol = 6; $0.destinationPorts = Rule.Ports(first: 1000, last: 2000)
      },
      try rule(813) {
        $0.inputDevice = try device("lan0"); $0.suppressedLength = 7
      },
      // A rule for a device that is not there yet, with everything at once.
      try rule(899) {
        $0.mark = 0xad00_0000
        $0.markMask = 0xff00_0000
        $0.isInverted = true
        $0.inputDevice = try device("later0")
        $0.source = try prefix(v4 ? "192.168.0.0/16" : "fd00::/8")
        $0.destination = try prefix(v4 ? "10.0.0.0/8" : "2000::/3")
        $0.ipProtocol = 6
        $0.sourcePorts = Rule.Ports(first: 1, last: 1023)
        $0.destinationPorts = Rule.Ports(443)
      },
    ]
  }

  @Test("every selector comes back as it was given, twice, and goes", arguments: AddressFamily.allCases)
  func roundTrip(_ family: AddressFamily) throws {
    let wanted = try Self.everySelector(family)
    let (before, during, after) = try inHouse { socket in
      let before = try socket.snapshot()
      let failures = socket.perform((wanted + wanted).map(NetlinkChange.addRule)).compactMap { $0 }
      if let failure = failures.first { throw failure }
      let during = try socket.snapshot().rules.filter { $0.origin == Route.ours }
      for rule in wanted + wanted { try socket.perform(.deleteRule(rule)) }
      return (before, during, try socket.snapshot())
    }
    #expect(during.count == wanted.count)
    for rule in wanted { #expect(during.contains(rule)) }
    #expect(before == after)
  }

  @Test("a rule and its inversion stand side by side, and each is deleted alone")
  func inversion() throws {
    let plain = Rule(family: .ipv4, priority: 810, action: .lookup(44001), mark: 1, markMask: 0xff)
    let inverted = Rule(
      family: .ipv4, priority: 810, action: .lookup(44001), mark: 1, markMask: 0xff, isInverted: true)
    let (both, one) = try inHouse { socket in
      try socket.perform(.addRule(plain))
      try socket.perform(.addRule(inverted))
      let both = try socket.ownRules()
      try socket.perform(.deleteRule(inverted))
      return (both, try socket.ownRules())
    }
    #expect(both == [plain, inverted])
    #expect(one == [plain])
  }

  @Test("deleting a wide rule leaves narrower ones of the same priority, which the kernel would take first")
  func narrower() throws {
    let wide = Rule(family: .ipv4, priority: 850, action: .lookup(44001))
    let narrow = Rule(family: .ipv4, priority: 850, action: .lookup(44001), inputDevice: try device("lan0"))
    let marked = Rule(family: .ipv4, priority: 850, action: .lookup(44001), mark: 3)
    let left = try inHouse { socket in
      for rule in [narrow, marked, wide] { try socket.perform(.addRule(rule)) }
      try socket.perform(.deleteRule(wide))
      return try socket.ownRules()
    }
    #expect(left == [narrow, marked])
  }

  @Test("a rule of somebody else is never deleted for ours")
  func foreign() throws {
    let rule = Rule(family: .ipv4, priority: 850, action: .lookup(100))
    let left = try inHouse { socket in
      try Namespace.shell("ip rule add pref 850 lookup 100")
      try socket.perform(.deleteRule(rule))
      return try socket.snapshot().rules.filter { $0.priority == 850 }
    }
    #expect(left.count == 1)
  }
}
