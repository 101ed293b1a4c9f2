import Base
import Exchange
import Supervisor
import Testing

@Suite("One plain reason: the first layer that fails")
struct BlameTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)
  private let server = "udp 203.0.113.10:1194"
  private static let gateway = IPAddress.v4(IPv4Address(198, 51, 100, 1))
  private static let resolver = IPAddress.v4(IPv4Address(192, 0, 2, 53))
  private static let serverAddress = IPAddress.v4(IPv4Address(203, 0, 113, 10))

  private func uplink(
    _ name: String = "wan0", isUp: Bool = true, hasCarrier: Bool = true, isWireless: Bool = false,
    address: String? = "198.51.100.2"
  ) throws -> WayFacts.Uplink {
    let device = try #require(DeviceName(name))
    let link = Link(index: 2, name: device, isUp: isUp, hasCarrier: hasCarrier)
    return WayFacts.Uplink(
      device: device, link: link, isWireless: isWireless,
      addresses: address.flatMap { IPAddress($0) }.map { [$0] } ?? [])
  }

  private func path(_ name: String = "wan0") throws -> Path {
    Path(device: try #require(DeviceName(name)), gateway: Self.gateway)
  }

  /// A way that works, as far as the kernel knows.
  private func way() throws -> Evidence {
    var evidence = Evidence()
    evidence.look(WayFacts(uplinks: [try uplink()], path: try path()), at: start)
    return evidence
  }

  private func verdict(
    _ evidence: Evidence, _ status: TunnelSupervisor.StatusWord = .connecting, after span: Duration = .zero
  ) -> Verdict { Blame.verdict(status, evidence, target: "vpn.example.net", at: start + span) }

  // MARK: The way

  @Test("The cable, the switch of the uplink, its Wi-Fi and its address, in plain words") func link() throws {
    let cases: [(WayFacts.Uplink, Fault.Layer, String)] = [
      (try uplink(hasCarrier: false), .carrier, "The cable of wan0 is out"),
      (try uplink(isUp: false, hasCarrier: false), .carrier, "The uplink wan0 is switched off"),
      (
        try uplink("wlan0", hasCarrier: false, isWireless: true), .carrier,
        "The Wi-Fi of wlan0 has no connection"
      ),
      (try uplink(address: nil), .address, "The router has no address from the provider on wan0"),
      (
        try uplink(), .gateway,
        "There is no route to the server: wan0 has an address, but no default route leads out"
      ),
    ]
    for (uplink, layer, words) in cases {
      var evidence = Evidence()
      evidence.look(WayFacts(uplinks: [uplink], path: nil), at: start)
      #expect(verdict(evidence).layer == layer)
      #expect(verdict(evidence).text == words)
      #expect(!verdict(evidence).action.isEmpty)
    }
  }

  @Test("A link without carrier is out even while the kernel keeps its route") func deadRoute() throws {
    var evidence = Evidence()
    evidence.look(WayFacts(uplinks: [try uplink(hasCarrier: false)], path: try path()), at: start)
    #expect(verdict(evidence, .reasserting).fault?.code == .carrierLost)
  }

  @Test("Of two uplinks the one that is a way counts; with none the preferred one is to blame") func twoUplinks() throws
  {
    var evidence = Evidence()
    let (out, live) = (try uplink(hasCarrier: false), try uplink("wan1"))
    evidence.look(WayFacts(uplinks: [out, live], path: try path("wan1")), at: start)
    #expect(verdict(evidence).fault == nil)
    evidence.look(WayFacts(uplinks: [out, try uplink("wan1", address: nil)], path: nil), at: start)
    #expect(verdict(evidence).text == "The cable of wan0 is out")
    evidence.look(WayFacts(uplinks: [], path: nil), at: start)
    #expect(verdict(evidence).fault == Fault(.noPath, "no uplink is known"))
  }

  @Test("The provider's router and the internet outside are blamed before the server, and only while they are silent")
  func outside() throws {
    var evidence = try way()
    evidence.failed(Fault(.serverSilent), server: server, at: start)
    #expect(verdict(evidence).text == "The server does not answer: udp 203.0.113.10:1194")
    evidence.askedOutside(
      OutsideFacts(asked: [Self.resolver, Self.serverAddress], answered: [], server: Self.serverAddress), at: start)
    #expect(
      verdict(evidence).text
        == "The internet outside does not answer, so the server cannot be blamed: asked 192.0.2.53, 203.0.113.10")
    evidence.askedGateway(Self.gateway, answers: false, at: start)
    #expect(verdict(evidence).text == "The provider's router 198.51.100.1 does not answer")
    #expect(verdict(evidence).layer == .gateway)
    // What was asked through a dead router says nothing when it lives again.
    evidence.askedGateway(Self.gateway, answers: true, at: start + .seconds(5))
    #expect(verdict(evidence, after: .seconds(5)).fault == nil)
    evidence.failed(Fault(.serverSilent), server: server, at: start + .seconds(9))
    evidence.askedOutside(
      OutsideFacts(asked: [Self.resolver], answered: [Self.resolver], server: nil), at: start + .seconds(9))
    #expect(
      verdict(evidence, after: .seconds(9)).text
        == "The server does not answer: udp 203.0.113.10:1194, while the internet outside answers; does this network forbid UDP?"
    )
  }

  @Test("The silence of the server alone says nothing of the internet; its answer to a ping does") func onlyServer()
    throws
  {
    var evidence = try way()
    evidence.failed(Fault(.serverSilent), server: server, at: start)
    evidence.askedOutside(
      OutsideFacts(asked: [Self.serverAddress], answered: [], server: Self.serverAddress), at: start)
    #expect(verdict(evidence).layer == .server)
    evidence.askedOutside(
      OutsideFacts(
        asked: [Self.resolver, Self.serverAddress], answered: [Self.serverAddress], server: Self.serverAddress),
      at: start)
    #expect(verdict(evidence).layer == .server)
  }

  @Test("What was found out by asking is unknown again when nobody has asked for long") func age() throws {
    var evidence = try way()
    evidence.askedOutside(OutsideFacts(asked: [Self.resolver], answered: [], server: nil), at: start)
    #expect(verdict(evidence, after: .seconds(29)).layer == .outside)
    #expect(verdict(evidence, after: .seconds(30)).layer == nil)
  }

  @Test("An answer of the server refutes what was said of the way and the name before") func refuted() throws {
    var evidence = try way()
    evidence.askedOutside(OutsideFacts(asked: [Self.resolver], answered: [], server: nil), at: start)
    evidence.failed(Fault(.resolverSilent, "vpn.example.net"), server: nil, at: start)
    evidence.take(.serverAnswered, at: start + .seconds(1))
    #expect(verdict(evidence, after: .seconds(1)).fault == nil)
    evidence.failed(Fault(.tlsCertificateExpired, "CN=server.lab"), server: server, at: start + .seconds(2))
    #expect(verdict(evidence, after: .seconds(2)).layer == .tls)
    // It has answered since, and is no better for that.
    evidence.take(.serverAnswered, at: start + .seconds(9))
    #expect(verdict(evidence, after: .seconds(9)).text == "The server's certificate has expired: CN=server.lab")
    // A cable that is out meanwhile comes first.
    evidence.look(WayFacts(uplinks: [try uplink(hasCarrier: false)], path: nil), at: start + .seconds(10))
    #expect(verdict(evidence, after: .seconds(10)).layer == .carrier)
    evidence.look(WayFacts(uplinks: [try uplink()], path: try path()), at: start + .seconds(11))
    #expect(verdict(evidence, after: .seconds(11)).layer == .tls)
  }

  @Test(
    "While it is being found out whether the internet answers, silence is nobody's fault; a refusal is the server's")
  func asking() throws {
    func word(_ fault: Fault) throws -> Verdict {
      var evidence = try way()
      evidence.failed(fault, server: server, at: start)
      return Blame.verdict(.connecting, evidence, isAsking: true, at: start)
    }
    #expect(try word(Fault(.serverSilent)).fault == nil)
    #expect(try word(Fault(.resolverSilent)).fault == nil)
    #expect(try word(Fault(.serverRestart)).layer == .server)
    #expect(try word(Fault(.authFailed)).layer == .auth)
    #expect(try word(Fault(.configurationInvalid)).layer == .configuration)
  }

  // MARK: The states

  @Test("Every word of status carries a verdict: a sentence and what is done now") func states() throws {
    for status in [
      TunnelSupervisor.StatusWord.invalid, .disconnected, .connecting, .connected, .reasserting, .disconnecting,
    ] {
      let word = verdict(try way(), status)
      #expect(!word.text.isEmpty && !word.action.isEmpty)
      #expect((word.layer == nil) == (word.fault == nil))
      #expect((word.fault == nil) == (status != .invalid))
    }
    #expect(
      Blame.verdict(.disconnected, Evidence(), rest: "paused until 12:40", at: start).text == "paused until 12:40")
    var broken = Evidence()
    broken.failed(Fault(.configurationInvalid, "home.ovpn:3:1: no remote"), server: nil, at: start)
    #expect(verdict(broken, .invalid).text == "The configuration has errors: home.ovpn:3:1: no remote")
    #expect(verdict(broken, .invalid).isFatal)
  }

  @Test("A fault of every code is named by its own layer, when all below it works", arguments: Fault.Code.allCases)
  func codes(code: Fault.Code) throws {
    var evidence = try way()
    evidence.failed(Fault(code), server: nil, at: start)
    let word = verdict(evidence)
    #expect(word.fault?.code == code)
    #expect(word.layer == code.layer)
    #expect(word.text == Fault(code).sentence)
    #expect(word.action == code.entry.action)
  }

  @Test("A tunnel that is up has nothing to blame, until nothing comes back through it") func up() throws {
    var evidence = try way()
    evidence.failed(Fault(.keepaliveTimeout), server: server, at: start)
    let summary = UpSummary(
      cipher: try #require(DataCipher(rawValue: "AES-256-GCM")), control: "none", dataFormat: "v2", peerID: 0, user: nil
    )
    evidence.take(.up(summary), at: start + .seconds(1))
    #expect(verdict(evidence, .connected, after: .seconds(1)).text == "connected to vpn.example.net")
    evidence.take(.proof(.silent(for: .seconds(3))), at: start + .seconds(9))
    #expect(verdict(evidence, .connected, after: .seconds(9)).layer == .data)
    var answered = evidence
    answered.take(.proof(.alive(roundTrip: .milliseconds(20))), at: start + .seconds(10))
    #expect(verdict(answered, .connected, after: .seconds(10)).fault == nil)
    // Never the server's fault while the line is dead.
    evidence.askedOutside(
      OutsideFacts(asked: [Self.resolver], answered: [], server: nil), at: start + .seconds(10))
    #expect(verdict(evidence, .connected, after: .seconds(10)).layer == .outside)
  }

  @Test("Evidence stands in the order of the chain, each with its age") func words() throws {
    var evidence = try way()
    evidence.askedGateway(Self.gateway, answers: true, at: start + .seconds(3))
    evidence.resolved(2, at: start + .seconds(1))
    #expect(
      evidence.words(at: start + .seconds(5)) == [
        "cable: wan0 has a link (5 s ago)", "address: wan0 has 198.51.100.2 (5 s ago)",
        "provider's router: 198.51.100.1 answers (2 s ago)", "server's name: 2 addresses (4 s ago)",
      ])
  }
}
