package import Base

/// The one plain reason for the state of a tunnel. Pure: the same words in status, doctor, the log and at the exit of
/// `adit connect`.
package struct Verdict: Hashable, Sendable {
  /// The first layer that fails; `nil` = none is known to.
  package var layer: Fault.Layer?
  package var fault: Fault?
  /// One plain sentence without its full stop.
  package var text: String
  /// What Adit does now.
  package var action: String

  /// True when only the owner can mend it.
  package var isFatal: Bool { fault?.code.entry.blame == .configuration }
  /// As the log and the end of `adit connect` have it.
  package var line: String { "\(text); \(action)" }

  init(_ fault: Fault) {
    layer = fault.code.layer
    self.fault = fault
    text = fault.sentence
    action = fault.code.entry.action
  }

  init(well text: String, _ action: String) {
    self.text = text
    self.action = action
  }
}

package enum Blame {
  /// - Parameters:
  ///   - target: the server in use, or the name that is being asked for.
  ///   - rest: why a tunnel that is at rest rests.
  ///   - isAsking: whether the internet answers is just being found out; until then silence is nobody's fault.
  package static func verdict(
    _ status: TunnelSupervisor.StatusWord, _ evidence: Evidence, target: String? = nil, rest: String? = nil,
    isAsking: Bool = false, at now: Instant
  ) -> Verdict {
    switch status {
    case .invalid:
      return Verdict(evidence.items[.configuration]?.fault ?? Fault(.configurationInvalid))
    case .disconnected:
      return Verdict(well: rest ?? "switched off", "waiting for `adit up`")
    case .disconnecting:
      return Verdict(well: "being switched off", "saying goodbye to the server")
    case .connected, .reasserting, .connecting:
      if let (layer, item) = evidence.broken(at: now), let fault = item.fault,
        !(isAsking && [.name, .server].contains(layer) && fault.code.entry.blame == .network)
      {
        return Verdict(fault.described(by: evidence, at: now))
      }
      let whom = target.map { "to \($0)" } ?? "to the server"
      return status == .connected
        ? Verdict(well: "connected \(whom)", "keeping the tunnel up")
        : Verdict(well: "connecting \(whom)", "waiting for its answer")
    }
  }
}

extension Fault {
  /// With what the chain says of its likely cause.
  fileprivate func described(by evidence: Evidence, at now: Instant) -> Fault {
    guard [.serverSilent, .serverSilentOrWrongKey].contains(code), let detail else { return self }
    // A server of which ICMP says that nothing listens there needs no guess.
    guard detail.hasPrefix("udp "), let outside = evidence.items[.outside], outside.fault == nil,
      now - outside.at < Evidence.lifetime
    else { return self }
    return Fault(code, "\(detail), while the internet outside answers; does this network forbid UDP?")
  }
}
