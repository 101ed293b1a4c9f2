internal import Base

/// When to ping, and when a silent server counts as dead (protocol.md section 11.1).
///
/// The lanes only count, so the clocks here are as exact as the polls: see `pollInterval`.
struct Keepalive {
  /// A client has this much patience with UDP until the server pushes another number.
  static let defaultRestart: Duration = .seconds(120)

  /// `nil` = off.
  var ping: Duration?
  var restart: Duration?
  private(set) var lastSent: Instant
  private(set) var lastReceived: Instant
  private var sent: UInt64 = 0
  private var received: UInt64 = 0

  init(ping: Duration?, restart: Duration?, at now: Instant) {
    self.ping = ping
    self.restart = restart
    lastSent = now
    lastReceived = now
  }

  mutating func noteSent(at now: Instant) { lastSent = max(lastSent, now) }
  mutating func noteReceived(at now: Instant) { lastReceived = max(lastReceived, now) }

  /// Compares the lanes' totals with those of the last poll.
  mutating func observe(sent: UInt64, received: UInt64, at now: Instant) {
    if sent != self.sent { noteSent(at: now) }
    if received != self.received { noteReceived(at: now) }
    self.sent = sent
    self.received = received
  }

  /// What our own ping added, so that the next poll does not take it for traffic.
  mutating func forget(sent: UInt64) { self.sent = sent }

  var pingDue: Instant? { ping.flatMap { $0 > .zero ? lastSent + $0 : nil } }
  var restartDue: Instant? { restart.flatMap { $0 > .zero ? lastReceived + $0 : nil } }

  /// A quarter of the ping, an eighth of the patience: a ping leaves at most that late. Never below a second.
  var pollInterval: Duration {
    var interval = Self.slowestPoll
    if let ping, ping > .zero { interval = min(interval, ping / 4) }
    if let restart, restart > .zero { interval = min(interval, restart / 8) }
    return max(interval, .seconds(1))
  }

  /// While nothing passes the pings wake us anyway, and the first packet after a rest is told to `Liveness`.
  var quietPollInterval: Duration {
    let wake = ping.map { $0 > .zero ? $0 : Self.slowestPoll } ?? Self.slowestPoll
    return max(pollInterval, min(wake, Self.slowestPoll))
  }

  /// At a million packets a second the packet ids between `needsNewKey` and exhaustion last for 16 s.
  private static let slowestPoll: Duration = .seconds(10)
}
