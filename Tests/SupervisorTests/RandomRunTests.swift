import Base
import Exchange
import Profile
import Supervisor
import Testing

#if DEBUG
  private let runs = 2_000
#else
  private let runs = 100_000
#endif

@Suite("Any order of events")
struct RandomRunTests {
  private static let families: [Set<AddressFamily>] = [[], [.ipv4], [.ipv6], [.ipv4, .ipv6]]
  private static let hosts = ["203.0.113.9", "vpn.example.net", "2001:db8::7", "203.0.113.8"]

  private func anyProfile(_ dice: inout Dice) -> Profile {
    var profile = Stage.profile(Array(Self.hosts.shuffled(using: &dice).prefix(Int.random(in: 1...4, using: &dice))))
    if Bool.random(using: &dice) { profile.remotes[0].transport = .tcp }
    profile.remoteRandom = Int.random(in: 0..<4, using: &dice) == 0
    profile.persistRemoteIP = Int.random(in: 0..<4, using: &dice) == 0
    if Int.random(in: 0..<6, using: &dice) == 0 { profile.connectRetryLimit = 2 }
    if Bool.random(using: &dice) {
      profile.wantsCredentials = true
      let code = Bool.random(using: &dice) ? SecretBytes([UInt8.random(in: 0...3, using: &dice)]) : nil
      profile.credentials = Credentials(user: "u", password: SecretBytes([1]), oneTimePassword: code)
    }
    return profile
  }

  private func anySessionEvent(_ dice: inout Dice) -> SessionEvent {
    let code = Fault.Code.allCases.randomElement(using: &dice) ?? .internalError
    switch Int.random(in: 0..<14, using: &dice) {
    case 0, 1: return .wantsNetwork(items: [])
    case 2, 3: return .up(Stage.summary(Bool.random(using: &dice) ? "v2" : "v1"))
    case 4: return .ended(EndReport(fault: Fault(code)))
    case 5:
      let advance = [EndReport.Advance.stay, .nextAddress, .nextRemote, nil].randomElement(using: &dice) ?? nil
      let wish: Duration? = Bool.random(using: &dice) ? .seconds(Int.random(in: 0...9, using: &dice)) : nil
      return .ended(EndReport(fault: Fault(code), retryAfter: wish, advance: advance))
    case 6: return .token(SecretBytes([1]), user: nil)
    case 7: return .proof(.alive(roundTrip: .milliseconds(9)))
    case 8: return .proof(.silent(for: .seconds(2)))
    case 9: return .proof(.failed)
    case 10: return .serverAnswered
    case 11: return .tlsEstablished(TLSSummary(version: "", cipher: "", subject: "", notAfter: nil))
    case 12: return .ended(EndReport(fault: Fault(.authFailed)))
    default: return .mtu(1400)
    }
  }

  private func anyEvent(_ dice: inout Dice, _ stage: Stage) -> TunnelEvent {
    let attempt = stage.supervisor.currentAttempt
    let other = Attempt(UInt32.random(in: 0...(attempt.number + 2), using: &dice))
    let running = Int.random(in: 0..<8, using: &dice) == 0 ? other : attempt
    switch Int.random(in: 0..<40, using: &dice) {
    case 0: return .up
    case 1: return .down
    case 2: return .reconnect(after: Bool.random(using: &dice) ? nil : .seconds(5))
    case 3, 4: return .engineDied("signal 11")
    case 5, 6:
      return .resolved(running, addresses: ["203.0.113.1", "2001:db8::1"].compactMap { IPAddress($0) }, fault: nil)
    case 7: return .resolved(running, addresses: [], fault: Fault(.nameUnresolved))
    case 8: return .networkFailed(running, Fault(.networkPlanFailed))
    case 9: return .path(nil)
    case 10...12: return .path(Stage.path(Bool.random(using: &dice) ? "wan0" : "wwan0"))
    case 13: return .ways(Self.families.randomElement(using: &dice) ?? [])
    case 14: return .shaken
    case 15: return .clockSet(WallTime(seconds: 1_800_000_000))
    case 16: return .pause(until: Bool.random(using: &dice) ? nil : stage.now + .seconds(20))
    case 17: return .resume
    case 18: return .use(remote: [0, 1, 9, nil].randomElement(using: &dice) ?? nil)
    case 19: return .rest(.demand("at home"))
    case 20: return .preferredFailed(remote: 0)
    case 21:
      let isBroken = Int.random(in: 0..<6, using: &dice) == 0
      return .configured(isBroken ? nil : anyProfile(&dice), isBroken ? Fault(.configurationInvalid) : nil)
    case 22...29: return .wake
    default: return .session(running, anySessionEvent(&dice))
    }
  }

  /// What must hold whatever is told.
  private struct Watch {
    /// The kinds of breach, each with how often.
    var breaches: [String: Int] = [:]
    private var engineRuns = false
    private var lastAttempt = Attempt(0)
    private var counters: [UInt64] = [0, 0, 0]
    private var begun: [Instant] = []
    /// Until when no login may be tried: since the last refusal, by the ladder's first step.
    private var loginUntil: Instant?
    private var spentCode: SecretBytes?
    private var profile: Profile?
    private var hadToken = false

    mutating func breach(_ words: String) { breaches[words, default: 0] += 1 }

