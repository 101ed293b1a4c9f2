import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("From the configuration to a tunnel that is up")
struct ConnectTests {
  @Test("Engine, lookup, connect, network, up; each step waits for the one before")
  func wholeWay() throws {
    var stage = Stage()
    #expect(stage.supervisor.status == .invalid)
    #expect(stage.tell(.configured(Stage.profile(["vpn.example.net"]), nil)).isEmpty)
    #expect(stage.supervisor.status == .disconnected)
    #expect(stage.tell(.up) == [.startEngine, .resolve(Attempt(1), host: "vpn.example.net", family: nil)])
    #expect(stage.supervisor.status == .connecting)
    try stage.resolve("203.0.113.9", "2001:db8::9")
    let connect = try #require(stage.connect)
    #expect(connect.attempt == Attempt(2))
    #expect(connect.endpoint.description == "203.0.113.9:1194")
    #expect(connect.hasAlternatives)
    let items = ["ifconfig 10.8.0.2 255.255.255.0"]
    stage.event(.wantsNetwork(items: items))
    #expect(stage.effects == [.applyNetwork(Attempt(2), items: items)])
    // A session asks once; an engine gone wild moves no routes and no firewall.
    stage.event(.wantsNetwork(items: ["route 10.9.0.0 255.255.0.0"]))
    #expect(stage.effects.isEmpty)
    #expect(stage.supervisor.status == .connecting)
    stage.event(.up(Stage.summary()))
    #expect(stage.supervisor.status == .connected)
    #expect(stage.supervisor.handshakes == 1)
    #expect(stage.supervisor.nextWake == nil)
  }

  @Test("An address needs no lookup")
  func literal() {
    #expect(Stage.started("203.0.113.9").connect?.endpoint.description == "203.0.113.9:1194")
  }

  @Test("R-25: every address of a name, then the next remote, then the first again with a new lookup")
  func turns() throws {
    var stage = Stage.started("one.example", "203.0.113.7")
    try stage.resolve("203.0.113.1", "203.0.113.2", "203.0.113.1")
    #expect(stage.connect?.address == "203.0.113.1")
    stage.end(.serverSilent)
    #expect(stage.connect?.address == "203.0.113.2")
    stage.end(.serverSilent)
    #expect(stage.connect?.address == "203.0.113.7")
    #expect(stage.connect?.remote == 1)
    stage.end(.serverSilent)
    #expect(stage.connect == nil)
    try stage.wakeNext()
    #expect(stage.lookup?.host == "one.example")
  }

  @Test("R-04: persist-remote-ip keeps the address until a whole round has failed")
  func persist() throws {
    var stage = Stage.started("one.example", "203.0.113.7") { $0.persistRemoteIP = true }
    try stage.resolve("203.0.113.1")
    stage.end(.serverSilent, advance: .nextRemote)
    #expect(stage.connect?.remote == 1)
    stage.end(.serverSilent)
    try stage.wakeNext()
    #expect(stage.lookup?.host == "one.example")
  }

