package import Base

/// While packets come one by one and fast, each wakes us for itself, and each we hand on wakes its reader. Then we sleep out
/// short windows instead, and find many at once: fewer walks through the kernel for the same packets, and more to merge.
///
/// A packet and its answer are no such thing, so that who asks now and then is answered at once; hence what the tun has for us
/// never starts it: most of that lies there merged already. Nor are a few packets in each window: sleeping and waking would cost
/// more than it saves. Traffic that comes in bursts is met by windows as long as the burst lasts, and again as soon as the
/// next begins.
package struct Moderation {
  /// The next window is to be slept out.
  package private(set) var isHot = false
  /// How long.
  package private(set) var window = Moderation.shortest

  private static let shortest = Duration.microseconds(400)
  private static let longest = Duration.microseconds(1000)
  private static let step = Duration.microseconds(100)
  /// Windows that bring less than a super-packet, so many in a row, become longer: a steady flow is met less often. A burst is
  /// over before, and between two bursts nobody shall wait long.
  private static let few: UInt64 = 40
  private static let mostFew = 6
  /// Those that bring more become shorter.
  private static let many: UInt64 = 80
  /// Whoever stays away longer comes in bursts.
  private static let gap = Duration.milliseconds(2)

  /// Wake-ups that follow each other this closely count.
  private static let closely = Duration.microseconds(400)
  private static let enterAfter = 4
  /// The same, when a window was worth it not long ago. The first is always served at once: it may be somebody's answer.
  private static let enterAgainAfter = 1
  /// Packets that a window must bring to be worth it, and how many in a row may bring less; then no other is tried for a while.
  private static let worthwhile: UInt64 = 4
  private static let mostThin = 8
  /// How long windows are remembered, those that were worth it and those that were not.
  private static let memory = Duration.milliseconds(100)

  private var close = 0
  private var thin = 0
  /// What the best window brought since they began.
  private var best: UInt64 = 0
  /// Windows in a row that brought few.
  private var slack = 0
  private var last: Instant?
  private var left: Instant?
  private var paid: Instant?
  private var disappointed: Instant?

  package init() {}

  /// - Parameters:
  ///   - packets: how many a turn of the loop moved, either way.
  ///   - received: how many of them came from the network; turns without any count only while sleeping.
  ///   - mayPause: nobody waits for us but traffic.
  package mutating func note(packets: UInt64, received: UInt64, mayPause: Bool, at now: Instant) {
    guard mayPause else { return self = Moderation() }
    if isHot {
      judge(packets, at: now)
    } else if received > 0 {
      if let last, now - last < Self.closely { close += 1 } else { close = 0 }
      last = now
      guard close >= (isRecent(paid, now) ? Self.enterAgainAfter : Self.enterAfter), !isRecent(disappointed, now)
      else { return }
      isHot = true
      best = 0
      guard let left, now - left > Self.gap else { return }
      slack = 0
      window = Self.shortest
    }
  }

  /// What a window brought.
  private mutating func judge(_ packets: UInt64, at now: Instant) {
    if packets >= Self.worthwhile {
      paid = now
      thin = 0
      fit(packets)
      best = max(best, packets)
      // Another window would keep those waiting who have nothing to do with the burst. If it was not over yet, its next packet
      // begins them again.
      if isOver(packets) { leave(at: now, last: now) }
    } else {
      thin += 1
      if thin == Self.mostThin {
        self = Moderation()
        disappointed = now
      } else if packets == 0 {
        leave(at: now, last: nil)
      }
    }
  }

  /// A burst ends with a window that brings few, and clearly less than the best did; a steady flow only wavers.
  private func isOver(_ packets: UInt64) -> Bool {
    slack > 0 && slack < Self.mostFew && packets * 4 < best * 3
  }

  private mutating func leave(at now: Instant, last: Instant?) {
    isHot = false
    close = 0
    thin = 0
    self.last = last
    left = now
  }

  private mutating func fit(_ packets: UInt64) {
    slack = packets < Self.few ? slack + 1 : 0
    if slack >= Self.mostFew { window = min(window + Self.step, Self.longest) }
    if packets > Self.many { window = max(window - Self.step, Self.shortest) }
  }

  private func isRecent(_ moment: Instant?, _ now: Instant) -> Bool {
    guard let moment else { return false }
    return now - moment < Self.memory
  }
}
