/// A point on CLOCK_BOOTTIME: suspend counts, clock steps do not.
///
/// Pure rooms never read a clock; every input carries `at now: Instant`.
package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since boot.
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  // What is derived is generic code when it is called from another room; every turn of a loop asks.
  package static func == (left: Instant, right: Instant) -> Bool { left.nanoseconds == right.nanoseconds }
  package static func <= (left: Instant, right: Instant) -> Bool { left.nanoseconds <= right.nanoseconds }
  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Clamped at both ends: a time before boot is boot.
  package static func + (left: Instant, right: Duration) -> Instant {
    let step = right.wholeNanoseconds
    return step >= 0 ? left.later(by: step.magnitude) : left.earlier(by: step.magnitude)
  }

  package static func - (left: Instant, right: Duration) -> Instant {
    let step = right.wholeNanoseconds
    return step >= 0 ? left.earlier(by: step.magnitude) : left.later(by: step.magnitude)
  }

  package static func - (left: Instant, right: Instant) -> Duration {
    left.nanoseconds >= right.nanoseconds
      ? .nanoseconds(Int64(clamping: left.nanoseconds - right.nanoseconds))
      : .zero - .nanoseconds(Int64(clamping: right.nanoseconds - left.nanoseconds))
  }

  package static func += (left: inout Instant, right: Duration) { left = left + right }

  private func later(by step: UInt64) -> Instant { Instant(nanoseconds: nanoseconds.addingSaturated(step)) }

  private func earlier(by step: UInt64) -> Instant {
    Instant(nanoseconds: nanoseconds > step ? nanoseconds - step : 0)
  }
}

extension Duration {
  /// The span in nanoseconds, clamped to 292 years.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }
}

extension FixedWidthInteger {
  fileprivate func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
