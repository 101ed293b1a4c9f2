import Base
import Exchange
import Profile
import Supervisor

/// What may be told, by the names that the table of states uses.
enum StateEvent: String, CaseIterable {
  case configuredSame = "configuration, the same"
  case configuredOther = "configuration, another server"
  case configuredBroken = "configuration, unusable"
  case up
  case down
  case demand = "rest, by a rule"
  case pause
  case resume
  case use = "use another remote"
  case reconnect
  case reconnectLater = "reconnect, later"
  case engineDied = "the engine died"
  case resolved = "name resolved"
  case unresolved = "name without an address"
  case answered = "the server answered"
  case tls = "TLS stands"
  case token
  case wantsNetwork = "the session wants its network"
  case sessionUp = "the session is up"
  case renegotiated = "keys renewed"
  case mtu = "MTU measured"
  case alive = "proof: alive"
  case silent = "proof: silent"
  case failed = "proof: failed"
  case endedSilent = "session over: the server is silent"
  case endedRestart = "session over: the server restarts"
  case endedTLS = "session over: TLS failed"
  case endedLogin = "session over: login refused"
  case endedHalt = "session over: told to stay away"
  case endedTemporary = "session over: come back in 42 s"
  case networkFailed = "the network cannot be made"
  case pathSame = "the same way again"
  case pathOther = "another way"
  case pathGone = "no way"
  case waysBoth = "both families lead out"
  case waysNone = "no family leads out"
  case shaken = "the host slept"
  case clockSet = "the clock was set"
  case preferredFailed = "the preferred remote failed"
  case wakeEarly = "woken too early"
  case wakeDue = "the deadline"

  func event(_ stage: Stage) -> TunnelEvent {
    let attempt = stage.supervisor.currentAttempt
    func session(_ event: SessionEvent) -> TunnelEvent { .session(attempt, event) }
    func over(_ code: Fault.Code, after wish: Duration? = nil) -> TunnelEvent {
      session(.ended(EndReport(fault: Fault(code), retryAfter: wish)))
    }
    switch self {
    case .configuredSame: return .configured(StateScene.profile, nil)
    case .configuredOther: return .configured(Stage.profile(["other.example.net", "203.0.113.8"]), nil)
    case .configuredBroken: return .configured(nil, Fault(.configurationInvalid))
    case .up: return .up
    case .down: return .down
    case .demand: return .rest(.demand("the LAN is at home"))
    case .pause: return .pause(until: stage.now + .seconds(60))
    case .resume: return .resume
    case .use: return .use(remote: 1)
    case .reconnect: return .reconnect(after: nil)
    case .reconnectLater: return .reconnect(after: .seconds(30))
    case .engineDied: return .engineDied("signal 11")
    case .resolved: return .resolved(attempt, addresses: StateScene.addresses, fault: nil)
    case .unresolved: return .resolved(attempt, addresses: [], fault: Fault(.nameUnresolved))
    case .answered: return session(.serverAnswered)
    case .tls: return session(.tlsEstablished(TLSSummary(version: "TLSv1.3", cipher: "", subject: "", notAfter: nil)))
    case .token: return session(.token(SecretBytes([1]), user: nil))
    case .wantsNetwork: return session(.wantsNetwork(items: ["ifconfig 10.8.0.2 255.255.255.0"]))
    case .sessionUp: return session(.up(Stage.summary()))
    case .renegotiated: return session(.renegotiated(keyID: 1))
    case .mtu: return session(.mtu(1400))
    case .alive: return session(.proof(.alive(roundTrip: .milliseconds(20))))
    case .silent: return session(.proof(.silent(for: .seconds(2))))
    case .failed: return session(.proof(.failed))
    case .endedSilent: return over(.serverSilent)
    case .endedRestart: return over(.serverRestart)
    case .endedTLS: return over(.tlsFailed)
    case .endedLogin: return over(.authFailed)
    case .endedHalt: return over(.serverHalt)
    case .endedTemporary: return over(.authTemporary, after: .seconds(42))
    case .networkFailed: return .networkFailed(attempt, Fault(.networkPlanFailed))
    case .pathSame: return .path(stage.supervisor.phaseName == .stranded ? StateScene.former : StateScene.way(stage))
    case .pathOther: return .path(Stage.path("wwan0"))
    case .pathGone: return .path(nil)
    case .waysBoth: return .ways([.ipv4, .ipv6])
    case .waysNone: return .ways([])
    case .shaken: return .shaken
    case .clockSet: return .clockSet(WallTime(seconds: 1_800_000_000))
    case .preferredFailed: return .preferredFailed(remote: 0)
    case .wakeEarly, .wakeDue: return .wake
    }
  }
}

