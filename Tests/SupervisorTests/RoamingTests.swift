import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("A session and the way under it")
struct RoamingTests {
  private func alive(_ stage: inout Stage) { stage.event(.proof(.alive(roundTrip: .milliseconds(20)))) }

  @Test("R-06: on another uplink a session over UDP goes on, proves that it lives, and that is a roam and no handshake")
  func failOver() throws {
    var stage = try Stage.up()
    let attempt = stage.running
    #expect(stage.tell(.path(Stage.path("wwan0"))) == [.order(.path(attempt, isUsable: true))])
    #expect(stage.supervisor.status == .connected)
    #expect(stage.supervisor.roams == 0)
    #expect(stage.wait == 5)
    alive(&stage)
    #expect(stage.supervisor.roams == 1)
    #expect(stage.supervisor.handshakes == 1)
    #expect(stage.supervisor.reconnects == 0)
    #expect(stage.supervisor.phaseName == .up)
    #expect(stage.supervisor.lastFailure == nil)
    // Another address of the same uplink is another way too.
    stage.tell(.path(Stage.path("wwan0", gateway: "198.51.100.77")))
    alive(&stage)
    #expect(stage.supervisor.roams == 2)
  }

  @Test("Proof is asked for again when the way changes before it came; back on the first way it is no roam")
  func twice() throws {
    var stage = try Stage.up()
    stage.tell(.path(Stage.path("wwan0")))
    #expect(stage.tell(.path(Stage.path())) == [.order(.path(stage.running, isUsable: true))])
    alive(&stage)
    #expect(stage.supervisor.roams == 0)
    #expect(stage.supervisor.phaseName == .up)
    // A proof that nobody asked for counts nothing.
    alive(&stage)
    #expect(stage.supervisor.roams == 0)
  }

  @Test("No proof, said by the session or by the clock alone: at once a new session with the same server")
  func noProof() throws {
    for isSaid in [true, false] {
      var stage = try Stage.up()
      stage.pass(.seconds(60))
      stage.tell(.path(Stage.path("wwan0")))
      if isSaid { stage.event(.proof(.failed)) } else { try stage.wakeNext() }
      #expect(stage.connect?.address == "203.0.113.9")
      #expect(stage.supervisor.status == .reasserting)
      #expect(stage.supervisor.lastFailure?.fault.code == .dataSilent)
      #expect(stage.supervisor.roams == 0)
    }
  }

  @Test("R-06: TCP, an address that is bound to, and a session without a peer id begin anew at once on another way")
  func fixed() throws {
    var old = try Stage.up(dataFormat: "v1")
    old.tell(.path(Stage.path("wwan0")))
    #expect(old.connect != nil)
    var stream = try Stage.up { $0.remotes[0].transport = .tcp }
    stream.tell(.path(Stage.path("wwan0")))
    #expect(stream.connect != nil)
    var bound = try Stage.up { $0.remotes[0].localAddress = IPAddress("198.51.100.2") }
    bound.tell(.path(Stage.path("wwan0")))
    #expect(bound.connect != nil)
  }

  @Test(
    "R-01: without a way the session is held, no attempts, one line; however long, it is asked first when one is back")
  func outage() throws {
    for span in [1.0, 8, 26, 3600] {
      var stage = try Stage.up()
      let attempt = stage.running
      #expect(stage.tell(.path(nil)) == [.order(.path(attempt, isUsable: false))])
      #expect(stage.supervisor.status == .reasserting)
      #expect(stage.supervisor.lastFailure?.fault.code == .noPath)
      #expect(stage.supervisor.nextWake == nil)
      for _ in 0..<10 {
        #expect(stage.tell(.path(nil)).isEmpty)
        #expect(stage.notes.isEmpty)
      }
      // What the session thinks of it meanwhile is no verdict.
      stage.event(.proof(.failed))
      #expect(stage.effects.isEmpty)
      stage.pass(.milliseconds(Int64(span * 1000)))
      #expect(stage.tell(.path(Stage.path())) == [.order(.path(attempt, isUsable: true))])
      #expect(stage.supervisor.status == .reasserting)
      alive(&stage)
      #expect(stage.supervisor.status == .connected)
      #expect(stage.supervisor.lastFailure == nil)
      #expect(stage.supervisor.roams == 0)
      #expect(stage.supervisor.handshakes == 1)
    }
  }

  @Test("Back by another way after an outage is a roam once it is proved")
  func outageAndOther() throws {
    var stage = try Stage.up()
    stage.tell(.path(nil))
    stage.pass(.seconds(8))
    stage.tell(.path(Stage.path("wwan0")))
    alive(&stage)
    #expect(stage.supervisor.roams == 1)
  }

  @Test("A TCP session survives a blink; after a second without a way a new one is faster than its retransmissions")
  func stream() throws {
    for (span, isKept) in [(500, true), (1_000, false)] {
      var stage = try Stage.up { $0.remotes[0].transport = .tcp }
      stage.tell(.path(nil))
      stage.pass(.milliseconds(Int64(span)))
      stage.tell(.path(Stage.path()))
      #expect((stage.connect == nil) == isKept)
    }
  }

