package import Base

/// Notices an engine that lives but does nothing: it is asked for its counters, and anything it says is a sign of life.
///
/// Every few seconds while packets pass. One that carries nothing harms nobody by hanging, and is asked ever more rarely,
/// for each question wakes two processes of a router at rest.
package struct EngineWatch: Sendable {
  package enum Verdict: Hashable, Sendable { case ask, hangs }

  package static let interval: Duration = .seconds(5)
  package static let longestInterval: Duration = .seconds(80)
  /// Questions in a row. More than one, for time spent asleep passes for both.
  package static let mostUnanswered = 3

  /// When to look again.
  package private(set) var due: Instant
  private var unanswered = 0
  private var interval = EngineWatch.interval
  private var askedAt: Instant?
  private var carried: UInt64 = 0

  package init(at now: Instant) { due = now + Self.interval }

  /// It says something of its own accord: something goes on.
  package mutating func hear(at now: Instant) {
    unanswered = 0
    interval = Self.interval
    due = min(due, now + interval)
  }

  /// It answers.
  ///
  /// - Parameter carried: packets of its tun so far, both ways.
  package mutating func hear(carried: UInt64) {
    unanswered = 0
    guard let askedAt else { return }
    self.askedAt = nil
    interval = carried == self.carried ? min(interval * 2, Self.longestInterval) : Self.interval
    self.carried = carried
    due = askedAt + interval
  }

  /// Somebody else's question was not answered: its own follow as fast as they can.
  package mutating func miss(at now: Instant) { due = min(due, now + Self.interval) }

  /// - Returns: what to do; `nil` while it is not time.
  package mutating func look(at now: Instant) -> Verdict? {
    guard due <= now else { return nil }
    due = now + Self.interval
    guard unanswered < Self.mostUnanswered else { return .hangs }
    unanswered += 1
    askedAt = now
    return .ask
  }
}
