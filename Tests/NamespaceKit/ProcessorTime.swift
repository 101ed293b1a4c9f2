import Glibc

/// What the calling thread used of the processor, in the kernel too: other work on the machine adds nothing to it.
package enum ProcessorTime {
  package static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let begin = used
    try body()
    return used - begin
  }

  private static var used: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
