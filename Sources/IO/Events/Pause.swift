internal import Base
internal import CLinux

/// Sleeps of a few microseconds, for who would otherwise be woken all the time.
package enum Pause {
  /// Lets the kernel be late by a microsecond only, not the usual 50 (PR_SET_TIMERSLACK); of this thread.
  package static func sharpen() { _ = adit_timer_slack(1000) }

  /// A signal ends it early.
  package static func sleep(_ span: Duration) { adit_pause(UInt64(max(span.wholeNanoseconds, 0))) }
}
