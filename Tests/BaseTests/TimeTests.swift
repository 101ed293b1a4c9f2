import Base
import Testing

@Suite struct TimeTests {
  @Test("instants add, subtract and clamp") func instants() {
    let start = Instant(nanoseconds: 1_000_000_000)
    #expect(start + .seconds(2) - start == .seconds(2))
    #expect(start - .seconds(5) == Instant(nanoseconds: 0))
    #expect(start + .seconds(-5) == Instant(nanoseconds: 0))
    #expect(start - Instant(nanoseconds: 3_000_000_000) == .seconds(-2))
    #expect(Instant(nanoseconds: .max) + .seconds(1) == Instant(nanoseconds: .max))
  }

  @Test(
    "wall time prints RFC 3339",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_767_225_599, "2025-12-31T23:59:59Z"), (4_102_444_800, "2100-01-01T00:00:00Z"),
    ] as [(Int64, String)])
  func wallTime(seconds: Int64, text: String) { #expect(WallTime(seconds: seconds).rfc3339 == text) }
}
