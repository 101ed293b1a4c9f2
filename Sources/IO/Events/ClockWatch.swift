internal import CLinux

/// Hears when somebody sets the wall clock, and when the machine wakes up from a suspend.
package struct ClockWatch: ~Copyable {
  private let timer: FileDescriptor

  package init() throws(SystemFailure) {
    timer = FileDescriptor(owning: try SystemCall.check(adit_clock_watch_create(), "timerfd_create"))
  }

  package var descriptor: Int32 { timer.raw }

  /// Takes the news, so that the descriptor is not readable any more.
  package func acknowledge() {
    var expirations: UInt64 = 0
    _ = unsafe adit_read(timer.raw, &expirations, 8)
  }
}
