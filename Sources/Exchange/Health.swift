package import Base

/// How a session finds out whether its server still answers.
package struct HealthOrder: Hashable, Sendable {
  package static let failAfterRange = 1...100

  /// Ask this often, also when nothing else passes; `nil` = only on suspicion.
  package var interval: Duration?
  /// Unanswered questions in a row before the session is tried harder.
  package var failAfter: Int
  /// Whom to ask through the tunnel; `nil` = the VPN gateway.
  package var target: IPAddress?

  package init(interval: Duration? = nil, failAfter: Int = 3, target: IPAddress? = nil) {
    self.interval = interval
    self.failAfter = failAfter
    self.target = target
  }
}

/// What is known of the other end of a session that is up.
package enum Proof: Hashable, Sendable {
  /// An authenticated packet of the server came: the answer to every `Order.path` that says usable, and the end of a
  /// `silent`.
  case alive(roundTrip: Duration)
  /// Much went out and nothing came in for so long; the server is being asked.
  case silent(for: Duration)
  /// It answered nothing at all. The session goes on until stopped: the answer may still come.
  case failed
}
