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

  /// The room for packets of the tun is free between two turns of it.
  private mutating func write(_ packets: [[UInt8]]) {
    rooms.packets.reset()
    for packet in packets where rooms.packets.append(copying: packet) {
      rooms.packets[rooms.packets.count - 1].verdict = .forward
    }
    if let flushed = tun?.flush(rooms.packets) { noteTun(flushed) }
    rooms.packets.reset()
  }
}