/// A tunnel of two remotes in each phase.
enum StateScene {
  static let profile = Stage.profile(["vpn.example.net", "203.0.113.8"])
  static let addresses = ["203.0.113.9", "2001:db8::9"].compactMap { IPAddress($0) }
  static let former = Stage.path()

  /// What the daemon says when nothing has changed.
  static func way(_ stage: Stage) -> Path? { stage.supervisor.phaseName == .unreachable ? nil : Stage.path() }

  static func stage(in phase: TunnelSupervisor.PhaseName) throws -> Stage {
    var stage = Stage(seed: 3)
    stage.tell(.configured(profile, nil))
    if phase == .idle { return stage }
    stage.tell(.up)
    stage.tell(.path(Stage.path()))
    if phase == .resolving { return stage }
    stage.tell(.resolved(stage.supervisor.currentAttempt, addresses: addresses, fault: nil))
    stage.tell(.path(Stage.path()))
    switch phase {
    case .idle, .resolving, .connecting: break
    case .up: try stage.comeUp()
    case .proving:
      try stage.comeUp()
      stage.tell(.path(Stage.path("wan1")))
      stage.tell(.path(Stage.path()))
    case .stranded:
      try stage.comeUp()
      stage.tell(.path(nil))
    case .suspect:
      try stage.comeUp()
      stage.event(.proof(.silent(for: .seconds(2))))
    case .ending:
      try stage.comeUp()
      stage.tell(.reconnect(after: nil))
    case .pausing:
      for _ in 0..<3 {
        stage.end(.serverSilent)
        stage.tell(.path(Stage.path()))
      }
    case .unreachable:
      stage.tell(.path(nil))
    }
    return stage
  }

  /// Where the event leads, and what is done.
  static func outcome(
    of event: StateEvent, in phase: TunnelSupervisor.PhaseName
  ) throws -> (next: TunnelSupervisor.PhaseName, does: [String]) {
    var stage = try Self.stage(in: phase)
    let status = stage.supervisor.status
    if event == .wakeDue, let due = stage.supervisor.nextWake { stage.pass(due - stage.now) }
    stage.tell(event.event(stage))
    var does: [String] = []
    for effect in stage.effects.map(word) where does.last != effect { does.append(effect) }
    if stage.supervisor.status != status { does.append("status \(stage.supervisor.status.rawValue)") }
    return (stage.supervisor.phaseName, does)
  }

  private static func word(_ effect: TunnelEffect) -> String {
    switch effect {
    case .startEngine: "start an engine"
    case .killEngine: "kill the engine"
    case .configure: "send the configuration"
    case .lookAtSecrets: "look at the secrets"
    case .resolve: "look up"
    case .connect(_, let remote, let endpoint, _, _, _):
      "connect to the \(remote == 0 ? "first" : "second") by \(endpoint.address.family == .ipv4 ? "IPv4" : "IPv6")"
    case .order(.path(_, let isUsable)): isUsable ? "ask for proof" : "hold the session"
    case .order(.stop): "stop the session"
    case .order(.clock): "verify by the new time"
    case .order(.refused): "refuse"
    case .order(.quit): "end the engine"
    case .order: "?"
    case .applyNetwork: "make the network"
    case .withdrawNetwork: "withdraw the network"
    case .note: "note"
    }
  }
}
