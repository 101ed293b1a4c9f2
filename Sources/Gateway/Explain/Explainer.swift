package import Base
import Profile
import Settings

/// Answers an inquiry about a scene: where the packets go, and what in the configuration decides.
package struct Explainer {
  let scene: Scene
  let inquiry: Inquiry

  /// - Returns: an answer for each family that is asked about.
  package static func answers(
    _ inquiry: Inquiry, in scene: Scene
  ) -> Result<[Explanation.Answer], Explanation.Problem> {
    let explainer = Explainer(scene: scene, inquiry: inquiry)
    return scene.device(inquiry.source).flatMap { device in
      let families = explainer.families
      guard !families.isEmpty else { return .failure(Explanation.Problem("IPv6 is switched off on this router")) }
      return .success(families.map { explainer.answer($0, device) })
    }
  }

  private var families: [AddressFamily] {
    let there: [AddressFamily] = scene.snapshot.hasIPv6 ? [.ipv4, .ipv6] : [.ipv4]
    guard case .address(let address) = inquiry.destination else { return there }
    return there.filter { $0 == address.family }
  }

  private func answer(_ family: AddressFamily, _ device: AskedDevice) -> Explanation.Answer {
    var packet = Packet(
      family: family, input: device.input, source: device.addresses[family], mac: device.mac,
      destination: scene.anywhere(family), transport: inquiry.transport, port: inquiry.port)
    switch inquiry.destination {
    case .anything: break
    case .address(let address): packet.destination = address
    case .domain(let domain): packet.domain = domain
    }
    var journey = Journey(packet, in: scene)
    let end = journey.travel()
    var answer = Explanation.Answer(
      family: family, destination: destination, transport: inquiry.transport.description, port: inquiry.port,
      way: .blocked, reason: "")
    answer.source = device.addresses[family]?.description
    answer.mac = device.mac?.description
    answer.input = device.input?.text
    answer.steps = journey.steps
    if journey.isDiverted {
      answer.diverted = "\(Endpoint(address: journey.packet.destination, port: journey.packet.port))"
    }
    let origin = describe(end, journey, device, &answer)
    answer.place = origin?.location?.description
    answer.dns = dns(packet, device)
    answer.remarks = remarks(journey, packet, device)
    return answer
  }

  private var destination: String {
    switch inquiry.destination {
    case .anything: "anything on the internet"
    case .address(let address): address.description
    case .domain(let domain): domain.text
    }
  }

  // MARK: The end and its reason

  /// - Returns: what decided.
  private func describe(
    _ end: Journey.End, _ journey: Journey, _ device: AskedDevice, _ answer: inout Explanation.Answer
  ) -> NftOrigin? {
    let origin: NftOrigin?
    switch end {
    case .router:
      answer.way = .router
      let isOwn = journey.isDiverted || scene.isOwn(journey.packet.destination)
      let words = isOwn ? "it is an address of the router itself" : "what is for the link or for many stays on the link"
      origin = journey.diverting ?? NftOrigin(words)
    case .refused(let refusal):
      answer.way = .blocked
      answer.refusal = Self.words(refusal)
      origin = refusal.isByRule ? journey.refusing : routing(journey, device)
    case .device(let output, let gateway):
      answer.output = output.text
      answer.gateway = gateway?.description
      if let tunnel = scene.tunnel(of: output) {
        answer.way = .tunnel
        answer.tunnel = tunnel.text
        origin = journey.marking ?? routing(journey, device)
      } else if leavesTheHouse(journey) {
        answer.way = .wan
        origin = journey.marking ?? journey.letting ?? routing(journey, device)
      } else {
        answer.way = .lan
        origin = journey.marking ?? NftOrigin("it is inside the house")
      }
    }
    answer.reason = (origin?.words ?? "nothing of the configuration speaks of it") + why(origin, answer)
    return origin
  }

  /// Why a gateway refuses, as far as it lies with its tunnel.
  private func why(_ origin: NftOrigin?, _ answer: Explanation.Answer) -> String {
    guard answer.way == .blocked,
      let gateway = scene.settings.gateways.first(where: { "gateway \($0.name)" == origin?.words }),
      origin?.location == gateway.keys["kill_switch"] ?? gateway.location
    else { return "" }
    guard let active = scene.plan.gateways.first(where: { $0.name == gateway.name })?.active else {
      return ": no tunnel of it is usable"
    }
    guard let facts = scene.plan.tunnels.first(where: { $0.name == active }) else {
      return ": tunnel \(active) is not up"
    }
    return facts.addresses.contains { $0.family == answer.family }
      ? "" : ": tunnel \(active) carries no \(answer.family.name)"
  }

  /// By a device that is LAN and uplink at once both may be meant.
  private func leavesTheHouse(_ journey: Journey) -> Bool {
    guard let route = journey.route else { return true }
    return route.table != RoutingTables.local && (route.gateway != nil || route.destination.length == 0)
      && !isInside(route)
  }

  /// A static route of main into a net of the house.
  private func isInside(_ route: Route) -> Bool {
    guard let device = route.device, route.destination.length > 0 else { return false }
    return !scene.plan.uplinks.contains(device) && !scene.plan.uplinks.isEmpty
  }

  private static func words(_ refusal: Journey.Refusal) -> String {
    switch refusal {
    case .rejection(.tcpReset): "a TCP reset"
    case .rejection(.adminProhibited): "an ICMP message: administratively prohibited"
    case .unreachable: "an ICMP message: unreachable"
    }
  }

  /// What decided when no rule of the firewall did: the routing rule whose table had the answer.
  private func routing(_ journey: Journey, _ device: AskedDevice) -> NftOrigin? {
    guard let rule = journey.rule else { return NftOrigin("no route leads there") }
    if rule.origin != Route.ours {
      if let gateway = scene.gateway(of: device.input) {
        return NftOrigin(
          "gateway \(gateway.name) leaves it the ordinary way", gateway.keys["routes"] ?? gateway.location)
      }
      let name = device.input.map { "no gateway names \($0)" } ?? "no gateway has scope 'all'"
      return NftOrigin(journey.route?.kind == .unicast ? "\(name): the ordinary way" : "no route leads there")
    }
    switch rule.action {
    case .lookup(RoutingTables.local): return NftOrigin("it is inside the house")
    case .lookup(let table) where journey.route?.device == nil || RoutingTables.isTunnel(table):
      guard let gateway = scene.gateway(of: device.input) else { return tunnelOfRouter(journey) }
      let key = device.input == nil ? "scope" : "tunnel"
      return NftOrigin("gateway \(gateway.name)", gateway.keys[key] ?? gateway.location)
    case .lookup(Route.mainTable): return NftOrigin("the ordinary way")
    case .lookup:
      let tunnel = journey.route?.device.flatMap(scene.tunnel)
      let place = scene.settings.tunnels.first { $0.name == tunnel }.map { $0.profileLocation ?? $0.location }
      let net = journey.route.map { " for \($0.destination)" } ?? ""
      return NftOrigin("a route\(net) that tunnel \(tunnel?.text ?? "?") has from its server or profile", place)
    case .unreachable:
      guard let gateway = scene.gateway(of: device.input) else { return NftOrigin("no route leads there") }
      return NftOrigin("gateway \(gateway.name)", gateway.keys["kill_switch"] ?? gateway.location)
    }
  }

  private func tunnelOfRouter(_ journey: Journey) -> NftOrigin? {
    guard let name = journey.route?.device.flatMap(scene.tunnel),
      let tunnel = scene.settings.tunnels.first(where: { $0.name == name })
    else { return NftOrigin("the tunnel that takes everything of the router does not carry it") }
    return NftOrigin("tunnel \(name) takes everything of the router", tunnel.profileLocation ?? tunnel.location)
  }

  // MARK: Beside it

  /// The same device's questions for names, when the inquiry is about the internet as a whole or about a name.
  private func dns(_ packet: Packet, _ device: AskedDevice) -> String? {
    guard device.input != nil, inquiry.port != 53 else { return nil }
    if case .address = inquiry.destination { return nil }
    var question = packet
    question.transport = .udp
    question.port = 53
    question.domain = nil
    question.destination = scene.anywhere(packet.family)
    var journey = Journey(question, in: scene)
    let end = journey.travel()
    let diverted = journey.isDiverted ? " to \(journey.packet.destination)" : " to whom it asks"
    switch end {
    case .router: return "its questions for names are answered by the router"
    case .refused: return "its questions for names are refused"
    case .device(let output, _):
      let way = scene.tunnel(of: output).map { "through tunnel \($0)" } ?? "by \(output)"
      return "its questions for names go\(diverted) \(way)"
    }
  }

  private func remarks(_ journey: Journey, _ packet: Packet, _ device: AskedDevice) -> [String] {
    var remarks: [String] = []
    if device.input != nil, packet.source == nil {
      remarks.append("no \(packet.family.name) address of it is known, so what asks for one is taken as not matching")
    }
    if journey.missesMAC {
      remarks.append("its MAC address is not known, so policies by MAC are taken as not matching")
    }
    if let left = passTime(packet) { remarks.append("the pass ends in \(Self.words(left))") }
    if case .domain(let domain) = inquiry.destination { remarks += learnt(domain, packet.family) }
    if case .anything = inquiry.destination {
      let narrower = scene.settings.policies.filter { !$0.destinations.isEmpty || !$0.destinationPorts.isEmpty }
      if !narrower.isEmpty {
        let names = narrower.prefix(Self.mostNames).map { "\($0.name) (\($0.location))" }.joined(separator: ", ")
        let more = narrower.count > Self.mostNames ? " and \(narrower.count - Self.mostNames) more" : ""
        remarks.append("for some destinations or ports these policies may decide otherwise: \(names)\(more)")
      }
    }
    return remarks
  }

  /// What policies by name know of it; none speaks of most names.
  private func learnt(_ domain: DomainName, _ family: AddressFamily) -> [String] {
    let entries = scene.settings.policyDomains.filter { $0.covers(domain) }
    return entries.map { entry in
      let count = scene.live[entry.set(family).name]?.count ?? 0
      let known = "\(count) \(family.name) address\(count == 1 ? "" : "es")"
      return "policy \(entry.policy) goes by addresses that DNS answers name: \(known) of its names known now"
    }
  }

  private static let mostNames = 8

  private func passTime(_ packet: Packet) -> Duration? {
    guard let source = packet.source, let left = scene.live[TimedSet.pass(packet.family).name]?[.address(source)] else {
      return nil
    }
    return left
  }

  private static func words(_ time: Duration) -> String {
    let seconds = time.components.seconds
    return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
  }
}

extension Journey.Refusal {
  fileprivate var isByRule: Bool {
    if case .rejection = self { return true }
    return false
  }
}

extension RoutingTables {
  fileprivate static func isTunnel(_ table: UInt32) -> Bool { (44_000..<local).contains(table) }
}
