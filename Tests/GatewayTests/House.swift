import Base
import Gateway
import Profile
import Settings
import Testing

/// A house with a LAN and one way out, in which the tests place tunnels and gateways.
struct House {
  var settings = Settings()
  var tunnels: [TunnelState] = []
  var snapshot = Snapshot()

  /// `br-lan` 192.168.1.1/24 and `wan0` 198.51.100.2/24 behind 198.51.100.1, IPv6 by advertisement.
  init() throws {
    let lan = try device("br-lan")
    let wan = try device("wan0")
    snapshot.links = [
      Link(index: 1, name: try device("lo")), Link(index: 2, name: wan), Link(index: 3, name: lan, kind: "bridge"),
    ]
    snapshot.addresses = [
      InterfaceAddress(device: wan, prefix: try prefix("198.51.100.2/24")),
      InterfaceAddress(device: lan, prefix: try prefix("192.168.1.1/24")),
      InterfaceAddress(device: lan, prefix: try prefix("fd01::1/64")),
      InterfaceAddress(device: wan, prefix: try prefix("2001:db8:1::2/64")),
      InterfaceAddress(device: wan, prefix: try prefix("fe80::2/64")),
    ]
    try addKernelRoute("198.51.100.0/24", "wan0", source: "198.51.100.2")
    try addKernelRoute("192.168.1.0/24", "br-lan", source: "192.168.1.1")
    try addKernelRoute("fd01::/64", "br-lan", metric: 256)
    try addKernelRoute("2001:db8:1::/64", "wan0", metric: 256)
    try addKernelRoute("fe80::/64", "wan0", metric: 256)
    try addKernelRoute("fe80::/64", "br-lan", metric: 256)
    snapshot.routes.append(
      Route(
        destination: .everything(.ipv4), device: wan, gateway: try address("198.51.100.1"), metric: 10, origin: 16))
    snapshot.routes.append(
      Route(destination: .everything(.ipv6), device: wan, gateway: try address("fe80::1"), metric: 1024, origin: 9))
  }

  /// A Pi with one card: `eth0` is the LAN and the uplink.
  static func oneArmed() throws -> House {
    var house = try House()
    let card = try device("eth0")
    house.snapshot = Snapshot(hasIPv6: false)
    house.snapshot.links = [Link(index: 2, name: card)]
    house.snapshot.addresses = [InterfaceAddress(device: card, prefix: try prefix("192.168.178.20/24"))]
    try house.addKernelRoute("192.168.178.0/24", "eth0", source: "192.168.178.20")
    house.snapshot.routes.append(
      Route(destination: .everything(.ipv4), device: card, gateway: try address("192.168.178.1"), origin: 16))
    house.snapshot.routes.append(
      Route(
        destination: try prefix("10.99.0.0/16"), device: card, gateway: try address("192.168.178.9"), origin: 4))
    return house
  }

  mutating func addKernelRoute(_ destination: String, _ name: String, source: String? = nil, metric: UInt32 = 0) throws
  {
    snapshot.routes.append(
      Route(
        destination: try prefix(destination), device: try device(name), source: try source.map { try address($0) },
        metric: metric, origin: 2))
  }

  /// - Parameter push: `nil` = not connected yet.
  @discardableResult
  mutating func addTunnel(
    _ name: String, index: Int = 1, server: String? = "203.0.113.9", profile: Profile = House.profile(),
    push: ((inout TunnelOptions) throws -> Void)? = nil
  ) throws -> TunnelName {
    let tunnelName = try #require(TunnelName(name))
    let location = SourceLocation(file: "tunnels", line: 1)
    let tunnelDevice = try device("tun-\(name)")
    let section = TunnelSettings(name: tunnelName, device: tunnelDevice, location: location)
    settings.tunnels.append(section)
    var pushed: PushedOptions?
    if let push {
      var options = PushedOptions()
      try push(&options.tunnel)
      pushed = options
    }
    tunnels.append(
      TunnelState(
        name: tunnelName, index: index, device: tunnelDevice, settings: section, profile: profile, pushed: pushed,
        serverAddress: try server.map { try address($0) }, isUp: pushed != nil))
    return tunnelName
  }