  @Test(
    "A host that slept asks a session over UDP for proof, and begins a stream anew; what waits for nothing else goes on"
  )
  func shaken() throws {
    var stage = try Stage.up()
    #expect(stage.tell(.shaken) == [.order(.path(stage.running, isUsable: true))])
    alive(&stage)
    #expect(stage.supervisor.roams == 0)
    var stream = try Stage.up { $0.remotes[0].transport = .tcp }
    stream.tell(.shaken)
    #expect(stream.connect != nil)
    var pausing = Stage.started("203.0.113.9")
    pausing.tell(.path(Stage.path()))
    pausing.end(.serverSilent)
    pausing.tell(.shaken)
    #expect(pausing.connect != nil)
    var asking = Stage.started("vpn.example.net")
    asking.tell(.shaken)
    #expect(asking.lookup?.host == "vpn.example.net")
    var stranded = try Stage.up()
    stranded.tell(.path(nil))
    #expect(stranded.tell(.shaken).isEmpty)
    var refused = Stage.started("203.0.113.9")
    refused.end(.authFailed)
    #expect(refused.tell(.shaken).isEmpty)
  }

  @Test("Silence under a session is kept for the blame; an answer ends it, a failed probe begins a new session")
  func silence() throws {
    var stage = try Stage.up()
    stage.pass(.seconds(60))
    stage.event(.proof(.silent(for: .seconds(2))))
    #expect(stage.effects.isEmpty && stage.notes.isEmpty)
    #expect(stage.supervisor.status == .connected)
    #expect(stage.supervisor.phaseName == .suspect)
    #expect(stage.supervisor.lastFailure?.fault.code == .dataSilent)
    alive(&stage)
    #expect(stage.supervisor.phaseName == .up)
    #expect(stage.supervisor.lastFailure == nil)
    stage.event(.proof(.silent(for: .seconds(2))))
    stage.event(.proof(.failed))
    #expect(stage.connect?.address == "203.0.113.9")
  }

  @Test("A server that comes up and falls silent again and again is not asked faster and faster")
  func flapping() throws {
    var stage = try Stage.up()
    var immediate = 0
    for _ in 0..<10 {
      stage.pass(.seconds(1))
      stage.event(.proof(.failed))
      if stage.connect == nil {
        #expect(stage.effects.contains { if case .order(.stop) = $0 { true } else { false } })
        try stage.wakeNext()
      } else {
        immediate += 1
      }
      try stage.comeUp()
    }
    #expect(immediate == 1)
  }

  @Test("R-07: a session whose family lost its way is left for the other family's after a second, and not before")
  func family() throws {
    var stage = Stage.started("vpn.example.net")
    try stage.resolve("203.0.113.9", "2001:db8::9")
    stage.tell(.ways([.ipv4, .ipv6]))
    stage.tell(.path(Stage.path()))
    try stage.comeUp()
    stage.tell(.path(nil))
    stage.tell(.ways([.ipv6]))
    #expect(stage.connect == nil)
    #expect(stage.wait == 1)
    try stage.wakeNext()
    #expect(stage.connect?.address == "2001:db8::9")
    stage.tell(.path(Stage.path()))
    try stage.comeUp()
    // Without the other family it waits for its own.
    stage.tell(.path(nil))
    stage.tell(.ways([]))
    #expect(stage.supervisor.nextWake == nil)
  }

  @Test("R-07: a family without a way is skipped at once; with none at all it waits and looks at both")
  func skipped() throws {
    var stage = Stage.started("vpn.example.net")
    try stage.resolve("2001:db8::9", "203.0.113.9")
    #expect(stage.connect?.address == "2001:db8::9")
    stage.tell(.path(nil))
    #expect(stage.connect?.address == "203.0.113.9")
    stage.tell(.path(nil))
    #expect(stage.connect == nil)
    #expect(stage.supervisor.phaseName == .unreachable)
    #expect(
      Set(stage.supervisor.watchedAddresses) == Set(["2001:db8::9", "203.0.113.9"].compactMap { IPAddress($0) }))
    stage.tell(.ways([.ipv6]))
    #expect(stage.connect?.address == "2001:db8::9")
    var literals = Stage.started("2001:db8::9", "203.0.113.9")
    literals.tell(.path(nil))
    #expect(literals.connect?.address == "203.0.113.9")
  }

  @Test("R-09: a clock that is set verifies a session anew, and ends the wait for it")
  func clock() throws {
    let time = WallTime(seconds: 1_800_000_000)
    var stage = try Stage.up()
    #expect(stage.tell(.clockSet(time)) == [.order(.clock(stage.running, time))])
    #expect(stage.supervisor.phaseName == .up)
    var waiting = Stage.started("203.0.113.9")
    waiting.tell(.path(Stage.path()))
    waiting.end(.tlsCertificateNotYetValid)
    #expect(waiting.connect == nil)
    waiting.tell(.clockSet(time))
    #expect(waiting.connect != nil)
    var other = Stage.started("203.0.113.9")
    other.end(.tlsCertificateUntrusted)
    #expect(other.tell(.clockSet(time)).isEmpty)
  }
}
