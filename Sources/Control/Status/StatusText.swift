package import Base

/// `adit status` in plain words.
package struct StatusText {
  private let now: WallTime?
  private let isColoured: Bool
  private let clock: (WallTime) -> String
  private var lines: [String] = []

  /// - Parameters:
  ///   - now: tells how long something lasts; `nil` leaves durations out.
  ///   - clock: how a time that comes is written for people.
  package static func render(
    _ report: StatusReport, now: WallTime?, isColoured: Bool = false,
    clock: @escaping (WallTime) -> String = { $0.rfc3339 }
  ) -> String {
    var text = StatusText(now: now, isColoured: isColoured, clock: clock)
    for tunnel in report.tunnels { text.add(tunnel) }
    if report.tunnels.isEmpty { text.lines.append("no tunnels") }
    for gateway in report.gateways {
      text.add(gateway, through: report.tunnels.first { $0.name == gateway.active })
    }
    for pass in report.passes {
      text.lines.append(text.words(pass))
    }
    text.add("uplink IPv4", report.uplink.ipv4)
    text.add("uplink IPv6", report.uplink.ipv6)
    return text.lines.joined(separator: "\n") + "\n"
  }

  private init(now: WallTime?, isColoured: Bool, clock: @escaping (WallTime) -> String) {
    self.now = now
    self.isColoured = isColoured
    self.clock = clock
  }

  // MARK: Parts

  private mutating func add(_ tunnel: TunnelStatus) {
    lines.append(([tunnel.name, coloured(tunnel.status)] + since(tunnel.since)).joined(separator: " "))
    row("error", errorWords(tunnel.lastError))
    row("known from", joined(tunnel.evidence))
    row("override", overrideWords(tunnel.override))
    row("on demand", tunnel.demand)
    row("server", serverWords(tunnel.remote))
    if tunnel.remotes.count > 1 {
      row("remotes", joined(tunnel.remotes.enumerated().map { "\($0.offset + 1) \($0.element)" }))
    }
    row("from", localWords(tunnel.local))
    row("address", addressWords(tunnel))
    row("DNS", joined(tunnel.dns, tunnel.domains.isEmpty ? nil : "for \(tunnel.domains.joined(separator: " "))"))
    row("security", joined([tunnel.cipher, tunnel.tls, tunnel.control].compactMap { $0 }))
    row("certificate", certificateWords(tunnel.serverCertificate))
    row("user", tunnel.user)
    row(
      "inside",
      trafficWords(tunnel.tun.receivedBytes, tunnel.tun.sentBytes, tunnel.tun.receivedPackets, tunnel.tun.sentPackets))
    let outer = tunnel.transport
    row("outside", trafficWords(outer.receivedBytes, outer.sentBytes, outer.receivedPackets, outer.sentPackets))
    let drops = tunnel.drops.filter { $0.count > 0 }
    row("dropped", joined(drops.map { "\($0.count) \($0.reason.replacing("_", with: " "))" }))
    row("since start", countWords(tunnel))
  }

  private mutating func add(_ gateway: GatewayStatus, through tunnel: TunnelStatus?) {
    lines.append("gateway \(gateway.name)")
    row("through", gateway.active ?? "no tunnel now")
    row("kill switch", gateway.killSwitch.map { $0 + until(gateway.openUntil) })
    row("refused", refusalWords(gateway, tunnel))
    if let blocked = gateway.blockedPackets { row("blocked", "\(blocked) packets") }
  }

  private mutating func add(_ title: String, _ family: UplinkStatus.Family) {
    guard let isReachable = family.isReachable else { return }
    guard isReachable else {
      lines.append("\(title): no way to the server" + (family.device.map { ", \($0) has no carrier" } ?? ""))
      return
    }
    let kind = family.kind.map { " (\($0))" } ?? ""
    let words = [
      family.device.map { "by \($0)\(kind)" }, family.gateway.map { "through \($0)" },
      family.source.map { "from \($0)" },
    ]
    lines.append("\(title): " + words.compactMap { $0 }.joined(separator: " "))
  }

  /// Rows line up in one column; what is not known takes none.
  private mutating func row(_ title: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    let pad = String(repeating: " ", count: max(1, 13 - title.count))
    lines.append("  \(title)\(pad)\(Self.printable(text))")
  }

  // MARK: Words

  private func joined(_ words: [String], _ tail: String? = nil) -> String? {
    words.isEmpty ? nil : words.joined(separator: ", ") + (tail.map { " " + $0 } ?? "")
  }

  private func since(_ time: WallTime?) -> [String] {
    guard let time else { return [] }
    guard let now, now.seconds >= time.seconds else { return ["since \(time.rfc3339)"] }
    return ["for \(Self.span(now.seconds - time.seconds))", "(since \(time.rfc3339))"]
  }

  package static func words(
    _ pass: PassStatus, now: WallTime?, clock: @escaping (WallTime) -> String = { $0.rfc3339 }
  ) -> String {
    StatusText(now: now, isColoured: false, clock: clock).words(pass)
  }

  private func words(_ pass: PassStatus) -> String {
    "\(Self.printable(pass.address)) passes by \(Self.printable(pass.via))" + until(pass.until)
  }

  /// ` until 12:40 (9 min 3 s left)`; nothing for what does not end.
  private func until(_ time: WallTime?) -> String {
    guard let time else { return "" }
    let left = now.map { " (\(Self.span(max(0, time.seconds - $0.seconds))) left)" } ?? ""
    return " until \(clock(time))" + left
  }

  /// What does not leave the house now, and why.
  private func refusalWords(_ gateway: GatewayStatus, _ tunnel: TunnelStatus?) -> String? {
    guard let only = gateway.refused.first else { return nil }
    if gateway.openUntil != nil { return nil }
    let what = gateway.refused.count > 1 ? "all that leaves the house" : only == "ipv6" ? "IPv6" : "IPv4"
    guard let name = gateway.active else { return "\(what), because no tunnel is there for it" }
    guard let tunnel else { return "\(what), because \(name) does not carry it" }
    return tunnel.status == .connected
      ? "\(what), because \(name) does not carry it" : "\(what), because \(name) is \(tunnel.status.rawValue)"
  }

  private func errorWords(_ error: TunnelStatus.LastError?) -> String? {
    error.map { $0.line + ($0.since.map { " (since \($0.rfc3339))" } ?? "") }
  }

  private func serverWords(_ remote: TunnelStatus.Remote) -> String? {
    guard let host = remote.host else { return nil }
    let address = remote.address.flatMap { $0 == host ? nil : " (\($0))" } ?? ""
    return host + address + (remote.port.map { " port \($0)" } ?? "") + (remote.proto.map { " over \($0)" } ?? "")
  }

  private func overrideWords(_ override: TunnelStatus.Override) -> String? {
    let action =
      switch override.action {
      case .up: "put up by you"
      case .down: "put down by you"
      case .paused: "paused by you" + until(override.until)
      case nil: nil as String?
      }
    return joined([action, override.remote.map { "remote \($0) chosen by you" }].compactMap { $0 })
  }

  private func localWords(_ local: TunnelStatus.Local) -> String? {
    guard let address = local.address else { return local.uplink.map { "by \($0)" } }
    return address + (local.port.map { " port \($0)" } ?? "") + (local.uplink.map { " by \($0)" } ?? "")
  }

  private func addressWords(_ tunnel: TunnelStatus) -> String? {
    var words = tunnel.ipv4 + tunnel.ipv6
    guard !words.isEmpty else { return nil }
    let gateways = [tunnel.gateway4, tunnel.gateway6].compactMap { $0 }
    if !gateways.isEmpty { words.append("gateway " + gateways.joined(separator: " and ")) }
    if let device = tunnel.device { words.append("device \(device)") }
    if let mtu = tunnel.mtu { words.append("MTU \(mtu)") }
    return words.joined(separator: ", ")
  }

  private func certificateWords(_ certificate: TunnelStatus.ServerCertificate) -> String? {
    certificate.subject.map { $0 + (certificate.notAfter.map { ", valid until \($0.rfc3339)" } ?? "") }
  }

  private func trafficWords(_ inBytes: UInt64?, _ outBytes: UInt64?, _ inCount: UInt64?, _ outCount: UInt64?) -> String?
  {
    guard let inBytes, let outBytes else { return nil }
    let counts = inCount.flatMap { received in outCount.map { " (\(received) and \($0) packets)" } } ?? ""
    return "\(Self.size(inBytes)) in, \(Self.size(outBytes)) out" + counts
  }

  private func countWords(_ tunnel: TunnelStatus) -> String? {
    let counts: [(UInt64?, String, String)] = [
      (tunnel.handshakes, "handshake", "handshakes"), (tunnel.reconnects, "reconnect", "reconnects"),
      (tunnel.roams, "roam", "roams"), (tunnel.renegotiations, "renewal of keys", "renewals of keys"),
    ]
    return joined(counts.compactMap { count, one, many in count.map { "\($0) \($0 == 1 ? one : many)" } })
  }

  private func coloured(_ status: TunnelStatusWord) -> String {
    guard isColoured else { return status.rawValue }
    let code =
      switch status {
      case .connected: 32
      case .connecting, .reasserting, .disconnecting: 33
      case .disconnected: 0
      case .invalid: 31
      }
    return "\u{1B}[\(code)m\(status.rawValue)\u{1B}[0m"
  }

  // MARK: Figures

  /// The two largest units: `3 d 4 h`.
  package static func span(_ seconds: Int64) -> String {
    let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
    guard let first = units.firstIndex(where: { seconds >= $0.0 }) else { return "0 s" }
    let (size, name) = units[first]
    guard first + 1 < units.count else { return "\(seconds) \(name)" }
    let (small, smallName) = units[first + 1]
    let rest = seconds % size / small
    return rest == 0 ? "\(seconds / size) \(name)" : "\(seconds / size) \(name) \(rest) \(smallName)"
  }

  /// Powers of 1,000, one decimal.
  package static func size(_ bytes: UInt64) -> String {
    guard bytes >= 1_000 else { return "\(bytes) B" }
    var (unit, units) = (UInt64(1_000), ["kB", "MB", "GB", "TB", "PB"][...])
    while units.count > 1, bytes / unit >= 1_000 {
      unit *= 1_000
      units.removeFirst()
    }
    return "\(bytes / unit).\(bytes % unit * 10 / unit) \(units.first ?? "")"
  }

  /// A server's words must not drive the terminal.
  package static func printable(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) ? "?" : Character($0) })
  }
}
