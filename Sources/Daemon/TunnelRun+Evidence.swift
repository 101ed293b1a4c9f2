internal import Base
internal import ConfigDirectory
internal import Exchange
internal import Profile
internal import Supervisor

/// What a tunnel's attempts have shown, and what is said of it.
struct Grounds {
  var evidence = Evidence()
  /// Since when nobody has answered.
  var quietSince: Instant?
  /// When asking around had its last result.
  var soundedAt: Instant?
  /// What was said last, and since when.
  var verdict: Verdict?
  var since: Instant?
  /// When each reason was last written to the log.
  fileprivate var told: [Fault.Code: Instant] = [:]

  /// Reasons that come in turns are written this often.
  private static let retell: Duration = .seconds(60)
  /// A round of asking around takes no longer.
  private static let longestAsking: Duration = .seconds(5)

  /// True until the first round of asking has told whether the internet answers.
  func isAsking(at now: Instant) -> Bool {
    guard let quietSince, now - quietSince < Self.longestAsking else { return false }
    return soundedAt.map { $0 < quietSince } ?? true
  }

  /// - Returns: true when it is news for the log.
  mutating func say(_ verdict: Verdict, since: Instant, at now: Instant) -> Bool {
    let former = self.verdict
    self.verdict = verdict
    guard let code = verdict.fault?.code else {
      self.since = nil
      return false
    }
    if former?.fault?.code == code { return false }
    self.since = since
    if let last = told[code], now - last < Self.retell { return false }
    told[code] = now
    return true
  }

  /// A tunnel that came up has news again when it fails.
  mutating func forget() { told = [:] }
}

extension TunnelRun {
  /// The server in use, `udp 203.0.113.10:1194`.
  var serverWords: String? {
    guard let remote = supervisor.remote, let profile = loaded.profile, profile.remotes.indices.contains(remote.index)
    else { return nil }
    return "\(profile.remotes[remote.index].transport.rawValue) \(remote.endpoint)"
  }

  /// What it is when a server of UDP does not answer a first packet; over TCP the kernel tells by itself.
  var silence: Fault? {
    guard let remote = supervisor.remote, let profile = loaded.profile, profile.remotes.indices.contains(remote.index),
      profile.remotes[remote.index].transport == .udp
    else { return nil }
    return Fault(profile.remotes[remote.index].wrap == .none ? .serverSilent : .serverSilentOrWrongKey)
  }

  /// - Parameters:
  ///   - server: whom the event is about; by now the supervisor may be with another.
  ///   - before: its failure before it heard of the event.
  /// - Returns: true when the network said that there is no way, although the kernel knows one.
  func learn(
    from event: TunnelEvent, server: String?, formerly before: TunnelSupervisor.Failure?, at now: Instant
  ) -> Bool {
    switch event {
    case .resolved(_, let addresses, _) where !addresses.isEmpty: grounds.evidence.resolved(addresses.count, at: now)
    case .session(_, let event):
      grounds.evidence.take(event, at: now)
      switch event {
      case .serverAnswered, .tlsEstablished, .wantsNetwork: grounds.quietSince = nil
      case .proof(.alive): grounds.quietSince = nil
      case .proof(.silent), .proof(.failed): grounds.quietSince = grounds.quietSince ?? now
      case .up:
        grounds.quietSince = nil
        grounds.forget()
      default: break
      }
    default: break
    }
    // One that rests waits for nobody's answer.
    if supervisor.isIdle { grounds.quietSince = nil }
    guard let after = supervisor.lastFailure else {
      if before != nil { grounds.evidence.forgiveAttempts() }
      return false
    }
    guard after != before || event.fault?.code == after.fault.code else { return false }
    var fault = after.fault
    var isRefused = false
    if fault.code == .noPath, case .session = event {
      // Without a way there would have been no attempt: it was a router outside that had none, or the next one is dead.
      fault = Fault(.serverSilent, "a router on the way knows no way to it")
      isRefused = true
    }
    grounds.evidence.failed(fault, server: server, at: now)
    let layer = fault.code.layer
    if layer > .server && layer < .data || layer < .carrier { grounds.quietSince = nil }
    return isRefused
  }
}

extension TunnelEvent {
  /// What it says went wrong.
  fileprivate var fault: Fault? {
    switch self {
    case .configured(_, let fault), .resolved(_, _, let fault): fault
    case .networkFailed(_, let fault): fault
    case .session(_, .ended(let report)): report.fault
    case .engineDied(let words): Fault(.engineDied, words)
    default: nil
    }
  }
}
