package import Base
import Control

package struct ProveRequest: Hashable, Sendable {
  package var configPath: String?
  package var stateDirectory: String
  /// The only gateway to try; `nil` = all.
  package var gateway: String?
  /// Try with the tunnels put down and the firewall flushed, too.
  package var putsDown = false
  package var asJSON = false
  /// Where the client sends to; documentation addresses for a family without a word, which bother nobody.
  package var destinations: [IPAddress] = []
  /// The client's own in the LAN; found by itself without a word.
  package var addresses: [IPAddress] = []

  package init(configPath: String? = nil, stateDirectory: String = DaemonOptions.standardStateDirectory) {
    self.configPath = configPath
    self.stateDirectory = stateDirectory
  }

  /// 192.0.2.1 (RFC 5737) and 2001:db8::1 (RFC 3849).
  package func destination(_ family: AddressFamily) -> IPAddress {
    destinations.first { $0.family == family }
      ?? (family == .ipv4
        ? .v4(IPv4Address(192, 0, 2, 1)) : .v6(IPv6Address(high: 0x2001_0db8_0000_0000, low: 1)))
  }
}

/// Why nothing could be proved.
struct ProveFailure: Error, Hashable, Sendable {
  var code: ExitCode
  var text: String

  init(_ code: ExitCode, _ text: String) {
    self.code = code
    self.text = text
  }

  static func unavailable(_ text: String) -> ProveFailure { ProveFailure(.unavailable, text) }
}
