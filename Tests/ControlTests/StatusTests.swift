import Base
import Control
import Testing

extension StatusReport {
  /// A gateway in full work.
  static var sample: StatusReport {
    var report = StatusReport(version: "0.1.0")
    var tunnel = TunnelStatus(name: "home", status: .connected)
    tunnel.since = WallTime(seconds: 1_767_225_600)
    tunnel.device = "tun-home"
    tunnel.remote.host = "vpn.example.net"
    tunnel.remote.address = "203.0.113.10"
    tunnel.remote.port = 1194
    tunnel.remote.proto = "udp"
    tunnel.local.address = "198.51.100.2"
    tunnel.local.port = 40_123
    tunnel.local.uplink = "wan0"
    tunnel.ipv4 = ["10.8.0.2/24"]
    tunnel.gateway4 = "10.8.0.1"
    tunnel.mtu = 1500
    tunnel.dns = ["10.8.0.1"]
    tunnel.domains = ["example.org"]
    tunnel.cipher = "AES-256-GCM"
    tunnel.tls = "TLSv1.3 TLS_AES_256_GCM_SHA384"
    tunnel.control = "tls-crypt"
    tunnel.data = "v2"
    tunnel.peerID = 0
    tunnel.tun.receivedBytes = 12_345_678
    tunnel.tun.sentBytes = 999
    tunnel.tun.receivedPackets = 9_000
    tunnel.tun.sentPackets = 8
    tunnel.tun.receiveErrors = 0
    tunnel.tun.sendErrors = 0
    tunnel.transport.receivedBytes = 13_000_000_000
    tunnel.transport.sentBytes = 1_000
    tunnel.transport.receivedPackets = 9_100
    tunnel.transport.sentPackets = 9
    tunnel.transport.lastPacket = WallTime(seconds: 1_767_229_199)
    tunnel.drops = [.init("replay", 0), .init("bad_tag", 3)]
    tunnel.handshakes = 1
    tunnel.reconnects = 0
    tunnel.roams = 0
    tunnel.renegotiations = 2
    tunnel.serverCertificate.subject = "CN=gw.example.net"
    tunnel.serverCertificate.notAfter = WallTime(seconds: 1_798_761_600)
    report.tunnels = [tunnel]
    var gateway = GatewayStatus(name: "lan")
    gateway.active = "home"
    gateway.killSwitch = "armed"
    gateway.refused = ["ipv6"]
    gateway.blockedPackets = 12
    report.gateways = [gateway]
    report.passes = [PassStatus(address: "192.168.1.50", until: WallTime(seconds: 1_767_230_000))]
    report.uplink.ipv4 = UplinkStatus.Family(
      DeviceName("wan0").map {
        Uplink(
          path: Path(device: $0, gateway: IPAddress("198.51.100.1"), source: IPAddress("198.51.100.2")),
          kind: .cellular)
      })
    report.uplink.ipv6 = UplinkStatus.Family(nil)
    return report
  }
}

@Suite("Status") struct StatusTests {
  /// All keys of the contract, in its order.
  static let keys = [
    "version", "tunnels", "tunnels[].name", "tunnels[].status", "tunnels[].since", "tunnels[].device",
    "tunnels[].remote",
    "tunnels[].remote.host", "tunnels[].remote.address", "tunnels[].remote.port", "tunnels[].remote.proto",
    "tunnels[].remotes", "tunnels[].override", "tunnels[].override.action", "tunnels[].override.until",
    "tunnels[].override.remote", "tunnels[].demand",
    "tunnels[].local", "tunnels[].local.address", "tunnels[].local.port", "tunnels[].local.uplink", "tunnels[].ipv4",
    "tunnels[].ipv6", "tunnels[].gateway4", "tunnels[].gateway6", "tunnels[].mtu", "tunnels[].dns", "tunnels[].domains",
    "tunnels[].cipher", "tunnels[].tls", "tunnels[].control", "tunnels[].data", "tunnels[].peer_id", "tunnels[].user",
    "tunnels[].offload", "tunnels[].tun", "tunnels[].tun.rx_bytes", "tunnels[].tun.tx_bytes",
    "tunnels[].tun.rx_packets",
    "tunnels[].tun.tx_packets", "tunnels[].tun.rx_errors", "tunnels[].tun.tx_errors", "tunnels[].transport",
    "tunnels[].transport.rx_bytes", "tunnels[].transport.tx_bytes", "tunnels[].transport.rx_packets",
    "tunnels[].transport.tx_packets", "tunnels[].transport.last_packet", "tunnels[].drops", "tunnels[].handshakes",
    "tunnels[].reconnects", "tunnels[].roams", "tunnels[].renegotiations", "tunnels[].last_error",
    "tunnels[].layer", "tunnels[].evidence", "tunnels[].server_certificate", "tunnels[].server_certificate.subject",
    "tunnels[].server_certificate.not_after",
    "gateways", "gateways[].name", "gateways[].active", "gateways[].kill_switch",
    "gateways[].open_until", "gateways[].refused", "gateways[].blocked_packets", "passes", "passes[].address",
    "passes[].via", "passes[].until", "uplink",
    "uplink.ipv4", "uplink.ipv4.reachable", "uplink.ipv4.device", "uplink.ipv4.kind", "uplink.ipv4.gateway",
    "uplink.ipv4.source",
    "uplink.ipv6",
    "uplink.ipv6.reachable", "uplink.ipv6.device", "uplink.ipv6.kind", "uplink.ipv6.gateway", "uplink.ipv6.source",
  ]

