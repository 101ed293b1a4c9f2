package import Base
package import Exchange

// What an attempt shows of the layers it passes.
extension Evidence {
  package mutating func take(_ event: SessionEvent, at now: Instant) {
    switch event {
    case .serverAnswered: shows(.server, "it answers", at: now)
    case .tlsEstablished(let summary):
      shows(.server, "it answers", at: now)
      shows(.tls, "\(summary.version) with \(summary.subject)", at: now)
    case .wantsNetwork: shows(.auth, "accepted", at: now)
    case .up:
      forgiveAttempts()
      shows(.data, "the tunnel stands", at: now)
    case .proof(.alive(let roundTrip)):
      shows(.data, "an answer through the tunnel after \(roundTrip.wholeNanoseconds / 1_000_000) ms", at: now)
    case .proof(.silent(let span)):
      let words = "nothing comes back, for \(TunnelSupervisor.words(span))"
      fails(Fault(.dataSilent), words, at: now)
    case .proof(.failed): fails(Fault(.dataSilent), "no probe was answered", at: now)
    case .started, .renegotiated, .token, .mtu, .ended: break
    }
  }

  /// An answer of the resolvers.
  package mutating func resolved(_ count: Int, at now: Instant) {
    shows(.name, "\(count) address\(count == 1 ? "" : "es")", at: now)
  }

  /// Before the attempt itself gives up; what it has found out already says more.
  package mutating func suspect(_ fault: Fault, server: String?, at now: Instant) {
    guard items[.server]?.fault == nil else { return }
    failed(fault, server: server, at: now)
  }

  /// What ICMP says of a port where nothing listens.
  private static let unheardPort = Fault(.serverSilent, "nothing listens at its port")

  /// An attempt or a session came to nothing.
  ///
  /// - Parameter server: whom it was about, `udp 203.0.113.10:1194`.
  package mutating func failed(_ fault: Fault, server: String?, at now: Instant) {
    var named = fault
    let isSilence = [.serverSilent, .serverSilentOrWrongKey, .tcpTimeout, .tcpRefused].contains(fault.code)
    if isSilence, fault.detail == nil { named.detail = server }
    // A refusal comes from its host, or from a firewall near to it.
    if fault.code == .tcpRefused || fault == Evidence.unheardPort {
      shows(.outside, "something at the server's address answers", at: now)
    }
    fails(named, isSilence ? server.map { "\($0) does not answer" } ?? "" : "", at: now)
  }
}
