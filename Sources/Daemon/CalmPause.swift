package import Base

/// How long to leave alone what changes without an event: ever longer while nothing moves, so that a router at rest is not
/// woken.
package struct CalmPause: Sendable {
  package static let shortest: Duration = .seconds(10)
  package static let longest: Duration = .seconds(80)

  private var length = shortest

  package init() {}

  /// Something moved.
  package mutating func begin(at now: Instant) -> Instant {
    length = Self.shortest
    return now + length
  }

  /// Nothing did.
  package mutating func stretch(at now: Instant) -> Instant {
    length = min(length * 2, Self.longest)
    return now + length
  }
}
