package import Base
internal import CLinux

/// A timer that a `Poller` can wait for: one absolute moment on the boot clock.
package struct TimerDescriptor: ~Copyable {
  private let timer: FileDescriptor
  /// What it is set to, so that setting the same again costs nothing.
  private var moment: Instant?

  package init() throws(SystemFailure) {
    timer = FileDescriptor(owning: try SystemCall.check(adit_timer_create(), "timerfd_create"))
  }

  package var descriptor: Int32 { timer.raw }

  /// - Parameter moment: may lie in the past, which is now; `nil` = off.
  package mutating func set(_ moment: Instant?) throws(SystemFailure) {
    guard moment != self.moment else { return }
    // Zero would mean off to the kernel.
    try SystemCall.done(adit_timer_set(timer.raw, moment.map { max($0.nanoseconds, 1) } ?? 0), "timerfd_settime")
    self.moment = moment
  }

  /// Takes the expiry, so that the descriptor is not readable any more. The timer is off afterwards.
  package mutating func acknowledge() {
    var expirations: UInt64 = 0
    _ = unsafe adit_read(timer.raw, &expirations, 8)
    moment = nil
  }
}
