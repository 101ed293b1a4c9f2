package import Base

/// When to put right what somebody else broke: at once, and after growing pauses when it is broken again and again.
///
/// A program that fights with us must not keep the router busy. What the kernel still has of rules and of nft keeps the LAN
/// closed meanwhile: each holds without the other.
package struct Restoration {
  /// After this long without a loss the next one is the first again.
  private static let calm: Duration = .seconds(10)
  private static let firstPause: Duration = .milliseconds(50)

  private let longestPause: Duration
  private var last: Instant?
  private var pause = Duration.zero
  package private(set) var isPending = false

  package init(longestPause: Duration) { self.longestPause = longestPause }

  /// The moment for the loss that was noticed now; `nil` when what is waited for already puts it right too.
  package mutating func moment(at now: Instant) -> Instant? {
    guard !isPending else { return nil }
    isPending = true
    if let last, now - last < Self.calm {
      pause = pause == .zero ? Self.firstPause : min(pause * 2, longestPause)
    } else {
      pause = .zero
    }
    last = now + pause
    return now + pause
  }

  /// All is looked at now.
  package mutating func end() { isPending = false }

  /// When to look again, given what was noticed now: what waits already must not wait on when the other is gone too, for
  /// then nothing keeps the LAN closed.
  package static func moment(_ noticed: Instant?, of table: Restoration, and rest: Restoration, at now: Instant)
    -> Instant?
  {
    table.isPending && rest.isPending ? now : noticed
  }
}

/// Says the same thing once a minute, and then how often it was.
package struct OncePerMinute {
  private static let interval: Duration = .seconds(60)

  private struct Told {
    var at: Instant
    var untold = 0
  }

  private var told: [String: Told] = [:]

  package init() {}

  /// - Parameter kind: what counts as the same.
  /// - Returns: what to say, `nil` when it was said lately.
  package mutating func line(_ text: String, kind: String, at now: Instant) -> String? {
    let last = told[kind]
    if let last, now - last.at < Self.interval {
      told[kind]?.untold += 1
      return nil
    }
    told[kind] = Told(at: now)
    let untold = last?.untold ?? 0
    return untold == 0 ? text : "\(text) (and \(untold) times more since it was last said)"
  }
}