  private func paths(_ value: JSONValue, _ path: String = "") -> [String] {
    if let elements = value.elements { return elements.flatMap { paths($0, path + "[]") } }
    return (value.members ?? []).flatMap { member in
      let inner = path.isEmpty ? member.key : "\(path).\(member.key)"
      return [inner] + paths(member.value, inner)
    }
  }

  @Test("every key of the contract is present, known or not, and no other")
  func keys() {
    var bare = StatusReport(version: "0.1.0")
    bare.tunnels = [TunnelStatus(name: "a", status: .disconnected)]
    bare.gateways = [GatewayStatus(name: "b")]
    bare.passes = [PassStatus(address: "192.168.1.50", until: nil)]
    #expect(paths(bare.json) == Self.keys)
    #expect(paths(StatusReport.sample.json).filter { !$0.contains(".drops.") } == Self.keys)
  }

  @Test("the keys that a gateway in full work leaves null are these; the list only shrinks")
  func nulls() {
    #expect(
      StatusReport.sample.json.nullPaths == [
        "tunnels[].override.action", "tunnels[].override.until", "tunnels[].override.remote", "tunnels[].demand",
        "tunnels[].gateway6", "tunnels[].user", "tunnels[].offload", "tunnels[].last_error", "tunnels[].layer",
        "gateways[].open_until", "uplink.ipv6.device", "uplink.ipv6.kind",
        "uplink.ipv6.gateway", "uplink.ipv6.source",
      ])
  }

  @Test("a report survives the control socket")
  func roundTrip() {
    var report = StatusReport.sample
    report.tunnels[0].lastError = TunnelStatus.LastError(
      Fault(.authFailed, "bad \"words\"\n"), since: WallTime(seconds: 1_767_225_601))
    report.tunnels[0].layer = "auth"
    report.tunnels[0].evidence = ["server: it answers (2 s ago)"]
    report.tunnels.append(TunnelStatus(name: "work", status: .invalid))
    #expect(Reply.read(Reply.status(report).bytes.dropLast()) == .status(report))
    #expect(StatusReport(.object([])) == nil)
  }

  @Test(
    "times are read as they are written", arguments: [-1, 0, 951_782_400, 1_709_164_800, 1_767_225_599, 4_102_444_800])
  func times(seconds: Int64) {
    let time = WallTime(seconds: seconds)
    #expect(WallTime(rfc3339: time.rfc3339) == time)
  }

  @Test("the whole text for people")
  func text() {
    var report = StatusReport.sample
    var lost = TunnelStatus(name: "work", status: .reasserting)
    lost.lastError = TunnelStatus.LastError(Fault(.serverSilent), since: nil)
    lost.evidence = ["cable: wan0 has a link (now)", "internet outside: 192.0.2.53 answers (3 s ago)"]
    report.tunnels.append(lost)
    #expect(
      StatusText.render(report, now: WallTime(seconds: 1_767_229_200)) == """
        home connected for 1 h (since 2026-01-01T00:00:00Z)
          server       vpn.example.net (203.0.113.10) port 1194 over udp
          from         198.51.100.2 port 40123 by wan0
          address      10.8.0.2/24, gateway 10.8.0.1, device tun-home, MTU 1500
          DNS          10.8.0.1 for example.org
          security     AES-256-GCM, TLSv1.3 TLS_AES_256_GCM_SHA384, tls-crypt
          certificate  CN=gw.example.net, valid until 2027-01-01T00:00:00Z
          inside       12.3 MB in, 999 B out (9000 and 8 packets)
          outside      13.0 GB in, 1.0 kB out (9100 and 9 packets)
          dropped      3 bad tag
          since start  1 handshake, 0 reconnects, 0 roams, 2 renewals of keys
        work reasserting
          error        \(Fault(.serverSilent).sentence); \(Fault.Code.serverSilent.entry.action)
          known from   cable: wan0 has a link (now), internet outside: 192.0.2.53 answers (3 s ago)
        gateway lan
          through      home
          kill switch  armed
          refused      IPv6, because home does not carry it
          blocked      12 packets
        192.168.1.50 passes by wan until 2026-01-01T01:13:20Z (13 min 20 s left)
        uplink IPv4: by wan0 (cellular) through 198.51.100.1 from 198.51.100.2
        uplink IPv6: no way to the server

        """)
  }

  @Test("what is refused is said with its reason, and until when the LAN is open")
  func refusals() {
    func words(_ change: (inout StatusReport) -> Void) -> [Substring] {
      var report = StatusReport.sample
      change(&report)
      return StatusText.render(report, now: WallTime(seconds: 1_767_229_200), clock: { _ in "12:40" })
        .split(separator: "\n").filter { $0.hasPrefix("  kill") || $0.hasPrefix("  refused") }.map { $0.dropFirst(15) }
    }
    #expect(
      words {
        $0.tunnels[0].status = .reasserting
        $0.gateways[0].refused = ["ipv4", "ipv6"]
      } == ["armed", "all that leaves the house, because home is reasserting"])
    #expect(
      words {
        $0.gateways[0].active = nil
        $0.gateways[0].refused = ["ipv4"]
      } == ["armed", "IPv4, because no tunnel is there for it"])
    #expect(
      words {
        $0.gateways[0].killSwitch = "open"
        $0.gateways[0].openUntil = WallTime(seconds: 1_767_229_800)
      } == ["open until 12:40 (10 min left)"])
    #expect(words { $0.gateways[0].refused = [] } == ["armed"])
  }

  @Test("what the owner asked for, the remotes to choose from, and a rule that keeps it down")
  func overrides() throws {
    func words(_ change: (inout TunnelStatus) -> Void) throws -> [Substring] {
      var report = StatusReport.sample
      change(&report.tunnels[0])
      let read = try #require(StatusReport(try JSONReader.value(of: report.json.line.utf8)))
      #expect(read == report)
      return StatusText.render(read, now: WallTime(seconds: 1_767_229_200), clock: { _ in "11:40" })
        .split(separator: "\n").filter { line in
          ["override", "on demand", "remotes"].contains { line.hasPrefix("  \($0) ") }
        }
    }
    #expect(try words { _ in } == [])
    #expect(
      try words {
        $0.override.action = .paused
        $0.override.until = WallTime(seconds: 1_767_229_800)
      } == ["  override     paused by you until 11:40 (10 min left)"])
    #expect(
      try words {
        $0.override.action = .down
        $0.override.remote = "b:443/tcp"
        $0.remotes = ["a:1194/udp", "b:443/tcp"]
      } == [
        "  override     put down by you, remote b:443/tcp chosen by you", "  remotes      1 a:1194/udp, 2 b:443/tcp",
      ])
    #expect(
      try words {
        $0.override.action = .up
        $0.remotes = ["a:1194/udp"]
        $0.demand = "disconnect"
      } == ["  override     put up by you", "  on demand    disconnect"])
  }

  @Test("colour only on request, and a server's words never drive the terminal")
  func terminal() {
    var report = StatusReport.sample
    report.tunnels[0].serverCertificate.subject = "CN=\u{1B}[2Jx"
    #expect(!StatusText.render(report, now: nil).contains("\u{1B}"))
    #expect(StatusText.render(report, now: nil, isColoured: true).contains("\u{1B}[32mconnected\u{1B}[0m"))
  }

  @Test("spans and sizes read like words")
  func figures() {
    #expect(
      [0, 59, 60, 61, 7_260, 90_000].map(StatusText.span) == [
        "0 s", "59 s", "1 min", "1 min 1 s", "2 h 1 min", "1 d 1 h",
      ])
    #expect(
      [0, 999, 1_000, 999_999, 1_000_000, .max].map(StatusText.size) == [
        "0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "18446.7 PB",
      ])
  }
}

