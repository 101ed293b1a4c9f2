import Base
import Exchange
import Profile
import Supervisor
import Synchronization
import Testing

/// A supervisor with a hand-cranked clock, and what the outer world would say to it.
struct Stage {
  var supervisor: TunnelSupervisor
  private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
  /// What the last event led to, without the notes.
  private(set) var effects: [TunnelEffect] = []
  private(set) var notes: [Note] = []
  /// Of the last connect order.
  private(set) var running = Attempt(0)

  struct Connect: Hashable {
    var attempt: Attempt
    var remote: Int
    var endpoint: Endpoint
    var hasAlternatives: Bool
    var token: SecretBytes?
    var tokenUser: String?

    var address: String { endpoint.address.description }
  }

  init(seed: UInt64 = 1) {
    let dice = Mutex(Dice(state: seed))
    supervisor = TunnelSupervisor(random: { dice.withLock { $0.next() } }, at: now)
  }

  /// A tunnel to these remotes that is wanted up.
  static func started(_ hosts: String..., seed: UInt64 = 1, change: (inout Profile) -> Void = { _ in }) -> Stage {
    var stage = Stage(seed: seed)
    var profile = Stage.profile(hosts)
    change(&profile)
    stage.tell(.configured(profile, nil))
    stage.tell(.up)
    return stage
  }

  /// Connected to 203.0.113.9, by `path`.
  static func up(
    seed: UInt64 = 1, dataFormat: String = "v2", change: (inout Profile) -> Void = { _ in }
  ) throws -> Stage {
    var stage = Stage.started("203.0.113.9", seed: seed, change: change)
    stage.tell(.path(Stage.path()))
    try stage.comeUp(dataFormat: dataFormat)
    return stage
  }

  static func profile(_ hosts: [String]) -> Profile {
    var profile = Profile()
    profile.remotes = hosts.map { Remote(host: $0, location: SourceLocation(file: "home.ovpn", line: 1)) }
    return profile
  }

  @discardableResult
  mutating func tell(_ event: TunnelEvent) -> [TunnelEffect] {
    notes = []
    effects = supervisor.handle(event, at: now).filter {
      if case .note(let note) = $0 {
        notes.append(note)
        return false
      }
      return true
    }
    if let connect { running = connect.attempt }
    return effects
  }

  mutating func pass(_ duration: Duration) { now += duration }

  /// Turns the clock to the next deadline and wakes it.
  @discardableResult
  mutating func wakeNext() throws -> [TunnelEffect] {
    now = max(now, try #require(supervisor.nextAttempt ?? supervisor.nextWake))
    return tell(.wake)
  }

  /// How long until the next attempt or deadline, in seconds.
  var wait: Double? {
    (supervisor.nextAttempt ?? supervisor.nextWake).map { Double(($0 - now).wholeNanoseconds) / 1e9 }
  }

  var connect: Connect? {
    for case .connect(let attempt, let remote, let endpoint, let hasAlternatives, let token, let user) in effects {
      return Connect(
        attempt: attempt, remote: remote, endpoint: endpoint, hasAlternatives: hasAlternatives, token: token,
        tokenUser: user)
    }
    return nil
  }

  struct Lookup: Hashable {
    var attempt: Attempt
    var host: String
    var family: AddressFamily?
  }

  var lookup: Lookup? {
    for case .resolve(let attempt, let host, let family) in effects {
      return Lookup(attempt: attempt, host: host, family: family)
    }
    return nil
  }

  mutating func event(_ event: SessionEvent) { tell(.session(running, event)) }

  mutating func end(_ fault: Fault.Code?, retryAfter: Duration? = nil, advance: EndReport.Advance? = nil) {
    event(.ended(EndReport(fault: fault.map { Fault($0) }, retryAfter: retryAfter, advance: advance)))
  }

  mutating func resolve(_ addresses: String...) throws {
    let attempt = try #require(lookup?.attempt)
    tell(.resolved(attempt, addresses: addresses.compactMap { IPAddress($0) }, fault: nil))
  }

  /// From a connect order to "up".
  mutating func comeUp(dataFormat: String = "v2") throws {
    event(.wantsNetwork(items: ["ifconfig 10.8.0.2 255.255.255.0"]))
    event(.up(Stage.summary(dataFormat)))
    try #require(supervisor.isUp)
  }

  static func summary(_ dataFormat: String = "v2") -> UpSummary {
    UpSummary(
      cipher: .aes256GCM, control: "tls-crypt", dataFormat: dataFormat, peerID: dataFormat == "v2" ? 0 : nil,
      user: nil)
  }

  static func path(_ device: String = "wan0", gateway: String = "198.51.100.1") -> Path? {
    DeviceName(device).map { Path(device: $0, gateway: IPAddress(gateway), source: nil) }
  }
}

/// A small generator for jitter, shuffles and random runs.
struct Dice: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
  }
}
