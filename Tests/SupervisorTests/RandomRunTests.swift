import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("Any order of events")
struct RandomRunTests {
  private func anyEvent(_ dice: inout Dice, _ stage: Stage) -> TunnelEvent {
    let attempt = Attempt(UInt32.random(in: 0...(stage.running.number + 2), using: &dice))
    let running = Bool.random(using: &dice) ? stage.running : attempt
    let code = Fault.Code.allCases.randomElement(using: &dice) ?? .internalError
    switch Int.random(in: 0..<20, using: &dice) {
    case 0: return .up
    case 1: return .down
    case 2: return .reconnect(after: Bool.random(using: &dice) ? nil : .seconds(5))
    case 3: return .engineDied("signal 11")
    case 4, 5:
      return .resolved(
        stage.lookup?.attempt ?? attempt, addresses: ["203.0.113.9", "2001:db8::9"].compactMap { IPAddress($0) },
        fault: nil)
    case 6: return .resolved(stage.lookup?.attempt ?? attempt, addresses: [], fault: Fault(.nameUnresolved))
    case 7, 8: return .session(running, .wantsNetwork(items: []))
    case 9, 10: return .session(running, .up(Stage.summary()))
    case 11: return .session(running, .ended(EndReport(fault: Fault(code))))
    case 12:
      let advance: EndReport.Advance = .nextRemote
      return .session(running, .ended(EndReport(fault: Fault(code), retryAfter: .seconds(9), advance: advance)))
    case 13: return .session(running, .token(SecretBytes([1]), user: nil))
    case 14: return .networkFailed(running, Fault(.networkPlanFailed))
    case 15, 16: return .path(Bool.random(using: &dice) ? nil : Stage.path())
    case 17:
      let hosts = Bool.random(using: &dice) ? ["203.0.113.9", "vpn.example.net"] : ["vpn.example.net"]
      let isBroken = Int.random(in: 0..<6, using: &dice) == 0
      return .configured(isBroken ? nil : Stage.profile(hosts), isBroken ? Fault(.configurationInvalid) : nil)
    default: return .wake
    }
  }

  /// In a world where everything works nothing may keep it from coming up.
  private func mend(_ stage: inout Stage) throws {
    stage.tell(.configured(Stage.profile(["203.0.113.99"]), nil))
    stage.tell(.up)
    for _ in 0..<40 where !stage.supervisor.isUp {
      if stage.connect != nil {
        stage.tell(.path(Stage.path()))
        stage.event(.wantsNetwork(items: []))
        stage.event(.up(Stage.summary()))
      } else if stage.supervisor.nextWake != nil {
        try stage.wakeNext()
      }
    }
  }

  /// What an engine would be there for, as the owner of the effects sees it.
  private struct EngineBook {
    var runs = false
    var mistakes = 0

    mutating func take(_ effects: [TunnelEffect]) {
      for effect in effects {
        switch effect {
        case .startEngine:
          if runs { mistakes += 1 }
          runs = true
        case .killEngine, .order(.quit): runs = false
        case .resolve, .connect: if !runs { mistakes += 1 }
        case .configure, .lookAtSecrets, .order, .applyNetwork, .withdrawNetwork, .note: break
        }
      }
    }
  }

  @Test("2,000 random runs: no state without a way out, no order without an engine, and a mended world ends connected")
  func runs() throws {
    var dead = 0
    var stuck = 0
    var backwards = 0
    var mistakes = 0
    for seed in 0..<2_000 {
      var dice = Dice(state: UInt64(seed))
      var stage = Stage(seed: UInt64(seed))
      var book = EngineBook()
      var last = Attempt(0)
      for _ in 0..<30 {
        stage.pass(.milliseconds(Int64.random(in: 0...4000, using: &dice)))
        let event = anyEvent(&dice, stage)
        if case .engineDied = event { book.runs = false }
        book.take(stage.tell(event))
        let waitsForWorld = stage.supervisor.isIdle || stage.supervisor.isUp
        if stage.supervisor.nextWake == nil, !waitsForWorld { dead += 1 }
        if stage.supervisor.currentAttempt < last { backwards += 1 }
        last = stage.supervisor.currentAttempt
      }
      mistakes += book.mistakes
      try mend(&stage)
      if stage.supervisor.status != .connected { stuck += 1 }
    }
    #expect(dead == 0)
    #expect(backwards == 0)
    #expect(mistakes == 0)
    #expect(stuck == 0)
  }
}
