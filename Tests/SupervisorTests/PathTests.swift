import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("The way to the server comes, goes and changes")
struct PathTests {
  @Test("Without a way there the attempt ends before it begins; the next is made when a way comes")
  func noPath() throws {
    var stage = Stage.started("203.0.113.9")
    let attempt = stage.running
    #expect(stage.tell(.path(nil)) == [.order(.stop(attempt))])
    #expect(stage.supervisor.status == .connecting)
    #expect(stage.supervisor.lastFailure?.fault.code == .noPath)
    #expect(stage.supervisor.watchedAddress == IPAddress("203.0.113.9"))
    stage.tell(.path(Stage.path()))
    #expect(stage.connect != nil)
  }

  @Test("A long time without a way fills no log")
  func quiet() throws {
    var stage = Stage.started("203.0.113.9")
    var lines = 0
    for _ in 0..<100 {
      stage.tell(.path(nil))
      lines += stage.notes.count
      try stage.wakeNext()
      lines += stage.notes.count
    }
    #expect(lines < 12)
  }

  @Test("A session that ends during an outage waits for the way like any other")
  func endsDuringOutage() throws {
    var stage = try Stage.up()
    stage.tell(.path(nil))
    stage.pass(.seconds(60))
    stage.end(.keepaliveTimeout)
    stage.tell(.path(nil))
    #expect(stage.connect == nil)
    #expect(stage.supervisor.status == .reasserting)
    stage.tell(.path(Stage.path()))
    #expect(stage.connect != nil)
  }

  @Test("The same answer again means nothing")
  func same() throws {
    var stage = try Stage.up(dataFormat: "v1")
    #expect(stage.tell(.path(Stage.path())).isEmpty)
    #expect(stage.supervisor.status == .connected)
  }

  @Test("A way that changes under half a handshake begins it anew")
  func duringHandshake() throws {
    var stage = Stage.started("203.0.113.9")
    let first = stage.running
    #expect(stage.tell(.path(Stage.path())).isEmpty)
    stage.tell(.path(Stage.path("wwan0")))
    #expect(stage.connect?.address == "203.0.113.9")
    #expect(stage.running > first)
  }

  @Test("Booted without an uplink, with names only: the first way out asks again at once, in a lookup or in a pause")
  func bootWithoutUplink() throws {
    var hanging = Stage.started("vpn.example.net", "other.example.net")
    let first = try #require(hanging.lookup)
    #expect(hanging.supervisor.watchedAddress == nil && hanging.supervisor.watchesAnyWay)
    #expect(hanging.tell(.path(nil)).isEmpty)
    hanging.pass(.seconds(10))
    hanging.tell(.path(Stage.path()))
    let second = try #require(hanging.lookup)
    #expect(second.host == first.host && second.attempt > first.attempt)
    // What the first one still says is stale.
    #expect(hanging.tell(.resolved(first.attempt, addresses: [], fault: nil)).isEmpty)

    var pausing = Stage.started("vpn.example.net")
    let asked = try #require(pausing.lookup).attempt
    pausing.tell(.path(nil))
    pausing.tell(.resolved(asked, addresses: [], fault: nil))
    #expect(pausing.lookup == nil)
    pausing.tell(.path(Stage.path()))
    #expect(pausing.lookup?.host == "vpn.example.net")
    // The answer right behind a lookup is the way it has, no news.
    #expect(pausing.tell(.path(Stage.path("wwan0"))).isEmpty)
  }

  @Test("A changed uplink cuts the pause of a silent server short")
  func cutsPause() throws {
    var stage = Stage.started("203.0.113.9")
    stage.tell(.path(Stage.path()))
    stage.end(.serverSilent)
    #expect(stage.connect == nil)
    stage.tell(.path(Stage.path("wwan0")))
    #expect(stage.connect != nil)
  }
}
