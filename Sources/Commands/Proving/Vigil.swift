import Base
import IO

/// Waits for packets, for a while, or for a condition; a signal ends every wait, so that what was done can be undone.
final class Vigil {
  private static let signalToken: UInt64 = .max
  /// Between two looks at what tells no change by itself.
  private static let look: Duration = .milliseconds(50)

  /// From one tap, so that a busy uplink does not hide the others.
  private static let packetsAtOnce = 256

  private var poller: Poller
  private let signals: SignalSource
  private var taps: [PacketTap] = []
  /// While what was done is undone a second signal must not stop it half-way.
  var heedsSignals = true

  init() throws(SystemFailure) {
    poller = try Poller()
    signals = try SignalSource([.interrupt, .terminate, .hangUp])
    try poller.add(signals.descriptor, for: .readable, token: Self.signalToken)
  }

  func listen(to tap: PacketTap) throws(SystemFailure) {
    try poller.add(tap.descriptor, for: .readable, token: UInt64(taps.count))
    taps.append(tap)
  }

  func forgetTaps() {
    for tap in taps { poller.remove(tap.descriptor) }
    taps = []
  }

  /// Gives every packet to `body` with its tap, until then.
  func hear(until deadline: Instant, _ body: (PacketTap, PacketTap.Heard) -> Void) throws(ProveFailure) {
    while Clock.now < deadline {
      do throws(SystemFailure) {
        let count = try poller.wait(until: deadline)
        for position in 0..<count where poller[position].token != Self.signalToken {
          let tap = taps[Int(poller[position].token)]
          var most = Self.packetsAtOnce
          while most > 0, let heard = tap.next() {
            body(tap, heard)
            most -= 1
          }
        }
      } catch {
        throw .unavailable(error.description)
      }
      try heedSignals()
    }
  }

  /// - Returns: false when it did not come true in time.
  func wait(for limit: Duration, until condition: () throws(ProveFailure) -> Bool) throws(ProveFailure) -> Bool {
    let deadline = Clock.now + limit
    while try !condition() {
      guard Clock.now < deadline else { return false }
      try hear(until: Clock.now + Self.look) { _, _ in }
    }
    return true
  }

  private func heedSignals() throws(ProveFailure) {
    while signals.next() != nil {
      if heedsSignals { throw .unavailable("interrupted; everything is as it was") }
    }
  }
}