  @Test("After a success the same address is tried first, at once, and the state is reasserting")
  func sameAgain() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    stage.end(.serverSilent)
    #expect(stage.connect?.remote == 1)
    try stage.comeUp()
    stage.pass(.seconds(60))
    stage.end(.keepaliveTimeout)
    #expect(stage.connect?.remote == 1)
    #expect(stage.supervisor.status == .reasserting)
    try stage.comeUp()
    #expect(stage.supervisor.reconnects == 1)
  }

  @Test("O-10: remote-random shuffles once, and another seed otherwise")
  func random() throws {
    func order(_ seed: UInt64) throws -> [Int] {
      var stage = Stage.started("203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4", seed: seed) {
        $0.remoteRandom = true
      }
      var seen: [Int] = []
      for _ in 0..<8 {
        if stage.connect == nil { try stage.wakeNext() }
        seen.append(try #require(stage.connect?.remote))
        stage.end(.serverSilent)
      }
      return seen
    }
    let one = try order(7)
    #expect(Set(one.prefix(4)) == [0, 1, 2, 3])
    #expect(one.prefix(4) == one.suffix(4))
    #expect(Set(try (0..<10).map { try order(UInt64($0)) }).count > 3)
  }

  @Test("remote-random-hostname puts a fresh label in front at each lookup")
  func randomName() throws {
    var stage = Stage.started("vpn.example.net") { $0.remoteRandomHostname = true }
    let first = try #require(stage.lookup?.host)
    #expect(first.hasSuffix(".vpn.example.net"))
    #expect(first.count == "0123456789ab.vpn.example.net".count)
    try stage.resolve("203.0.113.1")
    stage.end(.serverSilent)
    try stage.wakeNext()
    #expect(stage.lookup?.host != first)
    #expect(stage.lookup?.host.hasSuffix(".vpn.example.net") == true)
  }

  @Test("O-06: udp4 asks for and takes IPv4 only")
  func family() throws {
    var stage = Stage.started("vpn.example.net") { $0.remotes[0].family = .ipv4 }
    #expect(stage.lookup?.family == .ipv4)
    try stage.resolve("2001:db8::9", "203.0.113.9")
    #expect(stage.connect?.address == "203.0.113.9")
  }

  @Test("R-19: an address to bind to decides the family")
  func bound() throws {
    var stage = Stage.started("vpn.example.net") { $0.remotes[0].localAddress = IPAddress("192.0.2.10") }
    #expect(stage.lookup?.family == .ipv4)
    try stage.resolve("2001:db8::9", "203.0.113.9")
    #expect(stage.connect?.address == "203.0.113.9")
  }

  @Test("A profile whose only address is of the wrong family waits and says so")
  func wrongFamily() throws {
    let stage = Stage.started("2001:db8::9") { $0.remotes[0].family = .ipv4 }
    #expect(stage.connect == nil)
    #expect(stage.supervisor.lastFailure?.fault.code == .nameUnresolved)
    #expect(stage.supervisor.nextWake != nil)
  }

  @Test("A name without an address gives the turn to the next remote")
  func unresolved() throws {
    var stage = Stage.started("gone.example", "203.0.113.7")
    let attempt = try #require(stage.lookup?.attempt)
    stage.tell(.resolved(attempt, addresses: [], fault: Fault(.nameUnresolved, "gone.example")))
    #expect(stage.supervisor.lastFailure?.fault.code == .nameUnresolved)
    if stage.connect == nil { try stage.wakeNext() }
    #expect(stage.connect?.remote == 1)
  }

  @Test("An engine that never answers a lookup is killed, and the next remote has its turn with a fresh one")
  func lookupDeadline() throws {
    var stage = Stage.started("gone.example", "203.0.113.7")
    try stage.wakeNext()
    #expect(stage.effects.prefix(2) == [.killEngine, .startEngine])
    #expect(stage.connect?.remote == 1)
  }

  @Test("An engine that never ends an attempt is killed, and another started")
  func attemptDeadline() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    try stage.wakeNext()
    #expect(stage.effects.prefix(2) == [.killEngine, .startEngine])
    #expect(stage.supervisor.lastFailure?.fault.code == .engineDied)
  }

  @Test("A login outside the tunnel has minutes once TLS stands")
  func pendingLogin() throws {
    var stage = Stage.started("203.0.113.7")
    stage.pass(.seconds(5))
    stage.event(.tlsEstablished(TLSSummary(version: "TLSv1.3", cipher: "", subject: "", notAfter: nil)))
    #expect(try #require(stage.wait) >= 600)
  }

  @Test("What an engine says about an older attempt is not heard")
  func stale() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    let old = stage.running
    stage.end(.serverSilent)
    let due = stage.supervisor.nextWake
    #expect(stage.tell(.session(old, .up(Stage.summary()))).isEmpty)
    #expect(stage.tell(.session(old, .wantsNetwork(items: []))).isEmpty)
    #expect(stage.tell(.session(old, .ended(EndReport(fault: Fault(.authFailed))))).isEmpty)
    #expect(stage.tell(.networkFailed(old, Fault(.subnetConflict))).isEmpty)
    #expect(stage.tell(.resolved(old, addresses: [], fault: nil)).isEmpty)
    #expect(stage.supervisor.nextWake == due)
    #expect(stage.supervisor.lastFailure?.fault.code == .serverSilent)
  }

  @Test("P-10: a network that cannot be made is refused, and the state never becomes connected")
  func refusedNetwork() throws {
    var stage = Stage.started("203.0.113.7")
    let attempt = stage.running
    stage.event(.wantsNetwork(items: []))
    #expect(stage.tell(.networkFailed(attempt, Fault(.subnetConflict))) == [.order(.refused(attempt, .subnetConflict))])
    #expect(stage.supervisor.status == .connecting)
    #expect(stage.supervisor.lastFailure?.fault.code == .subnetConflict)
    stage.end(.subnetConflict)
    #expect(stage.supervisor.nextWake != nil)
  }

  @Test("The same failure is told three times, then the log is left alone; since when stays")
  func flood() throws {
    var stage = Stage.started("203.0.113.9")
    let began = stage.now
    var told = 0
    for _ in 0..<20 {
      stage.end(.serverSilent)
      told += stage.notes.count { $0.code == .sessionFailed }
      try stage.wakeNext()
    }
    #expect(told == 3)
    #expect(stage.supervisor.lastFailure?.since == began)
    stage.end(.tlsFailed)
    #expect(stage.notes.contains { $0.code == .sessionFailed })
  }
}
