package import Base

/// How many marked sockets an engine gets: enough for attempts in a row, not enough to use up root's descriptors.
package struct SocketBudget: Sendable {
  /// A dozen attempts with all their lookups.
  package static let most = 128
  /// One more each time; attempts that fail come no faster.
  package static let pace: Duration = .milliseconds(50)

  private var left = SocketBudget.most
  private var since: Instant

  package init(at now: Instant) { since = now }

  /// - Returns: how many of the wanted may be made now.
  package mutating func take(_ wanted: Int, at now: Instant) -> Int {
    let fresh = (now - since).wholeNanoseconds / Self.pace.wholeNanoseconds
    if fresh > 0 {
      left = Int(min(Int64(left) + min(fresh, Int64(Self.most)), Int64(Self.most)))
      since = now
    }
    let given = min(max(wanted, 0), left)
    left -= given
    return given
  }
}