    mutating func before(_ event: TunnelEvent, _ stage: Stage) {
      let phase = stage.supervisor.phaseName
      switch event {
      case .engineDied: engineRuns = false
      case .reconnect: loginUntil = nil
      case .configured(let new, _):
        if new?.credentials != profile?.credentials || new?.remotes != profile?.remotes { loginUntil = nil }
        profile = new
      case .session(stage.supervisor.currentAttempt, .ended(let report))
      where report.fault?.code == .authFailed && phase == .connecting && report.retryAfter == nil && !hadToken:
        loginUntil = stage.now + .seconds(60)
      case .session(stage.supervisor.currentAttempt, .tlsEstablished)
      where phase == .connecting && !hadToken:
        spentCode = profile?.credentials?.oneTimePassword ?? spentCode
      case .session(stage.supervisor.currentAttempt, .up) where phase == .connecting: loginUntil = nil
      default: break
      }
    }

    /// What a session without a way may be given up for.
    private static func mayLeave(_ event: TunnelEvent) -> Bool {
      switch event {
      case .path(nil), .shaken, .clockSet, .preferredFailed, .ways, .session(_, .proof): false
      default: true
      }
    }

    mutating func after(_ event: TunnelEvent, _ stage: Stage, wasStranded: Bool) {
      let supervisor = stage.supervisor
      for effect in stage.effects {
        switch effect {
        case .startEngine:
          if engineRuns { breach("a second engine") }
          engineRuns = true
        case .killEngine, .order(.quit): engineRuns = false
        case .resolve:
          if !engineRuns { breach("an order without an engine") }
          begun.append(stage.now)
        case .connect(_, _, _, _, let token, _):
          if !engineRuns { breach("an order without an engine") }
          // Where no way led to the first address nothing was sent to it.
          if case .path(nil) = event {} else { begun.append(stage.now) }
          if let loginUntil, stage.now < loginUntil { breach("a login before its time") }
          hadToken = token != nil
          if token == nil, let spentCode, profile?.credentials?.oneTimePassword == spentCode {
            breach("a code sent twice")
          }
        default: break
        }
      }
      let isAttempt = stage.connect != nil || stage.lookup != nil
      if isAttempt, supervisor.rest != nil { breach("an attempt at rest") }
      if isAttempt, wasStranded, !Self.mayLeave(event) { breach("an attempt without a way") }
      if supervisor.currentAttempt < lastAttempt { breach("an attempt number again") }
      lastAttempt = supervisor.currentAttempt
      let now = [supervisor.handshakes, supervisor.reconnects, supervisor.roams]
      if zip(now, counters).contains(where: { $0 < $1 }) { breach("a counter went back") }
      counters = now
      // Those that have no deadline are left by the owner, by the session, and by the kernel.
      if supervisor.nextWake == nil, ![.idle, .up, .suspect, .stranded].contains(supervisor.phaseName) {
        breach("no way out of \(supervisor.phaseName.rawValue)")
      }
      // A pause that is over while the goodbye before it still goes on is followed by the next wake.
      if let due = supervisor.nextWake, case .wake = event, due <= stage.now, supervisor.phaseName != .idle {
        breach("woken in vain")
      }
      // At most a dozen at once, then five in a second.
      begun.removeAll { stage.now - $0 >= .seconds(1) }
      if begun.count > 12 + 5 + 1 { breach("attempts too fast") }
    }
  }

  /// In a world where everything works nothing may keep it from coming up.
  private func mend(_ stage: inout Stage) throws {
    stage.tell(.resume)
    stage.tell(.configured(Stage.profile(["203.0.113.99"]), nil))
    stage.tell(.up)
    for _ in 0..<40 where stage.supervisor.status != .connected {
      if stage.connect != nil {
        stage.tell(.path(Stage.path()))
        stage.event(.wantsNetwork(items: []))
        stage.event(.up(Stage.summary()))
      } else if stage.supervisor.nextWake != nil {
        try stage.wakeNext()
      } else {
        stage.tell(.path(Stage.path()))
      }
    }
  }

  @Test("Random runs, 100,000 in release: no state without a way out, no attempt too soon, and a mended world connects")
  func random() throws {
    var breaches: [String: Int] = [:]
    for seed in 0..<runs {
      var dice = Dice(state: UInt64(seed))
      var stage = Stage(seed: UInt64(seed))
      var watch = Watch()
      // Half of the runs are floods.
      let longest: Int64 = seed % 2 == 0 ? 4_000 : 40
      for step in 0..<60 {
        stage.pass(.milliseconds(Int64.random(in: 0...longest, using: &dice)))
        let event: TunnelEvent =
          step == 0 ? .configured(anyProfile(&dice), nil) : step == 1 ? .up : anyEvent(&dice, stage)
        watch.before(event, stage)
        let wasStranded = stage.supervisor.phaseName == .stranded
        stage.tell(event)
        watch.after(event, stage, wasStranded: wasStranded)
      }
      breaches.merge(watch.breaches) { $0 + $1 }
      try mend(&stage)
      if stage.supervisor.status != .connected { breaches["stuck in \(stage.supervisor.phaseName)", default: 0] += 1 }
    }
    #expect(breaches.isEmpty, "\(breaches)")
  }
}
