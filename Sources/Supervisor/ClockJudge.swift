package import Base

/// Tells a wall clock that was never set, and one that is set, from the dates that cannot lie ahead of it.
///
/// A router without a battery begins in 1970 or at its last shutdown. Timers do not care: all spans are taken on the clock
/// of the boot.
package struct ClockJudge: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// From unset to set.
    case set
    /// Back to before what is certain.
    case unset
    /// By whole seconds, while it was set before and is set now.
    case stepped(Int64)
  }

  /// A file unpacked from a file system that keeps local time lies ahead by a time zone.
  private static let fileSlack: Int64 = 86_400
  /// Later than the program by more than this is no date but a mistake.
  private static let mostAhead: Int64 = 10 * 365 * 86_400
  /// Whole seconds are compared, and NTP slews by half a millisecond a second.
  private static let smallestStep: Int64 = 3

  /// The earliest time that it can be now; certificates are judged at it while the clock is unset.
  package private(set) var floor: WallTime
  package private(set) var isUnset: Bool
  /// The wall clock less the clock of the boot, at the last look.
  private var offset: Int64

  /// - Parameters:
  ///   - built: when this program was made.
  ///   - files: when files were written that exist before it starts.
  package init(built: WallTime, files: [WallTime] = [], wall: WallTime, at now: Instant) {
    floor = Self.floor(built, files)
    isUnset = wall < floor
    offset = Self.offset(wall, now)
  }

  private static func floor(_ built: WallTime, _ files: [WallTime]) -> WallTime {
    let credible = files.filter { $0 > built && $0.seconds <= built.seconds + mostAhead }
    return credible.map { WallTime(seconds: $0.seconds - fileSlack) }.reduce(built, max)
  }

  /// Other files count from now on; the next look tells what follows from it.
  package mutating func setFloor(built: WallTime, files: [WallTime]) { floor = Self.floor(built, files) }

  /// What certificates are judged at.
  package func certificateTime(_ wall: WallTime) -> WallTime { max(wall, floor) }

  /// - Returns: `nil` while the clock only goes on.
  package mutating func look(_ wall: WallTime, at now: Instant) -> Change? {
    let wasUnset = isUnset
    let step = Self.offset(wall, now) - offset
    isUnset = wall < floor
    offset += step
    if isUnset != wasUnset { return isUnset ? .unset : .set }
    return step.magnitude >= Self.smallestStep && !isUnset ? .stepped(step) : nil
  }

  private static func offset(_ wall: WallTime, _ now: Instant) -> Int64 {
    wall.seconds - Int64(clamping: now.nanoseconds / 1_000_000_000)
  }
}

/// Tells from two clocks that the machine slept: CLOCK_BOOTTIME goes on during a suspend, CLOCK_MONOTONIC stands.
package struct SleepJudge: Hashable, Sendable {
  /// Reading one clock after the other takes time on a busy machine; a NAT forgets nobody in less.
  private static let shortest: Duration = .seconds(2)

  private var ahead: Duration?

  package init() {}

  /// - Parameter monotonicMicroseconds: of the same moment.
  /// - Returns: how long it slept since the last look; `nil` = it did not.
  package mutating func look(_ now: Instant, monotonicMicroseconds: UInt64) -> Duration? {
    let current = now - Instant(nanoseconds: monotonicMicroseconds.multipliedReportingOverflow(by: 1_000).partialValue)
    let slept = ahead.map { current - $0 } ?? .zero
    guard ahead == nil || slept >= Self.shortest else { return nil }
    ahead = current
    return slept >= Self.shortest ? slept : nil
  }
}
