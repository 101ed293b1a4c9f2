package import Base

/// Notices an engine that lives but does nothing: it is asked for its counters every few seconds.
package struct EngineWatch: Sendable {
  package enum Verdict: Hashable, Sendable { case ask, hangs }

  package static let interval: Duration = .seconds(5)
  /// Questions in a row. More than one, for time spent asleep passes for both.
  package static let mostUnanswered = 3

  /// When to look again.
  package private(set) var due: Instant
  private var unanswered = 0

  package init(at now: Instant) { due = now + Self.interval }

  /// Anything it says is a sign of life.
  package mutating func hear() { unanswered = 0 }

  /// - Returns: what to do; `nil` while it is not time.
  package mutating func look(at now: Instant) -> Verdict? {
    guard due <= now else { return nil }
    due = now + Self.interval
    guard unanswered < Self.mostUnanswered else { return .hangs }
    unanswered += 1
    return .ask
  }
}
