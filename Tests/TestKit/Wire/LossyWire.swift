import Base
import Crypto

/// A wire that loses, repeats, reorders and corrupts, the same way for the same seed.
package struct LossyWire {
  package enum End: Hashable, Sendable { case client, server }

  /// Shares of a thousand.
  package var loss = 0
  package var repetition = 0
  package var corruption = 0
  /// Each packet waits between these.
  package var delay: ClosedRange<Int> = 5...5
  /// Nothing gets through while true.
  package var isCut = false
  /// Nothing gets through to this end.
  package var cutTowards: End?
  package private(set) var carried = 0

  private var random: RandomSource
  private var underway: [(to: End, at: Instant, order: Int, bytes: [UInt8], address: Int)] = []
  private var count = 0

  package init(seed: UInt64) { random = .seeded(seed) }

  /// Milliseconds of delay; 5...5 keeps the order.
  ///
  /// - Parameter address: the client's, which the packet comes from or goes to.
  package mutating func send(_ bytes: [UInt8], to end: End, address: Int = 0, at now: Instant) {
    guard !isCut, cutTowards != end, Int.random(in: 0..<1000, using: &random) >= loss else { return }
    let copies = Int.random(in: 0..<1000, using: &random) < repetition ? 2 : 1
    for _ in 0..<copies {
      var copy = bytes
      if !copy.isEmpty, Int.random(in: 0..<1000, using: &random) < corruption {
        copy[Int.random(in: 0..<copy.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      let wait = Int.random(in: delay, using: &random)
      underway.append((end, now + .milliseconds(wait), count, copy, address))
      count += 1
    }
  }

  package var nextDelivery: Instant? { underway.map(\.at).min() }

  package mutating func deliveries(at now: Instant) -> [(to: End, bytes: [UInt8], address: Int)] {
    let due = underway.filter { $0.at <= now }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
    underway.removeAll { $0.at <= now }
    carried += due.count
    return due.map { ($0.to, $0.bytes, $0.address) }
  }

  /// Forgets what is under way.
  package mutating func clear() { underway = [] }
}
