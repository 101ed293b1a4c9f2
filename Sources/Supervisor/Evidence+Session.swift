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
    case .proof(.alive): shows(.data, "the server answers through the tunnel", at: now)
    case .proof(.silent), .proof(.failed): fails(Fault(.dataSilent), "nothing comes back", at: now)
    case .started, .renegotiated, .token, .mtu, .ended: break
    }
  }

  /// An answer of the resolvers.
  package mutating func resolved(_ count: Int, at now: Instant) {
    shows(.name, "\(count) address\(count == 1 ? "" : "es")", at: now)
  }

  /// An attempt or a session came to nothing.
  ///
  /// - Parameter server: whom it was about, `udp 203.0.113.10:1194`.
  package mutating func failed(_ fault: Fault, server: String?, at now: Instant) {
    var named = fault
    let isSilence = [.serverSilent, .serverSilentOrWrongKey, .tcpTimeout, .tcpRefused].contains(fault.code)
    if isSilence, fault.detail == nil { named.detail = server }
    let words = fault.code.layer == .server ? server : nil
    fails(named, words.map { "\($0) failed" } ?? "", at: now)
  }
}
