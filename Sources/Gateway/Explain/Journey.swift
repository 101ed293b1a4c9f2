package import Base

/// One packet's way through the firewall and the routing of a scene. It walks the very values that make the rules.
package struct Journey {
  package enum End {
    case device(DeviceName, gateway: IPAddress?)
    case router
    case refused(Refusal)
  }

  package enum Refusal {
    case rejection(NftStatement.Rejection)
    case unreachable
  }

  let scene: Scene
  package private(set) var packet: Packet
  package private(set) var steps: [String] = []
  /// What asked for the mark it bears, for the refusal it met, for the rule of the guard that let it by, for its diversion.
  private(set) var marking: NftOrigin?
  private(set) var refusing: NftOrigin?
  private(set) var letting: NftOrigin?
  private(set) var diverting: NftOrigin?
  private(set) var isDiverted = false
  /// The rule and the route that found its way.
  private(set) var rule: Rule?
  private(set) var route: Route?
  /// A rule asked for a MAC address that is not known.
  private(set) var missesMAC = false

  package init(_ packet: Packet, in scene: Scene) {
    self.packet = packet
    self.scene = scene
  }

  package mutating func travel() -> End { packet.input == nil ? leaveRouter() : passThrough() }

  private mutating func passThrough() -> End {
    if let refusal = pass(.prerouting) { return .refused(refusal) }
    if scene.isForRouter(packet.destination) {
      if let refusal = pass(.input) { return .refused(refusal) }
      return .router
    }
    guard let way = findWay() else { return .refused(.unreachable) }
    packet.output = way.device
    if let refusal = pass(.forward) { return .refused(refusal) }
    return .device(way.device, gateway: way.gateway)
  }

  private mutating func leaveRouter() -> End {
    if scene.isForRouter(packet.destination) { return .router }
    guard var way = findWay() else { return .refused(.unreachable) }
    packet.output = way.device
    letting = nil
    for chain in scene.chains(at: .output) {
      let before = packet.mark
      if let refusal = pass(chain) { return .refused(refusal) }
      // A chain of type route has the way looked for again when it changed the mark.
      guard chain.hook?.kind == .route, packet.mark != before else { continue }
      guard let next = findWay() else { return .refused(.unreachable) }
      way = next
      packet.output = way.device
    }
    return .device(way.device, gateway: way.gateway)
  }

  // MARK: Routing

  private struct Lookup {
    var rule: Rule?
    var route: Route?
    var steps: [String] = []

    /// `nil` for a refusal, and when nothing leads there.
    var way: (device: DeviceName, gateway: IPAddress?)? {
      guard let route, route.kind == .unicast || route.kind == .local, let device = route.device else { return nil }
      return (device, route.gateway)
    }
  }

  private mutating func findWay() -> (device: DeviceName, gateway: IPAddress?)? {
    let found = lookUp(packet)
    steps += found.steps
    rule = found.rule
    route = found.route
    return found.way
  }

  private func lookUp(_ packet: Packet) -> Lookup {
    var found = Lookup()
    for rule in scene.rules(packet.family) where Self.matches(rule, packet) != rule.isInverted {
      switch rule.action {
      case .unreachable:
        found.steps.append("rule \(rule.words)")
        found.rule = rule
        return found
      case .lookup(let table):
        guard let route = scene.route(to: packet.destination, in: table) else { continue }
        if let length = rule.suppressedLength, route.destination.length <= Int(length) { continue }
        found.steps += ["rule \(rule.words)", "route \(route.words)"]
        if route.kind == .throwing { continue }
        found.rule = rule
        found.route = route
        return found
      }
    }
    return found
  }

  /// fib_rule_match of net/core/fib_rules.c; what comes from the router itself comes in by lo.
  private static func matches(_ rule: Rule, _ packet: Packet) -> Bool {
    if let device = rule.inputDevice, device.text != packet.input?.text ?? "lo" { return false }
    // Asked while the way is still looked for.
    if rule.outputDevice != nil { return false }
    if let mark = rule.mark, (packet.mark ^ mark) & rule.markMask != 0 { return false }
    if let source = rule.source, !(packet.source.map(source.contains) ?? false) { return false }
    if let destination = rule.destination, !destination.contains(packet.destination) { return false }
    if let number = rule.ipProtocol, number != packet.transport.number { return false }
    if let ports = rule.sourcePorts, !(packet.sourcePort.map(ports.contains) ?? false) { return false }
    if let ports = rule.destinationPorts, !ports.contains(packet.port) { return false }
    return true
  }

  // MARK: The firewall

  private mutating func pass(_ place: NftHook.Place) -> Refusal? {
    letting = nil
    for chain in scene.chains(at: place) {
      if let refusal = pass(chain) { return refusal }
    }
    return nil
  }

  private mutating func pass(_ chain: NftChain) -> Refusal? {
    guard case .refused(let rejection) = run(chain, because: nil) else { return nil }
    return .rejection(rejection)
  }

  private enum Flow {
    /// The chain's end, or `return`: the calling one goes on.
    case goesOn
    case accepted
    case refused(NftStatement.Rejection)
  }

  /// - Parameter cause: what asked for the rule that led here.
  private mutating func run(_ chain: NftChain, because cause: NftOrigin?) -> Flow {
    for rule in chain.rules where matches(rule) {
      let origin = rule.origin ?? cause
      if rule.statements.contains(where: \.isTold) { steps.append("nft \(chain.name): \(rule.text)") }
      for statement in rule.statements {
        switch statement {
        case .setMark(let value, let mask):
          packet.mark = packet.mark & ~mask | value
          marking = value == 0 ? nil : origin
        case .setConnectionMark(let value, let mask): packet.connectionMark = packet.connectionMark & ~mask | value
        case .accept:
          letting = origin
          return .accepted
        case .return:
          letting = origin
          return .goesOn
        case .jump(let name):
          guard let target = scene.chain(name) else { continue }
          let flow = run(target, because: origin)
          if case .goesOn = flow { continue }
          return flow
        case .goto(let name):
          guard let target = scene.chain(name) else { return .goesOn }
          return run(target, because: origin)
        case .reject(let rejection):
          refusing = origin
          return .refused(rejection)
        case .destinationNAT(let target):
          packet.destination = target.address
          packet.port = target.port
          divert(origin)
          return .accepted
        case .redirect(let port):
          packet.destination = scene.ownAddress(on: packet.input, packet.family) ?? packet.destination
          packet.port = port
          divert(origin)
          return .accepted
        // Dropped is only what is in the middle of a connection; one that begins is asked about.
        case .counter, .masquerade, .segmentSize, .drop: continue
        }
      }
    }
    return .goesOn
  }

  private mutating func divert(_ origin: NftOrigin?) {
    packet.domain = nil
    isDiverted = true
    diverting = origin
  }

  private mutating func matches(_ rule: NftRule) -> Bool {
    for match in rule.matches where !matches(match) { return false }
    return true
  }

  private mutating func matches(_ match: NftMatch) -> Bool {
    switch match {
    case .input(let devices, let isNegated): return contains(devices, packet.input) != isNegated
    case .output(let devices, let isNegated): return contains(devices, packet.output) != isNegated
    case .family(let family): return family == packet.family
    case .familyIn(let set): return scene.live[set]?[.family(packet.family)] != nil
    case .source(let family, let addresses):
      guard family == packet.family, let source = packet.source else { return false }
      return contains(addresses, source)
    case .destination(let family, let addresses):
      guard family == packet.family else { return false }
      if let domain = packet.domain, case .set(let set) = addresses, scene.names(set, cover: domain) { return true }
      return contains(addresses, packet.destination)
    case .etherSource(let set):
      guard let mac = packet.mac else {
        missesMAC = true
        return false
      }
      return scene.contains(set, mac)
    case .mark(let value, let mask, let isNegated): return (packet.mark & mask == value) != isNegated
    case .connectionMark(let value, let mask): return packet.connectionMark & mask == value
    case .direction(let direction): return direction == packet.direction
    case .isNew: return packet.direction == .original
    case .protocols(let protocols): return protocols.contains(packet.transport)
    case .headerProtocol(let value): return packet.family == .ipv4 && value == packet.transport
    case .ports(let ports):
      switch ports.header {
      case .tcp: if packet.transport != .tcp { return false }
      case .udp: if packet.transport != .udp { return false }
      case .transport: break
      }
      // The port that a device sends from is one it takes by chance.
      guard let port = ports.end == .destination ? packet.port : packet.sourcePort else { return false }
      return ports.ranges.contains { $0.contains(port) }
    case .opensConnection: return packet.transport == .tcp
    case .isForRouter: return scene.isForRouter(packet.destination)
    case .isFromRouter: return packet.input == nil
    case .routesInto(let devices):
      var own = packet
      own.input = nil
      own.mark = 0
      return lookUp(own).way.map { devices.contains($0.device) } ?? false
    case .icmpv6Types: return false
    }
  }

  private func contains(_ devices: NftDevices, _ device: DeviceName?) -> Bool {
    switch devices {
    case .device(let name): name == device
    case .loopback: device?.text == "lo"
    case .set(let set): device.map { scene.contains(set, $0) } ?? false
    }
  }

  private func contains(_ addresses: NftAddresses, _ address: IPAddress) -> Bool {
    switch addresses {
    case .set(let set): scene.contains(set, address)
    case .prefixes(let prefixes): prefixes.contains { $0.contains(address) }
    }
  }
}

extension NftStatement {
  /// What changes nothing of the way is left out of the steps.
  fileprivate var isTold: Bool {
    switch self {
    case .setMark, .accept, .return, .jump, .goto, .reject, .destinationNAT, .redirect: true
    case .setConnectionMark, .counter, .masquerade, .segmentSize, .drop: false
    }
  }
}

extension Rule.Ports {
  fileprivate func contains(_ port: UInt16) -> Bool { (first...last).contains(port) }
}
