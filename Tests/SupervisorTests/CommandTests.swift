import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("Commands, reloads, stops and engines that die")
struct CommandTests {
  @Test("S-09: down says goodbye, then ends the engine and takes the network")
  func down() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.down) == [.order(.stop(stage.running))])
    #expect(stage.supervisor.status == .disconnecting)
    stage.end(nil)
    #expect(stage.effects == [.order(.quit), .withdrawNetwork])
    #expect(stage.supervisor.status == .disconnected)
    #expect(stage.supervisor.isIdle)
    #expect(stage.supervisor.nextWake == nil)
  }

  @Test("S-09: a goodbye that takes longer than 3 s is cut off")
  func slowDown() throws {
    var stage = try Stage.up()
    stage.tell(.down)
    #expect(stage.wait == 3)
    #expect(try stage.wakeNext() == [.killEngine, .withdrawNetwork])
    #expect(stage.supervisor.status == .disconnected)
  }

  @Test("After down, up starts another engine: the old one was told to quit")
  func upAfterDown() throws {
    var stage = try Stage.up()
    stage.tell(.down)
    stage.end(nil)
    stage.tell(.up)
    #expect(stage.effects.first == .startEngine)
    #expect(stage.connect != nil)
    #expect(stage.supervisor.status == .connecting)
  }

  @Test("Down before anything runs ends at once")
  func downEarly() throws {
    var stage = Stage.started("vpn.example.net")
    #expect(stage.tell(.down) == [.order(.quit), .withdrawNetwork])
    #expect(stage.supervisor.status == .disconnected)
  }

  @Test("Up while a stop is under way begins again after it")
  func upAgain() throws {
    var stage = try Stage.up()
    stage.tell(.down)
    stage.tell(.up)
    stage.end(nil)
    #expect(stage.connect != nil)
  }

  @Test("Up cuts a pause short, but not that of a refused login")
  func hurry() throws {
    for code in [Fault.Code.serverHalt, .serverSilent, .keyPasswordWrong] {
      var stage = Stage.started("203.0.113.9")
      stage.end(code)
      stage.tell(.up)
      #expect(stage.connect != nil)
    }
  }

  @Test("Reconnect says goodbye first; with a time it stays away that long, network standing")
  func reconnect() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.reconnect(after: nil)) == [.configure, .order(.stop(stage.running))])
    #expect(stage.supervisor.status == .reasserting)
    stage.end(nil)
    #expect(stage.connect?.endpoint.description == "203.0.113.9:1194")
    try stage.comeUp()
    #expect(stage.supervisor.reconnects == 1)
    stage.tell(.reconnect(after: .seconds(30)))
    stage.end(nil)
    #expect(stage.connect == nil)
    #expect(stage.wait == 30)
    #expect(!stage.effects.contains(.withdrawNetwork))
    try stage.wakeNext()
    #expect(stage.connect != nil)
  }

  @Test("A reload with the same profile changes nothing")
  func sameConfiguration() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.configured(Stage.profile(["203.0.113.9"]), nil)).isEmpty)
    #expect(stage.supervisor.status == .connected)
  }

  @Test("A reload with another profile reconnects with it")
  func otherConfiguration() throws {
    var stage = try Stage.up()
    #expect(
      stage.tell(.configured(Stage.profile(["203.0.113.20"]), nil)) == [.configure, .order(.stop(stage.running))])
    stage.end(nil)
    #expect(stage.connect?.address == "203.0.113.20")
  }

  @Test("A broken profile is invalid, and the mended one is tried at once")
  func broken() throws {
    var stage = Stage()
    stage.tell(.configured(nil, Fault(.configurationInvalid)))
    stage.tell(.up)
    #expect(stage.supervisor.status == .invalid)
    #expect(stage.supervisor.lastFailure?.fault.code == .configurationInvalid)
    #expect(stage.supervisor.nextWake == nil)
    stage.tell(.configured(Stage.profile(["203.0.113.9"]), nil))
    #expect(stage.connect != nil)
    #expect(stage.supervisor.status == .connecting)
    #expect(stage.supervisor.lastFailure == nil)
  }

  @Test("A profile that breaks under a running tunnel ends it politely")
  func breaks() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.configured(nil, Fault(.configurationInvalid))) == [.order(.stop(stage.running))])
    stage.end(nil)
    #expect(stage.supervisor.status == .invalid)
  }

  @Test("An engine that dies is replaced at once, the network stays, the reason is told")
  func death() throws {
    var stage = try Stage.up()
    stage.tell(.engineDied("signal 4"))
    #expect(stage.effects.first == .startEngine)
    #expect(!stage.effects.contains(.withdrawNetwork))
    #expect(stage.connect?.address == "203.0.113.9")
    #expect(stage.supervisor.status == .reasserting)
    #expect(stage.supervisor.lastFailure?.fault.sentence.contains("signal 4") == true)
  }

  @Test("Engines that die again and again are started with growing pauses, up to a minute")
  func deaths() throws {
    var stage = Stage.started("203.0.113.9")
    var waits: [Double] = []
    for _ in 0..<12 {
      stage.tell(.engineDied("signal 11"))
      if stage.connect == nil {
        waits.append(try #require(stage.wait))
        try stage.wakeNext()
      }
      #expect(stage.effects.first == .startEngine)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60])
  }

  @Test("An engine that dies during a goodbye has said it")
  func deathDuringGoodbye() throws {
    var stage = try Stage.up()
    stage.tell(.down)
    #expect(stage.tell(.engineDied("signal 11")) == [.withdrawNetwork])
    #expect(stage.supervisor.status == .disconnected)
  }
}

@Suite("Staying away: the owner, a rule, a pause")
struct RestTests {
  @Test("A pause says goodbye, keeps its time, and comes up by itself when it is over")
  func pause() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.pause(until: stage.now + .seconds(600))) == [.order(.stop(stage.running))])
    stage.end(nil)
    #expect(stage.effects == [.order(.quit), .withdrawNetwork])
    #expect(stage.supervisor.rest == .paused)
    #expect(stage.supervisor.status == .disconnected)
    #expect(stage.wait == 600)
    for event in [TunnelEvent.path(Stage.path("wwan0")), .shaken, .reconnect(after: nil), .ways([.ipv4])] {
      stage.tell(event)
      #expect(stage.connect == nil)
    }
    try stage.wakeNext()
    #expect(stage.connect != nil)
    #expect(stage.supervisor.rest == nil)
  }

  @Test("Resume ends a pause; one without a time lasts until then; down ends it for good")
  func resume() throws {
    var stage = try Stage.up()
    stage.tell(.pause(until: nil))
    stage.tell(.resume)
    stage.end(nil)
    #expect(stage.connect != nil)
    stage.tell(.pause(until: nil))
    stage.end(nil)
    #expect(stage.supervisor.nextWake == nil)
    stage.tell(.down)
    #expect(stage.supervisor.rest == .owner)
    stage.tell(.resume)
    #expect(stage.supervisor.isIdle)
  }

  @Test("What is down is not paused, and does not come up by the end of a pause")
  func down() throws {
    var stage = try Stage.up()
    stage.tell(.down)
    stage.end(nil)
    stage.tell(.pause(until: stage.now + .seconds(5)))
    #expect(stage.supervisor.rest == .owner)
    #expect(stage.supervisor.nextWake == nil)
  }

  @Test("A rule takes it down and says why; up brings it back")
  func demand() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.rest(.demand("wan0 is up"))) == [.order(.stop(stage.running))])
    #expect(stage.supervisor.status == .disconnecting)
    stage.end(nil)
    #expect(stage.supervisor.rest == .demand("wan0 is up"))
    stage.tell(.up)
    #expect(stage.connect != nil)
    #expect(stage.supervisor.rest == nil)
  }

  @Test("reconnect --after is not cut short by another way")
  func later() throws {
    var stage = try Stage.up()
    stage.tell(.reconnect(after: .seconds(30)))
    stage.end(nil)
    stage.tell(.path(Stage.path("wwan0")))
    #expect(stage.connect == nil)
    #expect(stage.wait == 30)
  }

  @Test("inactive and session-timeout are a reconnect and no failure: at once, or five seconds after it came up")
  func timeouts() throws {
    for code in [Fault.Code.inactive, .sessionTimeout] {
      var stage = try Stage.up()
      for _ in 0..<20 {
        stage.pass(.seconds(600))
        stage.end(code)
        #expect(stage.connect?.address == "203.0.113.9")
        try stage.comeUp()
      }
      for _ in 0..<20 {
        stage.pass(.seconds(1))
        stage.end(code)
        #expect(stage.wait == 4)
        try stage.wakeNext()
        try stage.comeUp()
      }
    }
  }
}
