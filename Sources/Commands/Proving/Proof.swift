import Base
import ConfigDirectory
import Control
import Crypto
import Gateway
import Hands
import IO
import Netlink
import Settings

/// The proof for one gateway: its clients, what is listened to, and what has to be put back.
final class Proof {
  private let gateway: GatewaySettings
  private let configuration: LoadedConfiguration
  private let request: ProveRequest
  private let hands: Hands
  private let vigil: Vigil
  private var clients: [ProbeClient] = []
  /// Tunnels that we put down.
  private var isDown: [String] = []
  private var siblings: [Sibling] = []
  private var wasLost = false

  /// A daemon settles, plans and lets nft run.
  private static let planning: Duration = .seconds(8)
  private static let parting: Duration = .seconds(6)
  private static let connecting: Duration = .seconds(40)
  private static let flushing: Duration = .seconds(10)

  init(
    _ gateway: GatewaySettings, _ configuration: LoadedConfiguration, _ request: ProveRequest
  ) throws(ProveFailure) {
    self.gateway = gateway
    self.configuration = configuration
    self.request = request
    do {
      hands = try Hands(stateDirectory: request.stateDirectory)
      vigil = try Vigil()
    } catch {
      throw .unavailable("\(error)")
    }
  }

  // MARK: The states

  func run(_ report: inout ProveReport) throws(ProveFailure) {
    if gateway.routes == .pushed, request.destinations.isEmpty {
      throw .unavailable("\(gateway.name) has `routes 'pushed'`: say with --to what goes through the tunnel")
    }
    if request.putsDown, status == nil { throw .unavailable("--down needs a running daemon, whose tunnel is put down") }
    for destination in AddressFamily.allCases.map(request.destination) where isExcluded(destination) {
      report.remarks.append("\(gateway.name): \(destination) is not tried, an `exclude` covers it")
    }
    if gateway.ipv6 == .bypass {
      report.remarks.append("\(gateway.name): IPv6 is not tried, `ipv6 'bypass'` sends it out in clear")
    }
    try plugIn()
    try round(.asItIs, repetitions: 2, &report)
    if request.putsDown { try tryDown(&report) }
    let opening = configuration.settings.policies.filter { $0.via == .wan || $0.onDown == .wan }
    if report.hasLeaks, !opening.isEmpty {
      let names = opening.map(\.name.text).joined(separator: ", ")
      report.remarks.append("what these policies match goes to the WAN, and counts as a leak here: \(names)")
    }
    if report.hasLeaks, let open = try? Exceptions.read().openLAN, gateway.lan.contains(where: { open[$0] != nil }) {
      report.remarks.append("\(gateway.name) is open for a time, by `adit disarm --for`")
    }
    if wasLost {
      report.remarks.append("a way out carried more than could be listened to; at a quieter time the proof is complete")
    }
  }

  private func isExcluded(_ address: IPAddress) -> Bool { gateway.excluded.contains { $0.contains(address) } }

  private func tryDown(_ report: inout ProveReport) throws(ProveFailure) {
    let up = runningTunnels
    for name in up {
      isDown.append(name)
      try tell(.down(tunnel: name))
    }
    guard try vigil.wait(for: Self.parting, until: { self.runningTunnels.isEmpty }) else {
      throw .unavailable("a tunnel of \(gateway.name) does not come down")
    }
    try round(.down, repetitions: 2, &report)
    try flush()
    // From the first moment on, while the daemon puts it back.
    try round(.flushed, repetitions: 5, every: .milliseconds(100), &report)
    if try !vigil.wait(for: Self.planning, until: { self.hasTable && self.isPlanned }) {
      report.hasFailed = true
      report.remarks.append("\(gateway.name): the firewall was flushed, and the daemon did not put it back")
    }
    guard !up.isEmpty else { return }
    try putUp()
    guard try vigil.wait(for: Self.connecting, until: { self.isConnected }) else {
      report.remarks.append("\(gateway.name): no tunnel was up again after \(Self.connecting.components.seconds) s")
      return
    }
    try round(.upAgain, repetitions: 2, &report)
  }

