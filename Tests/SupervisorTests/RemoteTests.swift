import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("Which server is tried, and when")
struct RemoteTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func addresses(_ texts: String...) -> [IPAddress] { texts.compactMap { IPAddress($0) } }

  @Test("R-07: families in turn; the good address first, those that failed and those without a way last, none left out")
  func order() {
    var memory = RemoteMemory()
    let found = addresses("203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8::2")
    func sorted(_ ways: Set<AddressFamily>? = nil, at now: Instant) -> [String] {
      memory.sorted(found, of: 0, ways: ways, at: now).map(\.description)
    }
    #expect(sorted(at: start) == ["203.0.113.1", "2001:db8::1", "203.0.113.2", "2001:db8::2"])
    #expect(sorted([.ipv6], at: start) == ["2001:db8::1", "2001:db8::2", "203.0.113.1", "203.0.113.2"])
    memory.failed(found[0], at: start)
    #expect(sorted(at: start) == ["203.0.113.2", "2001:db8::1", "2001:db8::2", "203.0.113.1"])
    memory.succeeded(0, found[3])
    #expect(sorted(at: start) == ["2001:db8::2", "2001:db8::1", "203.0.113.2", "203.0.113.1"])
    // In time it is forgiven.
    #expect(sorted(at: start + RemoteMemory.forgiveness)[2] == "203.0.113.1")
  }

  @Test("O-09: a server that failed round after round is tried later, none ever forgotten, and is forgiven in time")
  func memory() {
    var memory = RemoteMemory()
    let all = Array(0..<70)
    for _ in 0..<50 {
      memory.failed(0, at: start)
      memory.failed(2, at: start)
      memory.failed(2, at: start)
      memory.failed(1, at: start)
    }
    let sorted = memory.sorted(all, at: start)
    #expect(sorted.suffix(3) == [0, 1, 2])
    #expect(Set(sorted) == Set(all))
    #expect(memory.sorted(all, at: start + RemoteMemory.forgiveness * 6) == all)
  }

  @Test("A name of very many addresses that all fail fills no memory")
  func bounded() {
    var memory = RemoteMemory()
    for number in 0..<10_000 {
      memory.failed(.v4(IPv4Address(UInt32(number))), at: start + .seconds(number))
    }
    let first = [IPAddress.v4(IPv4Address(0)), .v4(IPv4Address(9_999))]
    #expect(memory.sorted(first, of: 0, ways: nil, at: start + .seconds(10_000)) == first)
  }

  @Test("O-04, O-12: a first server that is silent gives way to the second remote, over its own protocol, within 8 s")
  func second() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8") { $0.remotes[1].transport = .tcp }
    #expect(stage.connect?.hasAlternatives == true)
    // The engine waits 4 s for a first answer where there are alternatives.
    stage.pass(.seconds(4))
    stage.end(.serverSilent)
    #expect(stage.connect?.remote == 1)
  }

  @Test(
    "A server that fell silent under a session is given a moment, then the next one has its turn; and it is wanted back"
  )
  func silentServer() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    stage.tell(.path(Stage.path()))
    try stage.comeUp()
    #expect(stage.supervisor.wantsPreferred == nil)
    stage.pass(.seconds(60))
    stage.event(.proof(.failed))
    #expect(stage.connect?.remote == 0)
    #expect(stage.wait == 1.5)
    try stage.wakeNext()
    #expect(stage.connect?.remote == 1)
    #expect(!stage.effects.contains(.killEngine))
    try stage.comeUp()
    #expect(stage.supervisor.wantsPreferred == 0)
  }

  @Test("Once it has answered, a server has all the time that a handshake may take")
  func answered() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    stage.tell(.path(Stage.path()))
    try stage.comeUp()
    stage.pass(.seconds(60))
    stage.event(.proof(.failed))
    stage.pass(.seconds(1))
    stage.event(.serverAnswered)
    #expect(try #require(stage.wait) > 60)
  }

  @Test("After a session every other remote has its turn before the pause, those before the last one too")
  func roundFromTheLast() throws {
    var stage = Stage.started("203.0.113.1", "203.0.113.2", "203.0.113.3")
    stage.end(.serverSilent)
    try stage.comeUp()
    stage.pass(.seconds(60))
    stage.end(.serverRestart)
    var tried = [try #require(stage.connect?.remote)]
    for _ in 0..<2 {
      stage.end(.serverSilent)
      tried.append(try #require(stage.connect?.remote))
    }
    #expect(tried == [1, 0, 2])
    stage.end(.serverSilent)
    #expect(stage.connect == nil)
  }

  @Test("R-04: the address that was good is asked first, without a lookup; when it fails its name is looked up anew")
  func lookedUpAnew() throws {
    var stage = Stage.started("vpn.example.net")
    try stage.resolve("203.0.113.1")
    try stage.comeUp()
    stage.pass(.seconds(60))
    stage.end(.keepaliveTimeout)
    #expect(stage.connect?.address == "203.0.113.1")
    stage.end(.serverSilent)
    #expect(stage.lookup?.host == "vpn.example.net")
    try stage.resolve("203.0.113.1", "203.0.113.2")
    #expect(stage.connect?.address == "203.0.113.2")
  }

  @Test("Use pins a remote until resume, and goes there politely; an unknown one changes nothing")
  func use() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    try stage.comeUp()
    #expect(stage.tell(.use(remote: 7)).isEmpty)
    #expect(stage.tell(.use(remote: 0)).isEmpty)
    #expect(stage.tell(.use(remote: 1)) == [.order(.stop(stage.running))])
    stage.end(nil)
    #expect(stage.connect?.remote == 1)
    for _ in 0..<3 {
      stage.end(.serverSilent)
      if stage.connect == nil { try stage.wakeNext() }
      #expect(stage.connect?.remote == 1)
    }
    try stage.comeUp()
    #expect(stage.supervisor.wantsPreferred == nil)
    #expect(stage.supervisor.usedRemote == 1)
    // It stays where it is, but wants back.
    #expect(stage.tell(.use(remote: nil)).isEmpty)
    #expect(stage.supervisor.wantsPreferred == 0)
    stage.tell(.use(remote: 1))
    stage.tell(.resume)
    #expect(stage.supervisor.usedRemote == nil)
  }

  @Test("The preferred one is the first of those that failed least; with remote-random, and while down, there is none")
  func preferred() throws {
    var stage = Stage.started("203.0.113.1", "203.0.113.2", "203.0.113.3")
    stage.end(.serverSilent)
    stage.end(.serverSilent)
    try stage.comeUp()
    #expect(stage.supervisor.wantsPreferred == 0)
    stage.tell(.preferredFailed(remote: 0))
    #expect(stage.supervisor.wantsPreferred == 1)
    stage.tell(.preferredFailed(remote: 1))
    #expect(stage.supervisor.wantsPreferred == 0)
    stage.tell(.preferredFailed(remote: 99))
    stage.tell(.down)
    #expect(stage.supervisor.wantsPreferred == nil)
    var random = Stage.started("203.0.113.1", "203.0.113.2") { $0.remoteRandom = true }
    random.end(.serverSilent)
    try random.comeUp()
    #expect(random.supervisor.wantsPreferred == nil)
  }

  @Test("The same remote written twice is no better than itself")
  func twins() throws {
    var stage = Stage.started("203.0.113.1", "203.0.113.1")
    stage.end(.serverSilent)
    try stage.comeUp()
    #expect(stage.supervisor.wantsPreferred == nil)
  }

  @Test("R-25: connect-retry-max is a cool-down of a minute, then it starts again; connect-retry slows the rounds down")
  func limits() throws {
    var stage = Stage.started("203.0.113.9") { $0.connectRetryLimit = 3 }
    var waits: [Double] = []
    for _ in 0..<7 {
      stage.end(.serverSilent)
      waits.append(try #require(stage.wait))
      try stage.wakeNext()
    }
    #expect(waits[2] == 60 && waits[5] == 60)
    #expect(waits.filter { $0 < 6 }.count == 5)
    var slowest = 0.0
    for seed in 0..<40 {
      var slow = Stage.started("203.0.113.9", seed: UInt64(seed)) {
        $0.connectRetry = .seconds(30)
      }
      slow.end(.serverSilent)
      slowest = max(slowest, try #require(slow.wait))
    }
    #expect(slowest > 20 && slowest <= 30)
  }

  @Test("A wait for an answer is a wait: the pause behind it is shorter by it")
  func spent() throws {
    for seed in 0..<40 {
      var stage = Stage.started("203.0.113.9", seed: UInt64(seed))
      for _ in 0..<8 {
        stage.pass(.seconds(4))
        stage.end(.serverSilent)
        #expect(try #require(stage.wait) <= 1)
        try stage.wakeNext()
      }
    }
  }
}
