internal import Base
internal import Exchange

/// Notices that the server is gone, long before `ping-restart` does, and proves that it is there after the way to it
/// changed.
///
/// Nothing is asked while nothing goes out. The first packet that goes out arms a window; when it ends without anything
/// authenticated having come in, the server is asked: echoes first, then messages that its control channel must
/// acknowledge. Whatever authentic comes ends the questions. All spans scale with the round trip.
struct Liveness {
  /// What passed so far: inner packets out, authenticated packets in.
  struct Flow: Hashable {
    var sent: UInt64
    var received: UInt64
  }

  /// What to do now.
  struct Step: Hashable {
    /// Send a data packet that asks for an answer.
    var echo = false
    /// Send something that the control channel must acknowledge.
    var control = false
    var proof: Proof?
  }

  private enum Phase {
    /// Not up: no verdict.
    case off
    /// Nothing has gone out since something came in.
    case resting
    case watching(since: Instant, until: Instant, Flow)
    case asking(Inquiry)
    /// The kernel knows no way to the server.
    case held(since: Instant)
  }

  private var phase = Phase.off
  private(set) var roundTrip = RoundTrip()
  private var health = HealthOrder()
  private var nextCheck: Instant?
  private var receivedAtCheck: UInt64 = 0
  private var received: UInt64 = 0
  private var lastHeard = Instant(nanoseconds: 0)
  /// Inquiries in a row that ended well without an answer to their echoes.
  private var unanswered = 0
  private var echoIsKnown = false
  /// Inner packets that came.
  private var carried: UInt64 = 0
  /// The server lives and carries nothing: a gateway that answered echoes before does not any more, and nothing else comes
  /// out of the tunnel.
  private var isMute = false
  /// A stream repeats by itself what is lost, which takes it longer.
  private let isStream: Bool

  init(isStream: Bool) { self.isStream = isStream }

  // MARK: What others ask

  var isResting: Bool { if case .resting = phase { true } else { false } }
  /// Whatever comes in is news.
  var isAsking: Bool { if case .asking = phase { true } else { false } }
  var isHeld: Bool { if case .held = phase { true } else { false } }

  var due: Instant? {
    switch phase {
    case .off, .held: nil
    case .resting: nextCheck
    case .watching(_, let until, _): min(until, nextCheck ?? until)
    case .asking(let inquiry): inquiry.next
    }
  }

  // MARK: What happens

  mutating func begin(received: UInt64, at now: Instant) {
    guard case .off = phase else { return }
    phase = .resting
    self.received = received
    lastHeard = now
    scheduleCheck(at: now)
  }

  mutating func adopt(_ health: HealthOrder, at now: Instant) {
    if health.target != self.health.target {
      unanswered = 0
      echoIsKnown = false
      isMute = false
    }
    self.health = health
    scheduleCheck(at: now)
  }

  mutating func note(roundTrip sample: Duration) { roundTrip.note(sample) }

  /// The first packet after a rest goes out.
  mutating func noteOutgoing(_ flow: Flow, at now: Instant) {
    guard isResting else { return }
    phase = .watching(since: now, until: now + window, flow)
  }

  /// - Parameters:
  ///   - received: authenticated packets of all kinds so far.
  ///   - carried: those of them that came out of the tunnel, but for answers to our own questions.
  /// - Returns: what its owner must know.
  mutating func observe(received: UInt64, carried: UInt64, at now: Instant) -> Proof? {
    guard received != self.received else { return nil }
    self.received = received
    lastHeard = now
    let carries = carried != self.carried
    self.carried = carried
    let wasMute = isMute && carries
    if carries { isMute = false }
    guard case .asking(let inquiry) = phase, inquiry.provesFrom <= now else {
      return wasMute ? .alive(roundTrip: roundTrip.smoothed ?? .zero) : nil
    }
    if !isDeaf { unanswered += 1 }
    let took = roundTrip.smoothed ?? now - inquiry.begun
    if wasMute {
      phase = .resting
      return .alive(roundTrip: took)
    }
    if inquiry.cause == .silence, echoIsKnown, inquiry.wasTold, !carries { isMute = true }
    return conclude(inquiry, took: took)
  }

