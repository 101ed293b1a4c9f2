import Base
import Settings
import Supervisor
import Testing

@Suite("Connecting on demand")
struct OnDemandTests {
  private let nas = ReachTarget(address: .v4(IPv4Address(192, 168, 1, 5)), port: 445)
  private let host = ReachTarget(address: .v4(IPv4Address(192, 168, 1, 6)))

  private func rule(
    _ action: OnDemandSettings.Action, line: Int = 1, _ change: (inout OnDemandSettings) -> Void = { _ in }
  ) -> OnDemandSettings {
    var rule = OnDemandSettings(location: SourceLocation(file: "adit", line: line))
    rule.action = action
    change(&rule)
    return rule
  }

  private func surroundings(
    _ device: String = "wan0", _ kind: Uplink.Kind = .wired, _ addresses: String...,
    answers: [ReachTarget: Bool] = [:], isUp: Bool = true
  ) throws -> Surroundings {
    let path = Path(device: try #require(DeviceName(device)))
    return Surroundings(
      uplink: Uplink(path: path, kind: kind, isUp: isUp), addresses: addresses.compactMap { IPAddress($0) },
      answers: answers)
  }

  /// The action's word, `none` or `undecided`.
  private func word(_ rules: [OnDemandSettings], _ surroundings: Surroundings, of tunnel: String = "home") throws
    -> String
  {
    switch OnDemand.verdict(rules, for: try #require(TunnelName(tunnel)), in: surroundings) {
    case .none: "none"
    case .undecided: "undecided"
    case .rule(let action, _): action.rawValue
    }
  }

  @Test("Without a rule, or without one that fits, there is nothing to say")
  func nothing() throws {
    #expect(try word([], surroundings()) == "none")
    #expect(try word([rule(.disconnect) { $0.uplinks = ["usb*"] }], surroundings()) == "none")
  }

  @Test("The first rule that fits decides")
  func order() throws {
    let rules = [
      rule(.disconnect) { $0.uplinks = ["wan0"] }, rule(.ignore) { $0.kinds = [.wired] }, rule(.connect),
    ]
    #expect(try word(rules, surroundings()) == "disconnect")
    #expect(try word(rules, surroundings("wan1")) == "ignore")
    #expect(try word(rules, surroundings("wwan0", .cellular)) == "connect")
  }

  @Test("A rule for some tunnels says nothing of the others")
  func tunnels() throws {
    let work = try #require(TunnelName("work"))
    let rules = [rule(.disconnect) { $0.tunnels = [work] }]
    #expect(try word(rules, surroundings(), of: "work") == "disconnect")
    #expect(try word(rules, surroundings()) == "none")
  }

  @Test("All conditions of a rule must fit, of each one value")
  func conditions() throws {
    let home = try #require(IPPrefix("192.168.1.0/24"))
    let rules = [
      rule(.disconnect) {
        $0.kinds = [.wifi, .wired]
        $0.subnets = [home]
        $0.reachable = [nas, host]
      }
    ]
    let answers = [nas: false, host: true]
    #expect(try word(rules, surroundings("wan0", .wifi, "192.168.1.20", answers: answers)) == "disconnect")
    #expect(try word(rules, surroundings("wan0", .ppp, "192.168.1.20", answers: answers)) == "none")
    #expect(try word(rules, surroundings("wan0", .wifi, "192.168.2.20", answers: answers)) == "none")
    #expect(try word(rules, surroundings("wan0", .wifi, "192.168.1.20", answers: [nas: false, host: false])) == "none")
  }

  @Test("What is not known yet leaves a tunnel as it is, unless an earlier rule or condition decides without it")
  func unknown() throws {
    let asks = rule(.disconnect) {
      $0.kinds = [.wired]
      $0.reachable = [nas, host]
    }
    #expect(try word([asks], surroundings()) == "undecided")
    #expect(try word([asks], surroundings(answers: [nas: false])) == "undecided")
    #expect(try word([asks], surroundings(answers: [nas: true])) == "disconnect")
    #expect(try word([asks, rule(.connect)], surroundings("wlan0", .wifi)) == "connect")
    let home = try #require(IPPrefix("192.168.1.0/24"))
    #expect(try word([rule(.disconnect) { $0.subnets = [home] }], surroundings()) == "undecided")
    #expect(try word([rule(.connect) { $0.uplinks = ["wan*"] }, asks], surroundings()) == "connect")
  }

  @Test("Without a way out only a rule without conditions decides")
  func offline() throws {
    let rules = [rule(.disconnect) { $0.uplinks = ["wan*"] }, rule(.connect)]
    #expect(try word(rules, Surroundings()) == "undecided")
    #expect(try word(rules, surroundings(isUp: false)) == "undecided")
    #expect(try word([rule(.connect)], Surroundings()) == "connect")
  }

  @Test("A rule with an error counts as `connect`, so that no slip of the pen takes the tunnel away")
  func broken() throws {
    let rules = [
      rule(.disconnect) {
        $0.isBroken = true
        $0.uplinks = ["usb0"]
      }, rule(.disconnect),
    ]
    #expect(try word(rules, surroundings()) == "connect")
  }

  @Test("The words say which rule it is, and why it fits")
  func words() throws {
    let subnet = try #require(IPPrefix("192.168.1.0/24"))
    let rules = [
      rule(.disconnect, line: 7) {
        $0.uplinks = ["wan*"]
        $0.kinds = [.wired]
        $0.subnets = [subnet]
        $0.reachable = [nas]
      }
    ]
    let home = try #require(TunnelName("home"))
    #expect(
      OnDemand.verdict(
        rules, for: home, in: try surroundings("wan0", .wired, "10.0.0.2", "192.168.1.20", answers: [nas: true]))
        == .rule(
          .disconnect,
          words: "disconnect by adit:7: the uplink is wan0, its kind is wired, its address is 192.168.1.20, "
            + "192.168.1.5:445 answers"))
    #expect(
      OnDemand.verdict([rule(.ignore, line: 2)], for: home, in: Surroundings())
        == .rule(.ignore, words: "ignore by adit:2: always"))
  }

  @Test(
    "A star stands for any letters",
    arguments: [
      ("wan0", "wan0", true), ("wan0", "wan01", false), ("wan*", "wan", true), ("wan*", "wan0.7", true),
      ("wan*", "lan0", false), ("*", "eth0", true), ("*0", "eth0", true), ("*0", "eth1", false),
      ("e*h*0", "enp0sh0", true), ("a*a", "a", false), ("a*a", "aa", true), ("*wan*", "wwan0", true),
      ("*b*ab", "abab", true), ("", "eth0", false),
    ] as [(String, String, Bool)])
  func patterns(_ pattern: String, _ name: String, _ fits: Bool) {
    #expect(DevicePattern.fits(pattern, name) == fits)
  }
}
