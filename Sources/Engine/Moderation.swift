package import Base

/// While packets come one by one and fast, each wakes us for itself. Then we sleep out short windows instead, and find many
/// at once: fewer walks through the kernel for the same packets, and more to merge.
///
/// A packet and its answer are no such thing, so that who asks now and then is answered at once.
package struct Moderation {
  /// Longer ones save nothing more.
  package static let window = Duration.microseconds(200)
  /// Wake-ups that follow each other this closely count.
  private static let closely = Duration.microseconds(400)
  private static let enterAfter = 4
  /// Windows in a row in which nothing came.
  private static let leaveAfter = 2

  /// The next window is to be slept out.
  package private(set) var isHot = false
  private var close = 0
  private var empty = 0
  private var last: Instant?

  package init() {}

  /// - Parameters:
  ///   - hasPackets: a turn of the loop found some; other turns count only while sleeping.
  ///   - mayPause: nobody waits for us but traffic.
  package mutating func note(hasPackets: Bool, mayPause: Bool, at now: Instant) {
    guard mayPause else { return self = Moderation() }
    if isHot {
      empty = hasPackets ? 0 : empty + 1
      if empty == Self.leaveAfter { self = Moderation() }
    } else if hasPackets {
      if let last, now - last < Self.closely { close += 1 } else { close = 0 }
      last = now
      isHot = close >= Self.enterAfter
    }
  }
}
