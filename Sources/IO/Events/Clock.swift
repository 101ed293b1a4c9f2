package import Base
internal import CLinux

/// The only door to the clocks.
package enum Clock {
  /// CLOCK_BOOTTIME: goes on during suspend, never steps.
  package static var now: Instant { Instant(nanoseconds: adit_boot_nanoseconds()) }
  /// CLOCK_MONOTONIC in microseconds, by which systemd orders what it is told.
  package static var monotonicMicroseconds: UInt64 { adit_monotonic_microseconds() }
  /// CLOCK_REALTIME: what the router believes, right or wrong.
  package static var wallTime: WallTime { WallTime(seconds: adit_wall_seconds()) }
}
