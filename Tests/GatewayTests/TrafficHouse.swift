import Base
import Gateway
import Profile
import Settings
import Testing

/// The house of docs/TRAFFIC.md in one of its states, and packets to send through it.
struct TrafficHouse {
  enum State {
    case nothing, beforeNetwork, armed, connecting, up, reasserting, down, stopped, crashed, armedAfterCrash
  }

  var state: State
  var hasIPv6Server = true
  var settings: (inout GatewaySettings) -> Void = { _ in }
  /// Of the device 192.168.1.50 and fd01::50.
  var policy: (via: String?, onDown: PolicySettings.OnDown) = (nil, .block)
  var live: LiveSets = [:]
  var clockIsUnset = false

  /// Two LANs behind one gateway; the tunnel carries both families.
  private func house() throws -> House {
    var house = try House()
    let guests = try device("br-guest")
    house.snapshot.links.append(Link(index: 4, name: guests, kind: "bridge"))
    for (own, net) in [("192.168.2.1/24", "192.168.2.0/24"), ("fd02::1/64", "fd02::/64")] {
      house.snapshot.addresses.append(InterfaceAddress(device: guests, prefix: try prefix(own)))
      try house.addKernelRoute(net, "br-guest")
    }
    // Every kernel starts with it.
    for family in AddressFamily.allCases {
      house.snapshot.rules.append(
        Rule(family: family, priority: 32_766, action: .lookup(Route.mainTable), origin: 2))
    }
    if state == .connecting || state == .nothing {
      try house.addTunnel("home")
    } else {
      try house.addTunnel("home") {
        try $0.subnet()
        $0.redirect()
        if hasIPv6Server { try $0.six() }
        try $0.resolver("10.8.0.1")
      }
    }
    try house.addGateway("home", lan: ["br-lan", "br-guest"]) {
      $0.killSwitch = .always
      settings(&$0)
    }
    if let via = policy.via {
      try house.addPolicy("tv", from: ["192.168.1.50", "fd01::50"], via: via) { $0.onDown = policy.onDown }
    }
    if state == .reasserting { house.tunnels[0].isUp = false }
    if state == .down {
      house.tunnels[0].pushed = nil
      house.tunnels[0].isUp = false
    }
    return house
  }

  func scene() throws -> Scene {
    let house = try house()
    func armed(in snapshot: Snapshot, afterCrash: Bool = false) -> NetworkPlan {
      Planner.armed(
        settings: house.settings, tunnels: house.tunnels, snapshot: snapshot, holdsSessions: afterCrash)
    }
    var plan: NetworkPlan =
      switch state {
      case .nothing: NetworkPlan()
      case .beforeNetwork: armed(in: Snapshot(links: house.snapshot.links))
      case .armed, .stopped: armed(in: house.snapshot)
      case .armedAfterCrash: armed(in: house.snapshot, afterCrash: true)
      case .connecting, .up, .reasserting, .down, .crashed: house.plan(clockIsUnset: clockIsUnset, openings: openings)
      }
    // What the command takes away, and a daemon plans without.
    plan.rules.removeAll { RoutingTables.isRouterRow($0) && openings.router.contains($0.family) }
    return Scene(settings: house.settings, plan: plan, in: Standing(snapshot: house.snapshot, live: live))
  }

  private var openings: Openings {
    var openings = Openings()
    for case .family(let family) in (live["open_router"] ?? [:]).keys { openings.router.insert(family) }
    return openings
  }

  // MARK: Packets

  func fromLAN(
    _ family: AddressFamily, source: String? = nil, to destination: String? = nil, port: UInt16 = 443,
    over transport: IPProtocol = .tcp
  ) throws -> Packet {
    Packet(
      family: family, input: try device("br-lan"),
      source: try address(source ?? (family == .ipv4 ? "192.168.1.50" : "fd01::50")),
      destination: try address(destination ?? (family == .ipv4 ? "192.0.2.80" : "2001:db8:80::80")),
      transport: transport, port: port)
  }

  func fromRouter(to destination: String = "192.0.2.80", port: UInt16 = 443, over transport: IPProtocol = .tcp) throws
    -> Packet
  {
    Packet(family: .ipv4, destination: try address(destination), transport: transport, port: port)
  }

  /// Where the answer goes of a connection that began outside.
  func answered(by lan: Bool) throws -> (Journey.End, Journey) {
    let scene = try scene()
    let far = try address("192.0.2.80")
    var question = Packet(
      family: .ipv4, input: try device("wan0"), source: far,
      destination: try address(lan ? "192.168.1.50" : "198.51.100.2"), transport: .tcp, port: 22)
    var way = Journey(question, in: scene)
    let end = way.travel()
    guard !end.isRefused else { return (end, way) }
    question = way.packet
    var answer = try lan ? fromLAN(.ipv4, to: far.description) : fromRouter(to: far.description)
    answer.direction = .reply
    answer.connectionMark = question.connectionMark
    // The kernel then has the answer look for its way with the mark of what it answers.
    let reflects = scene.plan.sysctls.contains { $0.path == "net/ipv4/tcp_fwmark_accept" }
    if !lan, reflects { answer.mark = question.mark }
    var back = Journey(answer, in: scene)
    return (back.travel(), back)
  }
}

extension Journey.End {
  var isRefused: Bool {
    if case .refused = self { return true }
    return false
  }

  /// As the page says it.
  var words: String {
    switch self {
    case .refused: "refused"
    case .router: "the house"
    case .device(let device, _):
      switch device.text {
      case "wan0": "the WAN"
      case "br-lan", "br-guest": "the house"
      default: "the tunnel"
      }
    }
  }
}
