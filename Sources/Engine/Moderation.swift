package import Base

/// While packets come one by one and fast, each wakes us for itself. Then we sleep out short windows instead, and find many
/// at once: fewer walks through the kernel for the same packets, and more to merge.
///
/// A packet and its answer are no such thing, so that who asks now and then is answered at once. Nor are a few packets in each
/// window: sleeping and waking would cost more than it saves.
package struct Moderation {
  /// Longer ones save nothing more.
  package static let window = Duration.microseconds(200)
  /// Wake-ups that follow each other this closely count.
  private static let closely = Duration.microseconds(400)
  private static let enterAfter = 4
  /// Windows in a row in which nothing came.
  private static let leaveAfter = 2
  /// Packets that a window must bring to be worth it, and how many in a row may bring less; then no other is tried for a while.
  private static let worthwhile: UInt64 = 4
  private static let mostThin = 8
  private static let rest = Duration.milliseconds(100)

  /// The next window is to be slept out.
  package private(set) var isHot = false
  private var close = 0
  private var empty = 0
  private var thin = 0
  private var last: Instant?
  private var restsUntil: Instant?

  package init() {}

  /// - Parameters:
  ///   - packets: how many a turn of the loop moved; turns without any count only while sleeping.
  ///   - mayPause: nobody waits for us but traffic.
  package mutating func note(packets: UInt64, mayPause: Bool, at now: Instant) {
    guard mayPause else { return self = Moderation() }
    if isHot {
      empty = packets > 0 ? 0 : empty + 1
      thin = packets >= Self.worthwhile ? 0 : thin + 1
      guard empty == Self.leaveAfter || thin == Self.mostThin else { return }
      let until = thin == Self.mostThin ? now + Self.rest : nil
      self = Moderation()
      restsUntil = until
    } else if packets > 0 {
      if let last, now - last < Self.closely { close += 1 } else { close = 0 }
      last = now
      guard close >= Self.enterAfter else { return }
      if let restsUntil, now < restsUntil { return }
      isHot = true
    }
  }
}