  private func round(
    _ state: ProveReport.Round.State, repetitions: Int, every interval: Duration = .milliseconds(300),
    _ report: inout ProveReport
  ) throws(ProveFailure) {
    let snapshot = try snapshot()
    let (outside, inside) = try taps(snapshot)
    for client in clients {
      let marks = ProbeMarks(random: RandomSource.system.uint64())
      let round = ProbeRound(client: client, outside: outside, inside: inside, marks: marks)
      let results = try round.run(probes(of: client, marks), repetitions: repetitions, every: interval, vigil)
      let place = client.bridge.map(\.name.text) ?? "\(client.device), a net of its own"
      let addresses = client.addresses.values.sorted().map(\.description).joined(separator: " and ")
      let told = ProveReport.Round(
        gateway: gateway.name.text, state: state, situation: situation, client: "\(place), \(addresses)",
        results: results)
      report.rounds.append(told)
      if !request.asJSON { Terminal.say(told.text) }
    }
    if outside.contains(where: { $0.tap.lost > 0 }) { wasLost = true }
  }

  private func probes(of client: ProbeClient, _ marks: ProbeMarks) -> [Probe] {
    let families = AddressFamily.allCases.filter {
      client.addresses[$0] != nil && !($0 == .ipv6 && gateway.ipv6 == .bypass)
        && !isExcluded(request.destination($0))
    }
    let wanted = families.flatMap { family in
      Probe.Kind.allCases.map { ($0, request.destination(family)) }
    }
    return wanted.enumerated().map { Probe($1.0, to: $1.1, number: $0, marks: marks) }
  }

  // MARK: The client in the LAN

  private func plugIn() throws(ProveFailure) {
    let snapshot = try snapshot()
    let bridges = gateway.lan.compactMap { snapshot.link(named: $0) }.filter { $0.kind == "bridge" }
    if !request.addresses.isEmpty, bridges.isEmpty {
      throw ProveFailure(
        .usage, "--address is for a LAN that is a bridge; the client of \(gateway.name) has a net of its own")
    }
    for bridge in bridges.isEmpty ? [nil] : bridges.map(Optional.some) {
      let client = try ProbeClient(
        for: gateway.name, on: bridge, snapshot: try self.snapshot(), netlink: hands.netlink)
      clients.append(client)
      try client.join(snapshot, wanted: request.addresses, random: RandomSource.system.uint64(), vigil)
    }
    guard bridges.isEmpty else { return }
    let isRunning = status != nil
    if !isRunning, isDaemonHere {
      throw .unavailable("a daemon runs here and does not answer; is `--state-dir` its own?")
    }
    if isRunning, try !vigil.wait(for: Self.planning, until: { self.isPlanned }) {
      throw .unavailable(
        "the daemon does not take the client into \(gateway.name); does it run with this configuration?")
    }
    try standBeside(isPlanned: isRunning)
  }

  /// Our table treats every client as a device of the gateway's LAN.
  private var isPlanned: Bool {
    let set = "lan_\(gateway.name)"
    guard let elements = try? FirewallTable.elements(of: set, in: NetworkPlan.table.text) else { return false }
    let devices = elements.compactMap(\.device)
    return clients.allSatisfy { $0.bridge != nil || devices.contains($0.device) }
  }

  private var hasTable: Bool { (try? FirewallTable.exists(NetworkPlan.table.text)) ?? false }

  /// The client is treated as what stands treats the LAN, be it right or wrong.
  /// - Parameter isPlanned: a daemon has planned for it.
  private func standBeside(isPlanned: Bool) throws(ProveFailure) {
    guard let lan = gateway.lan.first else { return }
    do throws(NetlinkFailure) {
      for client in clients where client.bridge == nil {
        siblings.append(
          try Sibling(client.device, of: lan, nets: client.routerNets, isPlanned: isPlanned, hands.netlink))
      }
    } catch {
      throw .unavailable("the client cannot be made one of \(lan): \(error)")
    }
  }

