internal import Base
internal import Exchange
internal import IO

// Answers of the DNS that decide a policy's way: taken out of the bursts, reported, and written to the tun once their
// addresses stand. Nothing of this runs while `names.isOn` is false.

extension EngineLoop {
  /// Tells the supervisor what the held answers say. One that is behind already is not given more: the answers wait in
  /// vain then, and go on when their time is over.
  mutating func reportNames() {
    let reports = names.takeReports()
    guard !line.hasQueued else { return }
    for found in reports { report(.names(found)) }
  }

  mutating func namesApplied(_ sequence: UInt32) {
    if let packet = names.release(sequence) { write([packet]) }
  }

  mutating func releaseLateAnswers(at now: Instant) {
    guard let deadline = names.deadline, deadline <= now else { return }
    write(names.releaseLate(at: now))
  }

  /// The room for packets of the socket is free between two turns of it.
  private mutating func write(_ packets: [[UInt8]]) {
    rooms.received.reset()
    for packet in packets where rooms.received.append(copying: packet) {
      rooms.received[rooms.received.count - 1].verdict = .forward
    }
    writeReceived()
    rooms.received.reset()
  }
}
