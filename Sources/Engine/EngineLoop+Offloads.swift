internal import Base
internal import Exchange
internal import IO

// What kernel and devices take in one go: said when it changes, and each step down once.

extension EngineLoop {
  /// The tun follows at once, the socket with the next connection.
  mutating func follow(_ mode: OffloadMode) {
    guard mode != offloadMode else { return }
    offloadMode = mode
    tun?.offload(mode)
  }

  /// Costs a few comparisons while nothing changes.
  mutating func reportOffloads() {
    guard isUp else { return }
    if link.hasSteps { report(link.takeSteps()) }
    if tun?.hasSteps == true, let steps = tun?.takeSteps() { report(steps) }
    let used = link.offloads.union(tun?.offloads ?? Offloads())
    guard used != reportedOffloads else { return }
    reportedOffloads = used
    report(.offloads(used))
  }

  private mutating func report(_ steps: [OffloadStep]) {
    for step in steps { report(.note(step.note)) }
  }
}

extension OffloadStep {
  fileprivate var note: Note {
    switch reason {
    case .missing(let number): Note(.offloadMissing, offload.text, SystemFailure("", number).reason)
    case .refused(let number): Note(.offloadGivenUp, offload.text, SystemFailure("", number).reason)
    case .tooLarge(let size): Note(.offloadLimited, offload.text, "\(size)")
    case .mangled: Note(.offloadMangled, offload.text)
    }
  }
}
