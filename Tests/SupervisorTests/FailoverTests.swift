import Base
import Settings
import Supervisor
import Testing

@Suite("Which tunnel serves a gateway, over time")
struct FailoverTests {
  /// A gateway with tunnels whose prospects the test sets, and a clock that it turns.
  struct House {
    var failover = Failover()
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var tunnels: [(name: TunnelName, prospect: TunnelSupervisor.Prospect)] = []
    var gateways: [GatewaySettings] = []
    var said: [String] = []
    var isOther = false

    init(_ names: String...) throws {
      tunnels = try names.map { (try name($0), .soon) }
      try add("lan", names)
      look()
    }

    mutating func add(_ gateway: String, _ tunnels: [String]) throws {
      var section = GatewaySettings(name: try name(gateway), location: SourceLocation(file: "adit", line: 1))
      section.tunnels = try tunnels.map { try name($0) }
      gateways.append(section)
    }

    mutating func look() {
      let (changes, isOther) = failover.update(tunnels, gateways, at: now)
      said = changes.map { "\($0.gateway): \($0.note.sentence)" }
      self.isOther = isOther
    }

    mutating func set(_ index: Int, _ prospect: TunnelSupervisor.Prospect) {
      tunnels[index].prospect = prospect
      look()
    }

    mutating func pass(_ duration: Duration) {
      now += duration
      look()
    }

    /// Turns the clock to the next deadline; how long that was.
    mutating func wake() throws -> Duration {
      let due = try #require(failover.nextWake)
      let span = due - now
      now = due
      look()
      return span
    }

    func active(_ index: Int = 0) -> String? { failover.active[gateways[index].name]?.text }
  }

  /// Both up for a long time, the first one in use.
  private func steady() throws -> House {
    var house = try House("home", "backup")
    house.set(0, .up)
    house.set(1, .up)
    house.pass(.seconds(700))
    return house
  }

  @Test("At the start the preferred tunnel is waited for, two seconds long")
  func start() throws {
    var house = try House("home", "backup")
    house.set(1, .up)
    #expect(house.active() == "home")
    #expect(try house.wake() == Failover.grace)
    #expect(house.active() == "backup")
    #expect(house.said == ["lan: backup takes over: home has not come up"])
  }

  @Test("At the start nobody waits for a tunnel that is switched off or cannot come")
  func startWithout() throws {
    var house = try House("home", "backup")
    house.set(0, .away)
    house.set(1, .up)
    #expect(house.active() == "backup")
    #expect(house.failover.nextWake == nil)
  }

  @Test("R-06: a short reconnect of the preferred tunnel does not move the LAN")
  func shortReconnect() throws {
    var house = try steady()
    house.set(0, .soon)
    #expect(house.active() == "home")
    #expect(!house.isOther)
    house.pass(.milliseconds(1_900))
    house.set(0, .up)
    #expect(house.active() == "home")
    #expect(house.failover.nextWake == nil)
    #expect(house.failover.holds(try name("home")))
  }

  @Test("R-06: after two seconds the backup takes over, and the log says why")
  func over() throws {
    var house = try steady()
    house.set(0, .soon)
    #expect(try house.wake() == Failover.grace)
    #expect(house.active() == "backup")
    #expect(house.said == ["lan: backup takes over: home has been down for 2 s"])
    #expect(house.isOther)
    #expect(!house.failover.holds(try name("home")))
  }

  @Test("R-06: a server that said it restarts is waited for longer, also when the first attempt to it fails")
  func restart() throws {
    var house = try steady()
    house.set(0, .restarting)
    house.pass(.milliseconds(500))
    house.set(0, .soon)
    house.pass(.seconds(5))
    #expect(house.active() == "home")
    house.set(0, .up)
    #expect(house.active() == "home")
    house.set(0, .restarting)
    #expect(try house.wake() == Failover.restartGrace)
    #expect(house.active() == "backup")
  }

  @Test("R-06: a tunnel that is put down, or whose login is refused, is replaced at once")
  func atOnce() throws {
    var house = try steady()
    house.set(0, .away)
    #expect(house.active() == "backup")
    #expect(house.said == ["lan: backup takes over: home is off or cannot come up"])
    house.set(0, .up)
    #expect(try house.wake() == Failover.settling)
    house.set(0, .away)
    house.set(0, .up)
    #expect(try house.wake() == Failover.settling)
  }

  @Test("R-06: the preferred tunnel serves again after five seconds of being up, not before")
  func back() throws {
    var house = try steady()
    house.set(0, .soon)
    house.pass(.seconds(60))
    house.set(0, .up)
    #expect(house.active() == "backup")
    #expect(try house.wake() == Failover.settling)
    #expect(house.active() == "home")
    #expect(house.said == ["lan: home serves again, up for 5 s"])
  }