  mutating func addGateway(
    _ tunnels: String..., lan: [String] = ["br-lan"], _ change: (inout GatewaySettings) throws -> Void = { _ in }
  ) throws {
    var gateway = GatewaySettings(name: try #require(TunnelName("lan")), location: SourceLocation(file: "gateways"))
    gateway.tunnels = try tunnels.map { try #require(TunnelName($0)) }
    gateway.lan = try lan.map(device)
    gateway.killSwitch = .session
    try change(&gateway)
    settings.gateways.append(gateway)
  }

  /// - Parameters:
  ///   - from: as `list src` has them; `!` in front negates. So `to` for `list dest`.
  ///   - via: the name of a tunnel, `wan` or `block`.
  mutating func addPolicy(
    _ name: String, from: [String] = [], to: [String] = [], via: String,
    _ change: (inout PolicySettings) throws -> Void = { _ in }
  ) throws {
    let location = SourceLocation(file: "policies", line: settings.policies.count * 10 + 1, column: 1)
    var policy = PolicySettings(name: try #require(TunnelName(name)), location: location)
    policy.sources = try from.map(term)
    policy.destinations = try to.map(term)
    policy.via =
      switch via {
      case "wan": .wan
      case "block": .block
      default: .tunnel(try #require(TunnelName(via)))
      }
    try change(&policy)
    settings.policies.append(policy)
  }

  private func term(_ text: String) throws -> PolicySettings.Term {
    let isNegated = text.hasPrefix("!")
    let word = isNegated ? String(text.dropFirst()) : text
    let match: PolicySettings.Match? =
      word.hasPrefix("@")
      ? DeviceName(word.dropFirst()).map { .device($0) }
      : MACAddress(word).map { .mac($0) } ?? IPPrefix(word).map { .prefix($0) } ?? DomainName(word).map { .domain($0) }
    return PolicySettings.Term(match: try #require(match), isNegated: isNegated)
  }

  static func profile() -> Profile {
    var profile = Profile()
    profile.remotes = [Remote(host: "vpn.example.net", location: SourceLocation(file: "home.ovpn", line: 1))]
    return profile
  }

  func plan(
    clockIsUnset: Bool = false, awaitsFirewall: Bool = false, openings: Openings = .none,
    choices: [TunnelName: TunnelName] = [:], resolver: ResolverFacts? = nil
  ) -> NetworkPlan {
    Planner.plan(
      settings: settings, tunnels: tunnels, snapshot: snapshot, choices: choices, openings: openings,
      clockIsUnset: clockIsUnset, awaitsFirewall: awaitsFirewall, resolver: resolver)
  }
}

func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }
func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
func address4(_ text: String) throws -> IPv4Address { try #require(IPv4Address(text)) }
func address6(_ text: String) throws -> IPv6Address { try #require(IPv6Address(text)) }
func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }

extension TunnelOptions {
  mutating func subnet(_ local: String = "10.8.0.2", _ mask: String = "255.255.255.0", gateway: String? = "10.8.0.1")
    throws
  {
    topology = .subnet
    ipv4 = IPv4Configuration(local: try address4(local), second: try address4(mask))
    routeGateway = try gateway.map(address4)
  }

  mutating func pair(_ local: String, _ peer: String) throws {
    ipv4 = IPv4Configuration(local: try address4(local), second: try address4(peer))
  }

  mutating func six(_ text: String = "fd00:8::1001/64", remote: String? = "fd00:8::1") throws {
    ipv6 = IPv6Configuration(prefix: try prefix(text), remote: try remote.map(address6))
  }

  mutating func route(
    _ text: String, by gateway: RouteOption.Gateway = .vpn, metric: UInt32? = nil, isPushed: Bool = true
  ) throws {
    let destination = try prefix(text)
    routes.append(
      RouteOption(
        destination: .prefix(destination), family: destination.family, gateway: gateway, metric: metric,
        isPushed: isPushed))
  }

  mutating func redirect(_ change: (inout RedirectGateway) -> Void = { $0.def1 = true }) {
    var flags = RedirectGateway()
    change(&flags)
    redirectGateway = flags
  }

  mutating func resolver(_ text: String) throws { dns.addresses.append(try address(text)) }
}

/// What stands in one chain of a ruleset's text; nothing in one that is not there.
func rules(ofChain name: String, in text: String) -> [String] {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "\tchain \(name) {" }
  return lines.dropFirst().prefix { $0 != "\t}" }.map { String($0.drop { $0 == "\t" }) }.filter {
    !$0.hasPrefix("type ")
  }
}
