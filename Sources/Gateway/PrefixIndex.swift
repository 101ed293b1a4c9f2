import Base

/// Prefixes to be asked which of them holds another: a look-up for each length that occurs, however many there are.
struct PrefixIndex {
  private var prefixes: Set<IPPrefix> = []
  private var lengths: Set<Int> = []

  mutating func insert(_ prefix: IPPrefix) {
    prefixes.insert(prefix.network)
    lengths.insert(prefix.length)
  }

  /// True when one of them is wider than `prefix` and holds it.
  func hasAround(_ prefix: IPPrefix) -> Bool {
    lengths.contains { length in
      guard length < prefix.length, let wider = IPPrefix(prefix.address, length: length) else { return false }
      return prefixes.contains(wider.network)
    }
  }
}