  /// Looks at the lock for no longer than that.
  private var isDaemonHere: Bool {
    do throws(NamespaceLock.Failure) {
      _ = try NamespaceLock()
      return false
    } catch {
      return error == .taken
    }
  }

  // MARK: What is listened to

  private typealias Tap = (device: DeviceName, tap: PacketTap)

  /// Outside: everything but the LANs, their ports and our own tunnels; a LAN device only where it is the way out too.
  private func taps(_ snapshot: Snapshot) throws(ProveFailure) -> (outside: [Tap], inside: [Tap]) {
    let ours = snapshot.links.filter(TunnelState.isOurs)
    var narrowed = configuration
    let tunnels = PlanCommand.narrow(&narrowed, to: nil)
    let uplinks = Planner.plan(settings: configuration.settings, tunnels: tunnels, snapshot: snapshot).uplinks
    let lan = Set(configuration.settings.gateways.flatMap(\.lan))
    let bridges = Set(snapshot.links.filter { lan.contains($0.name) }.map(\.index))
    let outside = snapshot.links.filter { link in
      if uplinks.contains(link.name) { return true }
      let isPort = link.master.map(bridges.contains) ?? false
      return link.isUp && link.name.text != "lo" && !lan.contains(link.name) && !isPort && !ours.contains(link)
        && !ProbeDevice.isOurs(link)
    }
    do throws(SystemFailure) {
      return (try outside.map(Self.tap), try ours.filter(\.isUp).map(Self.tap))
    } catch {
      throw .unavailable(error.description)
    }
  }

  private static func tap(_ link: Link) throws(SystemFailure) -> Tap {
    (link.name, try PacketTap(device: link.index))
  }

  // MARK: The daemon

  private var status: StatusReport? {
    guard
      case .success(.status(let report)) = ControlClient.ask(
        .status(tunnel: nil), stateDirectory: request.stateDirectory)
    else { return nil }
    return report
  }

  private var tunnels: [TunnelStatus] {
    let names = gateway.tunnels.map(\.text)
    return status?.tunnels.filter { names.contains($0.name) } ?? []
  }

  private var runningTunnels: [String] {
    tunnels.filter { $0.status != .disconnected && $0.status != .invalid }.map(\.name)
  }

  private var isConnected: Bool { tunnels.contains { $0.status == .connected } }

  private var situation: String {
    guard status != nil else {
      return hands.hasRuleset ? "armed, no daemon runs" : "neither armed, nor does a daemon run"
    }
    return tunnels.map { "\($0.name) \($0.status.rawValue)" }.joined(separator: ", ")
  }

  private func tell(_ order: Request) throws(ProveFailure) {
    switch ControlClient.ask(order, stateDirectory: request.stateDirectory) {
    case .success(.refused(let refusal)): throw .unavailable(StatusText.printable(refusal.text))
    case .success: return
    case .failure(let failure): throw .unavailable(failure.text)
    }
  }

  private func putUp() throws(ProveFailure) {
    while let name = isDown.last {
      try tell(.up(tunnel: name))
      isDown.removeLast()
    }
  }

  private func flush() throws(ProveFailure) {
    do throws(Fault) {
      _ = try hands.removeRuleset(within: Self.flushing)
    } catch {
      throw .unavailable(error.sentence)
    }
  }

  private func snapshot() throws(ProveFailure) -> Snapshot {
    do throws(NetlinkFailure) {
      return try hands.netlink.snapshot()
    } catch {
      throw .unavailable("\(error)")
    }
  }

  // MARK: Putting back

  /// Whatever happened: the tunnels are asked for again, and the clients go.
  func restore() {
    vigil.heedsSignals = false
    while let name = isDown.popLast() {
      do throws(ProveFailure) {
        try tell(.up(tunnel: name))
      } catch {
        Terminal.complain("adit: \(name) was put down and could not be put up again: \(error.text)\n")
      }
    }
    for sibling in siblings { sibling.remove(hands.netlink) }
    siblings = []
    for client in clients { client.remove() }
    clients = []
  }
}
