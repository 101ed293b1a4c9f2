/// The packet id of tls-auth and tls-crypt: 8 bytes, counter first (protocol.md section 3.1).
package struct LongPacketID: Hashable, Sendable {
  package static let size = 8

  package var counter: UInt32
  /// The sender's clock at its first packet; it names the run of counters, nothing more.
  package var time: UInt32

  package init(counter: UInt32, time: UInt32) {
    self.counter = counter
    self.time = time
  }
}

/// The replay window over long packet ids: a newer time opens a new window, an older one is a replay.
package struct TimedReplayWindow: ~Copyable {
  private var window: ReplayWindow
  private var time: UInt32?

  package init(size: Int) { window = ReplayWindow(size: size) }

  package func wouldAccept(_ id: LongPacketID) -> Bool {
    guard let time, id.time <= time else { return window.size > 0 ? id.counter != 0 : id.counter == 1 }
    return id.time == time && window.wouldAccept(UInt64(id.counter))
  }

  /// Takes an id, only after its packet authenticated.
  ///
  /// - Returns: false, changing nothing, for a replay.
  package mutating func accept(_ id: LongPacketID) -> Bool {
    guard wouldAccept(id) else { return false }
    if time != id.time {
      window.reset()
      time = id.time
    }
    return window.accept(UInt64(id.counter))
  }
}