  /// An echo came back.
  mutating func answered(sentAt: Instant, roundTrip sample: Duration, at now: Instant) -> Proof? {
    roundTrip.note(sample)
    unanswered = 0
    echoIsKnown = true
    lastHeard = now
    let wasMute = isMute
    isMute = false
    // Our own question keeps nobody from asking the next.
    receivedAtCheck &+= 1
    guard case .asking(let inquiry) = phase, inquiry.begun <= sentAt else {
      return wasMute ? .alive(roundTrip: sample) : nil
    }
    phase = .resting
    return inquiry.isPublic || wasMute ? .alive(roundTrip: sample) : nil
  }

  mutating func hold(at now: Instant) {
    switch phase {
    case .off, .held: break
    case .resting, .watching, .asking: phase = .held(since: now)
    }
  }

  /// Another way, or a way again.
  ///
  /// - Parameter canMove: the server takes packets of this session from any address.
  mutating func resume(canMove: Bool, at now: Instant) {
    var outage: Duration = .zero
    switch phase {
    case .off: return
    case .held(let since): outage = now - since
    case .resting, .watching, .asking: break
    }
    let trip = roundTrip.smoothed ?? RoundTrip().timeout
    roundTrip.outdate()
    // After a long outage the server may have forgotten us, and a handshake takes less than waiting.
    let isBrief = canMove && outage <= Self.longOutage
    let patience = isBrief ? max(Self.patience, trip * 6) : Self.shortPatience + trip * 2
    // What was under way already when the way changed proves nothing.
    phase = .asking(Inquiry(cause: .path, since: now, begun: now, verdict: now + patience, provesFrom: now + trip))
  }

  private static let longOutage: Duration = .seconds(20)
  /// With a handshake behind it, all is over within 2 s.
  private static let patience: Duration = .milliseconds(1_500)
  private static let shortPatience: Duration = .milliseconds(400)

  // MARK: Time passes

  mutating func advance(_ flow: Flow, at now: Instant) -> Step {
    switch phase {
    case .off, .held: return Step()
    case .resting: return check(at: now)
    case .watching(let since, let until, let mark):
      guard until <= now else { return check(at: now) }
      if flow.received == mark.received { return inquire(since: since, at: now) }
      phase = flow.sent == mark.sent ? .resting : .watching(since: now, until: now + window, flow)
      return check(at: now)
    case .asking(var inquiry):
      guard inquiry.next <= now else { return Step() }
      let step = next(of: &inquiry, at: now)
      phase = .asking(inquiry)
      return step
    }
  }

  /// `config health` with an interval: asks when nothing came in since the last time.
  private mutating func check(at now: Instant) -> Step {
    guard let due = nextCheck, due <= now else { return Step() }
    let isQuiet = received == receivedAtCheck
    scheduleCheck(at: now)
    return isQuiet ? inquire(since: lastHeard, at: now) : Step()
  }

  private mutating func scheduleCheck(at now: Instant) {
    receivedAtCheck = received
    if case .off = phase { return }
    nextCheck = health.interval.map { now + max($0, .milliseconds(100)) }
  }

  private mutating func inquire(since: Instant, at now: Instant) -> Step {
    var inquiry = Inquiry(cause: .silence, since: since, begun: now, verdict: nil, provesFrom: now)
    let step = next(of: &inquiry, at: now)
    phase = .asking(inquiry)
    return step
  }

  private func next(of inquiry: inout Inquiry, at now: Instant) -> Step {
    inquiry.next(
      echoes: isDeaf ? 0 : health.failAfter, echoIsKnown: echoIsKnown, pace: pace, at: now)
  }

  private mutating func conclude(_ inquiry: Inquiry, took: Duration) -> Proof? {
    phase = .resting
    // On another way it lives, whatever it carries.
    return inquiry.isPublic && (!isMute || inquiry.cause == .path) ? .alive(roundTrip: took) : nil
  }

  /// A gateway that never answers echoes is judged by the control channel alone.
  private var isDeaf: Bool { unanswered >= Self.deafAfter }
  private static let deafAfter = 3

  private var pace: Duration { isStream ? roundTrip.timeout * 2 : roundTrip.timeout }

  /// How long one-way traffic is nothing special.
  private var window: Duration { max(pace, isDeaf ? Self.deafWindow : Self.shortestWindow) }
  private static let shortestWindow: Duration = .milliseconds(500)
  private static let deafWindow: Duration = .seconds(2)
}
