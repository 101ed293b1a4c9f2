package import Base
package import Profile

/// How long to wait before the next attempt. Attempts after an event are immediate; this is for those after a failure.
///
/// Each kind of failure climbs its own ladder: a wrong password is no reason to be slow when the line was bad, and a bad
/// line no reason to try a password more often.
package struct Backoff: Hashable, Sendable {
  /// While nothing answers at all: one UDP packet costs nothing, and a modem with a dead ISP gives no event.
  package static let silentCap: Duration = .seconds(5)
  /// After an answer that refuses.
  package static let refusedCap: Duration = .seconds(60)
  /// No loop is tighter, whatever the jitter says.
  package static let floor: Duration = .milliseconds(250)
  /// A refused login may lock the account: 1, 5, 15 minutes, then hourly.
  package static let loginLadder: [Duration] = [.seconds(60), .seconds(300), .seconds(900), .seconds(3600)]
  /// No server may send us away for longer.
  package static let longestWish: Duration = .seconds(3600)
  /// The server told us to stay away.
  package static let haltPause: Duration = .seconds(300)
  /// `connect-retry-max` rounds went by: a gateway cools down instead of giving up (cases R-25).
  package static let coolDown: Duration = .seconds(60)

  /// Rounds over all remotes since the last success in which nobody answered.
  package private(set) var silentRounds = 0
  /// The same, ended by an answer.
  package private(set) var refusedRounds = 0
  package private(set) var loginFailures = 0

  package init() {}

  package var rounds: Int { silentRounds + refusedRounds }

  /// Full jitter: anything from nothing to a doubling span, so that a thousand houses do not come back at once.
  ///
  /// - Parameter spent: what the last attempt took already; a wait for an answer is a wait.
  package mutating func afterRound(
    _ profile: Profile, blame: Fault.Blame, spent: Duration = .zero, random: UInt64
  ) -> Duration {
    let isSilent = blame == .network
    let climbed = isSilent ? silentRounds : refusedRounds
    if isSilent { silentRounds += 1 } else { refusedRounds += 1 }
    if let limit = profile.connectRetryLimit, rounds >= limit {
      silentRounds = 0
      refusedRounds = 0
      return Self.coolDown
    }
    let base = profile.connectRetry.wholeNanoseconds
    let cap = min(isSilent ? Self.silentCap : Self.refusedCap, profile.connectRetryMaximum).wholeNanoseconds
    // A profile that asks for a slower pace than ours gets it.
    let span = max(base, min(base.multipliedSaturated(by: 1 << Int64(min(climbed, 10))), cap))
    return max(Self.floor, .nanoseconds(Int64(random % UInt64(max(span, 1)))) - max(spent, .zero))
  }

  package mutating func afterLoginFailure() -> Duration {
    defer { loginFailures += 1 }
    return Self.loginLadder[min(loginFailures, Self.loginLadder.count - 1)]
  }

  /// A login went well.
  package mutating func forgiveLogin() { loginFailures = 0 }

  /// Another way, another try: what was silent may answer by it.
  package mutating func forgiveSilence() { silentRounds = 0 }

  /// The session stood long enough.
  package mutating func forgiveRounds() {
    silentRounds = 0
    refusedRounds = 0
  }

  package mutating func reset() { self = Backoff() }
}

/// The most that attempts may come one after the other, whatever they are for: a flood of events, remotes that refuse at
/// once, an engine that has gone mad. A few are free.
struct Pace: Hashable, Sendable {
  static let burst = 12
  static let interval: Duration = .milliseconds(200)

  /// When all that was taken is paid for.
  private var paid = Instant(nanoseconds: 0)

  /// - Returns: how long to wait first; `nil` = go, it is counted.
  mutating func take(at now: Instant) -> Duration? {
    let begin = max(paid, now)
    let debt = begin - now - Self.interval * (Self.burst - 1)
    guard debt <= .zero else { return debt }
    paid = begin + Self.interval
    return nil
  }
}

extension Int64 {
  fileprivate func multipliedSaturated(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
