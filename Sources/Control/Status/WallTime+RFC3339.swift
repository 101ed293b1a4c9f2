package import Base

extension WallTime {
  /// `2026-01-01T00:00:00Z`, exactly as `rfc3339` writes it.
  package init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    let frame: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")]
    guard bytes.count == 20, frame.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }) else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      bytes[range].reduce(0) { sum, byte in
        guard let sum, (48...57).contains(byte) else { return nil }
        return sum * 10 + Int64(byte - 48)
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month), (1...31).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    // Civil date to days, with years that begin on 1 March: the inverse of `rfc3339`.
    let shifted = month <= 2 ? year - 1 : year
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = shifted / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    self.init(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second)
  }
}
