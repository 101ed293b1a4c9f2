package import Base
internal import DataChannel
internal import Exchange
internal import Profile

/// Saying goodbye (protocol.md section 11.8).
struct Goodbye {
  /// A reliable `EXIT` gets this long to be acknowledged; the in-channel form is repeated at this pace.
  static let pace: Duration = .seconds(1)

  /// The next repetition, or the end of waiting.
  var next: Instant
  /// Repetitions to come.
  var remaining: Int
  /// `EXIT` over TLS rather than OCC packets.
  var isReliable: Bool
}

extension Session {
  /// Ends the session on our wish, with notices to the server where the options ask for them.
  package mutating func stop(at now: Instant, into outbox: inout Outbox) {
    guard stage != .over, stage != .leaving else { return }
    outbox.notes.append(Note(.sessionEnding))
    guard notices > 0 else { return finish(EndReport(fault: nil), into: &outbox) }
    let isReliable = pushed?.controlChannelExit == true
    sayGoodbye(reliable: isReliable, at: now, into: &outbox)
    goodbye = Goodbye(next: now + Goodbye.pace, remaining: isReliable ? 0 : notices - 1, isReliable: isReliable)
    stage = .leaving
    flush(at: now, into: &outbox)
  }

  /// How many notices; none on TCP, whose end the server sees, and none before there is a session to leave.
  private var notices: Int {
    guard isUDP, stage == .applying || stage == .up else { return 0 }
    return min(max(pushed?.explicitExitNotify ?? setup.remote.explicitExitNotify, 0), 10)
  }

  private mutating func sayGoodbye(reliable: Bool, at now: Instant, into outbox: inout Outbox) {
    if reliable {
      if primary?.phase == .active { _ = primary?.write(text: "EXIT") } else { _ = lameDuck?.write(text: "EXIT") }
    } else {
      send(message: DataMessage.exit, into: &outbox)
    }
  }

  mutating func repeatGoodbye(at now: Instant, into outbox: inout Outbox) {
    guard var goodbye, goodbye.remaining > 0 else { return finish(EndReport(fault: nil), into: &outbox) }
    sayGoodbye(reliable: goodbye.isReliable, at: now, into: &outbox)
    goodbye.remaining -= 1
    goodbye.next = now + Goodbye.pace
    self.goodbye = goodbye
  }

  /// True when the server acknowledged our `EXIT`.
  var goodbyeIsHeard: Bool {
    guard goodbye?.isReliable == true else { return false }
    return primary?.phase == .active ? primary?.isQuiet == true : lameDuck?.isQuiet != false
  }

  /// Ends the session because of a fault or on the server's wish; what can be said in one packet is said.
  mutating func end(_ report: EndReport, at now: Instant, into outbox: inout Outbox) {
    guard stage != .over else { return }
    let isServers = report.fault?.code.entry.blame == .server || report.fault?.code.entry.blame == .authentication
    if notices > 0, !isServers {
      sayGoodbye(reliable: pushed?.controlChannelExit == true, at: now, into: &outbox)
    }
    // A TLS alert tells the server why (protocol.md section 5.1).
    flush(at: now, into: &outbox)
    finish(report, into: &outbox)
  }

  mutating func finish(_ report: EndReport, into outbox: inout Outbox) {
    guard stage != .over else { return }
    var report = report
    report.wasUp = upSince != nil
    finalCounters = counters()
    stage = .over
    up = nil
    down = nil
    primary = nil
    lameDuck = nil
    dynamicWrap = nil
    outbox.events.append(.ended(report))
  }
}
