import Base
import Daemon
import IO
import Settings
import Testing

@Suite("What the daemon allows itself and its engines")
struct DaemonTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func gateway(_ name: String, lan: String..., change: (inout GatewaySettings) -> Void = { _ in }) throws
    -> GatewaySettings
  {
    let location = SourceLocation(file: "adit", line: 1)
    var gateway = GatewaySettings(name: try #require(TunnelName(name)), location: location)
    gateway.lan = lan.compactMap { DeviceName($0) }
    change(&gateway)
    return gateway
  }

  private func lan(_ gateways: [GatewaySettings]) -> [[String]] { gateways.map { $0.lan.map(\.text) } }

  // MARK: Reading the configuration again

  @Test("A gateway that became broken keeps its old LAN closed, beside what can be read now")
  func brokenGateway() throws {
    let old = try gateway("lan", lan: "br-lan") { $0.scope = .all }
    let fresh = try gateway("lan", lan: "br-guest")
    let merged = GatewayReload.merge([fresh], broken: [old.name], hasErrors: true, former: [old])
    #expect(lan(merged.gateways) == [["br-lan", "br-guest"]])
    #expect(merged.gateways[0].scope == .all)
    #expect(merged.heldClosed == [old.name])
  }

  @Test("A gateway that is missing stays while anything has an error, and goes when nothing has")
  func missingGateway() throws {
    let old = try gateway("lan", lan: "br-lan")
    let other = try gateway("gateway1", lan: "br-guest")
    let held = GatewayReload.merge([other], broken: [other.name], hasErrors: true, former: [old])
    #expect(lan(held.gateways) == [["br-guest"], ["br-lan"]])
    let gone = GatewayReload.merge([other], broken: [], hasErrors: false, former: [old])
    #expect(lan(gone.gateways) == [["br-guest"]])
    #expect(gone.heldClosed.isEmpty)
  }

  @Test("What is meant is done: a good section changes everything, and `off` is off")
  func meantGateway() throws {
    let old = try gateway("lan", lan: "br-lan")
    let moved = try gateway("lan", lan: "br-new")
    #expect(lan(GatewayReload.merge([moved], broken: [], hasErrors: true, former: [old]).gateways) == [["br-new"]])
    let off = try gateway("lan", lan: "br-new") { $0.killSwitch = .off }
    let merged = GatewayReload.merge([off], broken: [off.name], hasErrors: true, former: [old])
    #expect(merged.gateways == [off])
    let never = GatewayReload.merge([], broken: [], hasErrors: true, former: [off])
    #expect(never.gateways.isEmpty)
  }

  // MARK: Engines

  @Test("An engine gets sockets for many attempts in a row, but not without end")
  func sockets() {
    var budget = Budget.sockets(at: start)
    #expect(budget.take(16, at: start) == 16)
    var given = 0
    for _ in 0..<1000 { given += budget.take(16, at: start) }
    #expect(given == budget.most - 16)
    #expect(budget.take(16, at: start + .seconds(1)) == 16)
    #expect(budget.take(16, at: start + .seconds(1)) == 4)
    #expect(budget.take(1000, at: start + .seconds(100_000_000)) == budget.most)
    #expect(budget.take(-1, at: start + .seconds(100_000_000)) == 0)
  }

  @Test("An engine that answers nothing is found to hang within twenty seconds")
  func hangingEngine() {
    var watch = EngineWatch(at: start)
    #expect(watch.look(at: start) == nil)
    for _ in 0..<EngineWatch.mostUnanswered { #expect(watch.look(at: watch.due) == .ask) }
    #expect(watch.due - start <= .seconds(20))
    #expect(watch.look(at: watch.due) == .hangs)
  }

  @Test("One that carries nothing is asked ever more rarely, and one that carries packets or says something every time")
  func idleEngine() {
    var watch = EngineWatch(at: start)
    var pauses: [Duration] = []
    for _ in 0..<6 {
      let asked = watch.due
      #expect(watch.look(at: asked) == .ask)
      watch.hear(carried: 0)
      // What others asked meanwhile is no sign of rest.
      watch.hear(carried: 0)
      pauses.append(watch.due - asked)
    }
    #expect(pauses == [10, 20, 40, 80, 80, 80].map { .seconds($0) })
    var asked = watch.due
    watch.miss(at: asked - .seconds(70))
    #expect(watch.due == asked - .seconds(65))
    asked = watch.due
    #expect(watch.look(at: asked) == .ask)
    watch.hear(carried: 7)
    #expect(watch.due == asked + EngineWatch.interval)
    asked = watch.due
    #expect(watch.look(at: asked) == .ask)
    watch.hear(carried: 7)
    #expect(watch.due == asked + .seconds(10))
    watch.hear(at: asked + .seconds(1))
    #expect(watch.due == asked + .seconds(6))
    // From the longest pause on it still takes a few seconds only.
    for _ in 0..<6 {
      #expect(watch.look(at: watch.due) == .ask)
      watch.hear(carried: 7)
    }
    asked = watch.due
    for _ in 0..<EngineWatch.mostUnanswered { #expect(watch.look(at: watch.due) == .ask) }
    #expect(watch.look(at: watch.due) == .hangs)
    #expect(watch.due - asked <= .seconds(20))
  }

  @Test("What changes without an event is looked at ever more rarely while nothing moves")
  func calm() {
    var calm = CalmPause()
    #expect(calm.begin(at: start) == start + .seconds(10))
    #expect((0..<4).map { _ in calm.stretch(at: start) - start } == [20, 40, 80, 80].map { .seconds($0) })
    #expect(calm.begin(at: start) == start + .seconds(10))
  }

  @Test("One that answers, or slept with the whole house, is left alone")
  func livingEngine() {
    var watch = EngineWatch(at: start)
    for _ in 0..<100 {
      #expect(watch.look(at: watch.due) == .ask)
      watch.hear(carried: 1)
    }
    #expect(watch.look(at: watch.due) == .ask)
    #expect(watch.look(at: watch.due + .seconds(100_000)) == .ask)
    watch.hear(at: start)
    #expect(watch.look(at: watch.due) == .ask)
  }

  // MARK: Resolvers

  @Test("A pushed resolver is asked outside the tunnel only when the uplink has it too and no other is known")
  func pushedResolvers() throws {
    let (shared, own, boot) = (
      try #require(IPAddress("9.9.9.9")), try #require(IPAddress("198.51.100.1")), try #require(IPAddress("192.0.2.53"))
    )
    func chosen(_ texts: String..., bootstrap: [IPAddress] = []) -> [IPAddress] {
      UplinkResolvers.choose(from: texts, bootstrap: bootstrap, pushed: [shared]).map(\.address)
    }
    #expect(chosen("nameserver 9.9.9.9\nnameserver 198.51.100.1\n") == [own])
    #expect(chosen("nameserver 9.9.9.9\n", "nameserver 198.51.100.1\n") == [own])
    #expect(chosen("nameserver 9.9.9.9\n", bootstrap: [boot]) == [boot])
    #expect(chosen("nameserver 9.9.9.9\n") == [shared])
    #expect(chosen("nameserver 127.0.0.53\n").isEmpty)
  }
}
