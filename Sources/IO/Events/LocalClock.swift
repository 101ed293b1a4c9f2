package import Base
internal import Glibc

/// Times as the household's clock shows them.
package enum LocalClock {
  /// `12:40`; with the date when it is another day.
  package static func text(_ time: WallTime, now: WallTime) -> String {
    guard let then = Parts(time), let today = Parts(now) else { return time.rfc3339 }
    return then.date == today.date ? then.clock : "\(then.date) \(then.clock)"
  }

  private struct Parts {
    var date: String
    var clock: String

    init?(_ time: WallTime) {
      var seconds = time_t(time.seconds)
      var parts = unsafe tm()
      guard unsafe localtime_r(&seconds, &parts) != nil else { return nil }
      date = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      clock = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
