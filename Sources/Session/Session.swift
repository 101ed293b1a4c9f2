package import Base
internal import ControlChannel
package import Crypto
package import DataChannel
package import Exchange
internal import Profile
internal import TLS
internal import Wire

/// One connection to one server, from the first reset to the last goodbye, without I/O.
///
/// Bytes and time come in, the outbox takes what is to be done. Same inputs and same random bytes give the same course;
/// only TLS adds randomness of its own. The engine wakes it at `nextWake`; late or twice is fine.
package struct Session: ~Copyable {
  enum Stage: Equatable {
    case idle
    /// Up to the server's settings.
    case negotiating
    /// The supervisor makes the network.
    case applying
    case up
    /// The goodbye is on its way.
    case leaving
    case over
  }

  let setup: SessionSetup
  let random: RandomSource
  let context: TLSContext
  let wrapKey: WrapKey
  let sessionID: SessionID
  let room: PayloadRoom

  var stage = Stage.idle
  var startedAt = Instant(nanoseconds: 0)
  var wrap: ControlWrap
  /// For key ids above 0, once the server asked for it (protocol.md section 3.5).
  var dynamicWrap: ControlWrap?
  /// `nil` until the server's first reset.
  var serverID: SessionID?
  /// The newest key id.
  var primary: KeyState?
  /// The one before, whose packets may still be under way.
  var lameDuck: KeyState?

  var login: Login
  /// True when the last key message carried a token: decides what AUTH_FAILED means.
  var usedToken = false
  var push = PushExchange()
  var pushed: PushedOptions?
  var cipher: DataCipher?
  var authPendingUntil: Instant?
  /// Words of the server that became notes.
  var textsTold = 0

  var keepalive: Keepalive
  var traffic = Traffic()
  var nextPoll: Instant?
  /// What had passed at the last one.
  var polledTotal = LaneTotal()
  /// The key that data leaves with.
  var sendingKeyID: UInt8?
  var peerUsesNewKey = false
  var goodbye: Goodbye?
  /// Since when the server acknowledges but sends no reset of its own (SoftEther sends it once).
  var acknowledgedWithoutReset: Instant?
  var upSince: Instant?

  var health = HealthOrder()
  var echo: InnerEcho
  var liveness: Liveness
  /// When the way to the server last came back or changed.
  var wayBack: Instant?
  /// What time it was when.
  var clock: (time: WallTime, at: Instant)
  /// The clock was set: the peer is to be verified by it.
  var wantsVerification = false

  /// What is being found out about the sizes that pass, and what the tunnel adds to each packet.
  var sizes: (search: PathMTUSearch, overhead: PacketOverhead)?

  var drops: [ControlDrop: UInt64] = [:]
  /// Packets of this session that the wrap authenticated.
  var authenticated: UInt64 = 0
  var renegotiations: UInt64 = 0
  var finalCounters: Counters?
  /// The lanes' counters when last looked at.
  var sent = LaneCounters()
  var received = LaneCounters()
  /// Data packets of the peer that authenticated, as of then.
  var authenticatedData: UInt64 = 0

  /// Tun to network, once there are keys. Used in place by the engine.
  package var up: UpLane?
  /// Network to tun.
  package var down: DownLane?

  package init(_ setup: SessionSetup, random: RandomSource) throws(Fault) {
    // Everything that can fail comes first: a value that cannot be copied is made whole or not at all.
    let login = try Login(setup)
    let context = try TLSContext(setup.profile.tls, role: .client, wallTime: setup.wallTime)
    let wrapKey = try WrapKey(setup.remote.wrap, digest: setup.profile.auth)
    self.setup = setup
    self.random = random
    self.login = login
    self.context = context
    self.wrapKey = wrapKey
    wrap = ControlWrap(
      wrapKey, role: .client, wallTime: setup.wallTime, replayWindow: Self.replayWindow(setup.profile))
    var id = random.uint64()
    while id == 0 { id = random.uint64() }
    sessionID = SessionID(id)
    room = PayloadRoom(setup, wrap: wrapKey, overhead: wrap.overhead)
    keepalive = Keepalive(ping: nil, restart: nil, at: startedAt)
    echo = InnerEcho(random: random)
    liveness = Liveness(isStream: setup.remote.transport == .tcp)
    clock = (setup.wallTime, startedAt)
  }

  /// `replay-window 0` asks for strict order, which a control channel that repeats itself over UDP cannot have.
  static func replayWindow(_ profile: Profile) -> Int { profile.replayWindow > 0 ? profile.replayWindow : 64 }

  package var isOver: Bool { stage == .over }
  var isUDP: Bool { setup.remote.transport == .udp }
  var timers: Timers { setup.profile.timers }

  package mutating func start(at now: Instant, into outbox: inout Outbox) {
    guard stage == .idle else { return }
    stage = .negotiating
    startedAt = now
    clock.at = now
    let patience = timers.pingRestart ?? (isUDP ? Keepalive.defaultRestart : nil)
    keepalive = Keepalive(ping: timers.ping, restart: patience, at: now)
    if !setup.profile.tls.checks.identifiesServer { outbox.notes.append(Note(.noServerCheck)) }
    outbox.notes += context.notes
    do throws(Fault) {
      primary = try makeKey(0, reset: wrapKey.resetOpcode, at: now)
    } catch {
      return end(EndReport(fault: error), at: now, into: &outbox)
    }
    flush(at: now, into: &outbox)
  }

  /// One control datagram or record. Data packets are the lanes'.
  package mutating func receive(_ packet: [UInt8], at now: Instant, into outbox: inout Outbox) {
    guard stage != .idle, stage != .over else { return }
    if let drop = take(packet, at: now, into: &outbox) { count(drop, at: now, into: &outbox) }
    guard stage != .over else { return }
    pump(at: now, into: &outbox)
    runTimers(at: now, into: &outbox)
    flush(at: now, into: &outbox)
  }

  /// Does what is due; also reads the lanes' counters.
  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard stage != .idle, stage != .over else { return }
    pump(at: now, into: &outbox)
    runTimers(at: now, into: &outbox)
    flush(at: now, into: &outbox)
  }

  package mutating func networkApplied(mtu: Int, at now: Instant, into outbox: inout Outbox) {
    guard stage == .applying, let cipher else { return }
    stage = .up
    upSince = now
    let summary = UpSummary(
      cipher: cipher, control: wrapKey.name, dataFormat: dataFormatName, peerID: pushed?.peerID, user: login.user)
    outbox.events.append(.up(summary))
    beginLiveness(at: now, into: &outbox)
    flush(at: now, into: &outbox)
  }

  package mutating func networkRefused(_ code: Fault.Code, at now: Instant, into outbox: inout Outbox) {
    guard stage == .applying || stage == .up else { return }
    end(EndReport(fault: Fault(code)), at: now, into: &outbox)
  }

  /// The socket is of no more use.
  package mutating func transportFailed(_ fault: Fault, at now: Instant, into outbox: inout Outbox) {
    guard stage != .over else { return }
    let fault = fault.code == .tcpClosed ? Fault(unheard(.tcpClosed)) : fault
    finish(EndReport(fault: stage == .leaving ? nil : fault), into: &outbox)
  }

  /// What this session counted, for the engine to add to its totals.
  package mutating func counters() -> Counters {
    if let finalCounters { return finalCounters }
    var counters = Counters()
    counters.renegotiations = renegotiations
    for (drop, count) in drops.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      counters.drops.append(.init(drop.rawValue, count))
    }
    readLanes()
    addLaneCounters(to: &counters)
    return counters
  }
}