@Suite("Requests") struct RequestTests {
  @Test("every request survives the control socket")
  func roundTrip() {
    let requests: [Request] = [
      .explain(ExplainQuestion(source: "192.168.1.40")),
      .explain(ExplainQuestion(source: "a", destination: "example.org", transport: "udp", port: 53)),
      .status(tunnel: nil), .status(tunnel: "home"), .up(tunnel: "a"), .down(tunnel: "b"),
      .reconnect(tunnel: "c", after: nil),
      .reconnect(tunnel: "c", after: .seconds(5)), .pause(tunnel: "d", span: nil),
      .pause(tunnel: "d", span: .seconds(600)), .resume(tunnel: "e"), .use(tunnel: "f", remote: "default"),
    ]
    for request in requests {
      #expect((try? Request.read(request.bytes.dropLast()).get()) == request)
    }
    #expect(Request.up(tunnel: "home").bytes == Array("{\"do\":\"up\",\"tunnel\":\"home\"}\n".utf8))
  }

  @Test(
    "what is no request is refused",
    arguments: [
      "", "{}", "[]", "{\"do\":\"fly\"}", "{\"do\":\"up\"}", "{\"do\":\"reconnect\",\"tunnel\":\"a\",\"after\":-1}",
      "{\"do\":\"status\"}" + String(repeating: " ", count: Request.largest),
    ])
  func refused(text: String) {
    guard case .failure(let refusal) = Request.read(text.utf8) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.code == .badRequest)
  }

  @Test("replies survive, and foreign lines are none")
  func replies() {
    for reply in [Reply.done, .refused(Reply.Refusal(.unknownTunnel, "there is no tunnel 'x'")), .status(.sample)] {
      #expect(Reply.read(reply.bytes.dropLast()) == reply)
    }
    #expect(Reply.read("hello".utf8) == nil)
  }
}