  @Test("R-06: the more often it was lost, the longer it has to be up; a long steady time is forgiven")
  func flapping() throws {
    var house = try steady()
    var spans: [Duration] = []
    for _ in 0..<9 {
      house.set(0, .soon)
      house.pass(.seconds(4))
      #expect(house.active() == "backup")
      house.set(0, .up)
      spans.append(try house.wake())
      #expect(house.active() == "home")
    }
    #expect(spans == [5, 10, 20, 40, 80, 160, 320, 320, 320].map { .seconds($0) })
    house.pass(Failover.steadyAfter)
    house.set(0, .soon)
    house.pass(.seconds(4))
    house.set(0, .up)
    #expect(try house.wake() == Failover.settling)
  }

  @Test("A tunnel that comes and goes every few seconds does not get the LAN back")
  func unsteady() throws {
    var house = try steady()
    house.set(0, .soon)
    house.pass(.seconds(4))
    for _ in 0..<20 {
      house.set(0, .up)
      house.pass(.seconds(4))
      house.set(0, .soon)
      house.pass(.seconds(1))
      #expect(house.active() == "backup")
    }
  }

  @Test("When the backup fails while the preferred one settles, nobody waits")
  func backupFails() throws {
    var house = try steady()
    house.set(0, .soon)
    house.pass(.seconds(60))
    house.set(0, .up)
    house.pass(.seconds(1))
    house.set(1, .soon)
    #expect(house.active() == "home")
  }

  @Test("While none is up the choice stays, and the first to come up serves")
  func none() throws {
    var house = try steady()
    house.set(0, .soon)
    house.pass(.seconds(4))
    #expect(house.active() == "backup")
    house.set(1, .soon)
    house.pass(.seconds(60))
    #expect(house.active() == "backup")
    #expect(house.failover.nextWake == nil)
    house.set(0, .up)
    #expect(house.active() == "home")
  }

  @Test("Without a kill switch the log says when all leaves by the WAN, once, and not for a short gap")
  func inTheClear() throws {
    var house = try steady()
    house.gateways[0].killSwitch = .off
    house.set(1, .away)
    #expect(house.said.isEmpty)
    house.set(0, .soon)
    house.pass(.seconds(1))
    #expect(house.said.isEmpty)
    house.pass(.seconds(1))
    #expect(house.said == ["lan: home is down and kill_switch is 'off': all leaves by the WAN in the clear"])
    house.pass(.seconds(60))
    #expect(house.said.isEmpty)
    house.gateways[0].killSwitch = .session
    house.set(0, .up)
    house.set(0, .away)
    #expect(house.said.isEmpty)
  }

  @Test("Three in order: the second before the third, and back step by step")
  func three() throws {
    var house = try House("a", "b", "c")
    for index in 0..<3 { house.set(index, .up) }
    house.set(0, .away)
    #expect(house.active() == "b")
    house.set(1, .away)
    #expect(house.active() == "c")
    house.set(1, .up)
    house.pass(.seconds(400))
    #expect(house.active() == "b")
    house.set(0, .up)
    house.pass(.seconds(400))
    #expect(house.active() == "a")
  }

  @Test("Several gateways share tunnels, each in its own order")
  func gateways() throws {
    var house = try House("home", "work")
    try house.add("guests", ["work", "home"])
    house.set(0, .up)
    house.set(1, .up)
    #expect(house.active(0) == "home")
    #expect(house.active(1) == "work")
    house.set(1, .away)
    #expect(house.active(0) == "home")
    #expect(house.active(1) == "home")
  }

  @Test("A configuration read again: the tunnel in use goes, another order counts after the settling time")
  func reload() throws {
    var house = try steady()
    house.gateways[0].tunnels.reverse()
    house.look()
    #expect(house.active() == "backup")
    house.tunnels.removeLast()
    house.look()
    #expect(house.active() == "home")
    #expect(house.said == ["lan: home takes over: backup is gone from the configuration"])
    house.gateways = []
    house.look()
    #expect(house.failover.active.isEmpty)
  }

  @Test(
    "Whatever happens: once nothing has changed for the longest grace, the LAN is on a tunnel that is up, if any is")
  func randomly() throws {
    for seed in 0..<200 {
      var dice = Dice(state: UInt64(seed))
      var house = try House("a", "b", "c")
      var stillFor = Duration.zero
      for _ in 0..<100 {
        if Bool.random(using: &dice) {
          let prospects: [TunnelSupervisor.Prospect] = [.up, .up, .soon, .restarting, .away]
          house.set(Int.random(in: 0..<3, using: &dice), prospects[Int.random(in: 0..<5, using: &dice)])
          stillFor = .zero
        } else {
          let span = Duration.milliseconds(Int.random(in: 100...4_000, using: &dice))
          stillFor += span
          house.pass(span)
        }
        let isServed = house.tunnels.contains { $0.name.text == house.active() && $0.prospect == .up }
        let anyUp = house.tunnels.contains { $0.prospect == .up }
        #expect(isServed || !anyUp || stillFor < Failover.restartGrace)
        #expect(house.failover.nextWake.map { $0 > house.now } ?? true)
      }
    }
  }
}

private func name(_ text: String) throws -> TunnelName { try #require(TunnelName(text)) }
