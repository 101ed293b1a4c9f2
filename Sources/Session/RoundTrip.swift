internal import Base

/// How long the server's answers take (RFC 6298).
struct RoundTrip {
  private static let shortest: Duration = .milliseconds(300)
  private static let longest: Duration = .seconds(3)
  /// What the variation may make of it. Behind a full queue answers come slowly and unevenly; a moment later it is empty,
  /// and nothing but the next question would show it.
  private static let longestByVariation: Duration = .milliseconds(800)
  private static let unknown: Duration = .seconds(1)

  private(set) var smoothed: Duration?
  private var variation: Duration = .zero
  private var isOutdated = false

  mutating func note(_ sample: Duration) {
    guard let smoothed, !isOutdated else {
      self.smoothed = sample
      variation = sample / 2
      isOutdated = false
      return
    }
    let difference = sample > smoothed ? sample - smoothed : smoothed - sample
    variation = (variation * 3 + difference) / 4
    self.smoothed = (smoothed * 7 + sample) / 8
  }

  /// The way is another: what is known is a guess until the next sample, which counts alone.
  mutating func outdate() { isOutdated = true }

  /// An answer that is not there after this long is late.
  var timeout: Duration {
    guard let smoothed else { return Self.unknown }
    let bounded = min(smoothed + variation * 4, max(Self.longestByVariation, smoothed * 3 / 2))
    return min(max(bounded, Self.shortest), Self.longest)
  }
}
