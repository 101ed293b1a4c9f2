package import Base

/// How much an engine gets of something: a supply that runs low when it takes too much, and comes back with time.
package struct Budget: Sendable {
  package let most: Int
  private let pace: Duration
  private var left: Int
  private var since: Instant

  /// - Parameter pace: one more each time.
  private init(most: Int, pace: Duration, at now: Instant) {
    self.most = most
    self.pace = pace
    left = most
    since = now
  }

  /// Marked sockets: enough for a dozen attempts in a row with all their lookups, not enough to use up root's descriptors.
  /// Attempts that fail come no faster.
  package static func sockets(at now: Instant) -> Budget { Budget(most: 128, pace: .milliseconds(50), at: now) }

  /// Addresses of watched names: the pages of a household, not the memory of the kernel.
  package static func names(at now: Instant) -> Budget { Budget(most: 1024, pace: .milliseconds(20), at: now) }

  /// Findings of the MTU, each of which loads the firewall anew: a search has two or three.
  package static func sizes(at now: Instant) -> Budget { Budget(most: 8, pace: .seconds(20), at: now) }

  /// - Returns: how many of the wanted may be had now.
  package mutating func take(_ wanted: Int, at now: Instant) -> Int {
    let fresh = (now - since).wholeNanoseconds / pace.wholeNanoseconds
    if fresh > 0 {
      left = Int(min(Int64(left) + min(fresh, Int64(most)), Int64(most)))
      since = now
    }
    let given = min(max(wanted, 0), left)
    left -= given
    return given
  }
}
