package import Base

/// How long to wait before the next attempt. Attempts after an event are immediate; this is for those after a failure.
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

  /// Rounds over all remotes since the last success.
  package private(set) var rounds = 0
  package private(set) var loginFailures = 0

  package init() {}

  /// Full jitter: anything from nothing to a doubling span, so that a thousand houses do not come back at once.
  package mutating func afterRound(base: Duration, blame: Fault.Blame, random: UInt64) -> Duration {
    let cap = blame == .network ? Self.silentCap : Self.refusedCap
    let span = min(base.wholeNanoseconds.multipliedSaturated(by: 1 << Int64(min(rounds, 10))), cap.wholeNanoseconds)
    rounds += 1
    return max(Self.floor, .nanoseconds(Int64(random % UInt64(max(span, 1)))))
  }

  package mutating func afterLoginFailure() -> Duration {
    defer { loginFailures += 1 }
    return Self.loginLadder[min(loginFailures, Self.loginLadder.count - 1)]
  }

  /// A login went well.
  package mutating func forgiveLogin() { loginFailures = 0 }

  package mutating func reset() { self = Backoff() }
}

extension Int64 {
  fileprivate func multipliedSaturated(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
