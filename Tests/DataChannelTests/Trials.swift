import Glibc

/// The trials of a seeded property test: 20,000 in release, few enough for seconds where nothing is optimised, and what
/// `scripts/fuzz` asks for.
///
/// Each has a seed of its own; a test that fails names it, and with ADIT_FUZZ_ONLY=SEED runs that trial alone.
struct Trials: Sequence, IteratorProtocol {
  private var left: Int
  private var seeds: SeededGenerator
  private let alone: UInt64?
  private let end: ContinuousClock.Instant?

  /// - Parameter debug: how many where nothing is optimised.
  init(seed: UInt64, debug: Int) {
    let only = Self.environment("ADIT_FUZZ_ONLY")
    #if DEBUG
      let usual = debug
    #else
      let usual = 20_000
    #endif
    alone = only
    left = only == nil ? Int(Self.environment("ADIT_FUZZ_COUNT") ?? UInt64(usual)) : 1
    seeds = SeededGenerator(seed: seed ^ (Self.environment("ADIT_FUZZ_SEED") ?? 0))
    end = Self.environment("ADIT_FUZZ_SECONDS").map { .now + .seconds($0) }
  }

  mutating func next() -> UInt64? {
    guard left > 0 else { return nil }
    left -= 1
    if let alone { return alone }
    if left % 256 == 0, let end, .now > end { return nil }
    return seeds.next()
  }

  private static func environment(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}
