/// One line of `adit doctor`.
package struct Finding: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    case ok
    /// Something may go wrong, or does so under conditions that cannot be seen from here.
    case warning
    /// Something does not work, or does not protect.
    case problem
  }

  /// What was looked at, in the order of the report.
  package enum Check: String, Hashable, Sendable, CaseIterable {
    case configuration, tun, nft, forwarding, ipv6, clock, uplink, server, mtu, resolvers, dns, firewall, rules, marks,
      routes
    case reversePath = "reverse_path"
    case offload
    case daemon
  }

  package var check: Check
  package var state: State
  /// One sentence without its full stop.
  package var text: String
  /// What to do about it.
  package var remedy: String?

  package init(_ check: Check, _ state: State, _ text: String, remedy: String? = nil) {
    self.check = check
    self.state = state
    self.text = text
    self.remedy = remedy
  }
}
