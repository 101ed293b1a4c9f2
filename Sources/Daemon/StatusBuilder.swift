internal import Base
internal import ConfigDirectory
internal import Control
internal import Exchange
internal import Gateway
internal import Hands
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

/// Makes what `adit status` shows out of what the daemon knows.
struct StatusBuilder {
  let daemon: Daemon
  let now: Instant
  private let wall = Clock.wallTime

  init(daemon: Daemon, now: Instant) {
    self.daemon = daemon
    self.now = now
  }

  /// - Parameter name: only this tunnel; `nil` = all.
  func report(of name: String?) -> StatusReport {
    var report = StatusReport(version: Version.text)
    report.tunnels = daemon.tunnels.filter { name == nil || $0.name.text == name }.map(status)
    let exceptions = try? Exceptions.read()
    let refused = daemon.refusedPackets
    report.gateways = daemon.network.plan.gateways.map { facts in
      var status = GatewayStatus(name: facts.name.text)
      status.active = facts.active?.text
      let left = exceptions?.left(daemon.settings.gateways.first { $0.name == facts.name })
      status.killSwitch = !facts.isArmed ? "off" : left == nil ? "armed" : "open"
      status.openUntil = left.map { wall + $0 }
      status.refused = facts.refused.sorted { $0.rawValue < $1.rawValue }.map(\.keyword)
      status.blockedPackets = refused[facts.name.text]
      return status
    }
    report.passes = (exceptions?.passes ?? []).map {
      PassStatus(address: $0.address.description, until: wall + $0.left)
    }
    report.uplink.ipv4 = UplinkStatus.Family(uplink(.ipv4))
    report.uplink.ipv6 = UplinkStatus.Family(uplink(.ipv6))
    return report
  }

  /// The way to a server in use, else to anywhere.
  private func uplink(_ family: AddressFamily) -> Uplink? {
    let server = daemon.tunnels.compactMap(\.supervisor.watchedAddress).first { $0.family == family }
    return daemon.network.uplink(to: server ?? Daemon.anywhere(family), mark: daemon.marks.own)
  }

  private func status(_ tunnel: TunnelRun) -> TunnelStatus {
    let supervisor = tunnel.supervisor
    var status = TunnelStatus(name: tunnel.name.text, status: Self.word(supervisor.status))
    status.since = moment(supervisor.since)
    status.device = tunnel.device.text
    status.remotes = (tunnel.loaded.profile?.remotes ?? []).map { RemoteName($0).description }
    status.override = override(of: tunnel)
    if case .rest(let words) = daemon.wants[tunnel.name] { status.demand = words }
    if let remote = supervisor.remote, let profile = tunnel.loaded.profile,
      profile.remotes.indices.contains(remote.index)
    {
      status.remote.host = profile.remotes[remote.index].host
      status.remote.address = remote.endpoint.address.description
      status.remote.port = remote.endpoint.port
      status.remote.proto = profile.remotes[remote.index].transport.rawValue
      let path = daemon.network.uplink(to: remote.endpoint.address, mark: daemon.marks.own)?.path
      status.local.uplink = path?.device.text
      // An unconnected socket has no address of its own: the path's source is what the server sees leave.
      let bound = tunnel.local.flatMap { $0.address.isUnspecified ? nil : $0.address }
      status.local.address = (bound ?? path?.source)?.description
      status.local.port = tunnel.local?.port
    }
    if let facts = daemon.network.plan.tunnels.first(where: { $0.name == tunnel.name }), tunnel.pushed != nil {
      status.ipv4 = facts.addresses.filter { $0.family == .ipv4 }.map(\.description)
      status.ipv6 = facts.addresses.filter { $0.family == .ipv6 }.map(\.description)
      status.gateway4 = facts.gateway4?.description
      status.gateway6 = facts.gateway6?.description
      status.mtu = facts.mtu
      status.dns = facts.dns.map { $0.port == 53 ? $0.address.description : $0.description }
      status.domains = facts.domains.map(\.text)
    }
    status.tls = tunnel.tls.map { "\($0.version) \($0.cipher)" }
    status.serverCertificate.subject = tunnel.tls?.subject
    status.serverCertificate.notAfter = tunnel.tls?.notAfter
    if let up = tunnel.up {
      status.cipher = up.cipher.rawValue
      status.control = up.control
      status.data = up.dataFormat
      status.peerID = up.peerID
      status.user = up.user
      status.offload = tunnel.offloads.text
    }
    count(tunnel, into: &status)
    status.handshakes = supervisor.handshakes
    status.reconnects = supervisor.reconnects
    status.roams = supervisor.roams
    let verdict = daemon.verdict(of: tunnel, at: now)
    status.layer = verdict.layer?.rawValue
    if let fault = verdict.fault {
      status.lastError = .init(fault, since: moment(tunnel.grounds.since ?? now))
      status.evidence = tunnel.grounds.evidence.words(at: now)
    }
    return status
  }

  private func count(_ tunnel: TunnelRun, into status: inout TunnelStatus) {
    let counters = tunnel.counters
    status.tun.receivedBytes = counters.tunReceivedBytes
    status.tun.sentBytes = counters.tunSentBytes
    status.tun.receivedPackets = counters.tunReceivedPackets
    status.tun.sentPackets = counters.tunSentPackets
    status.tun.receiveErrors = counters.tunReceiveErrors
    status.tun.sendErrors = counters.tunSendErrors
    status.transport.receivedBytes = counters.transportReceivedBytes
    status.transport.sentBytes = counters.transportSentBytes
    status.transport.receivedPackets = counters.transportReceivedPackets
    status.transport.sentPackets = counters.transportSentPackets
    status.transport.lastPacket = counters.lastPacketReceived.flatMap(moment)
    status.drops = counters.drops.map { .init($0.reason, $0.count) }
    status.renegotiations = tunnel.formerRenegotiations &+ counters.renegotiations
  }

  /// The boot clock's moment as the wall clock tells it now.
  private func moment(_ instant: Instant) -> WallTime? {
    WallTime(seconds: wall.seconds - (now - instant).components.seconds)
  }

  private static func word(_ word: TunnelSupervisor.StatusWord) -> TunnelStatusWord {
    switch word {
    case .invalid: .invalid
    case .disconnected: .disconnected
    case .connecting: .connecting
    case .connected: .connected
    case .reasserting: .reasserting
    case .disconnecting: .disconnecting
    }
  }
}

extension Exceptions {
  /// How long a gateway is open beside its tunnels; `nil` = it is not.
  fileprivate func left(_ gateway: GatewaySettings?) -> Duration? {
    guard let gateway else { return nil }
    let router = gateway.scope == .all ? Array(openRouter.values) : []
    return (gateway.lan.compactMap { openLAN[$0] } + router).max()
  }
}
