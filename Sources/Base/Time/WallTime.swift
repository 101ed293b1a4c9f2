/// Seconds since 1970 as the router's clock tells it; it may be wrong by fifty years just after boot.
package struct WallTime: Hashable, Comparable, Sendable {
  package var seconds: Int64

  package init(seconds: Int64) { self.seconds = seconds }

  package static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }

  package static func + (left: WallTime, right: Duration) -> WallTime {
    WallTime(seconds: left.seconds + right.components.seconds)
  }

  /// RFC 3339 in UTC, as `status --json` prints it: `2026-01-01T00:00:00Z`.
  package var rfc3339: String {
    let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let day = rest < 0 ? days - 1 : days
    let second = rest < 0 ? rest + 86_400 : rest
    // Days to civil date with eras of 400 years that begin on 1 March (Howard Hinnant's derivation).
    let z = day + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = "\(year.padded(to: 4))-\(month.padded(to: 2))-\((dayOfYear - (153 * shifted + 2) / 5 + 1).padded(to: 2))"
    let hour = (second / 3_600).padded(to: 2)
    return "\(date)T\(hour):\((second / 60 % 60).padded(to: 2)):\((second % 60).padded(to: 2))Z"
  }
}

extension Int64 {
  fileprivate func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
