import Base
import Profile

/// Sections that are checked whole already and acted on later: health.
enum LaterSections {
  static func health(_ reader: inout SectionReader, references: inout [Assembly.Reference]) -> HealthSettings? {
    reader.checkKeys()
    guard let written = reader.section.name, let tunnel = TunnelName(written) else {
      reader.fail(reader.section.nameLocation, "a `health` section bears the name of its tunnel")
      return nil
    }
    var health = HealthSettings(tunnel: tunnel, location: reader.section.location)
    references.append(Assembly.Reference(tunnel: tunnel, location: reader.section.nameLocation))
    health.probe = reader.value("probe") { IPAddress($0) }
    if let interval = reader.value("interval", DurationText.parse) { health.interval = interval }
    if let count = reader.number("fail_after") { health.failAfter = count }
    return health
  }
}

/// `10s`, `5m`, `1h`, `500ms`; a bare number is seconds.
package enum DurationText {
  private static let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
  /// A day: longer is a slip of the unit.
  private static let longest: Int64 = 86_400_000

  package static func parse(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard let count = Int64(digits), let scale = unit.isEmpty ? 1_000 : units.first(where: { $0.0 == unit })?.1
    else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: scale)
    guard !overflow, (1...longest).contains(milliseconds) else { return nil }
    return .milliseconds(milliseconds)
  }
}
