package import Base

/// One rule for connecting on demand.
package struct OnDemandSettings: Hashable, Sendable {
  package enum Action: String, Hashable, Sendable {
    case connect, disconnect
    /// The tunnel stays as it is.
    case ignore
  }

  package var action: Action = .connect
  /// Empty = all.
  package var tunnels: [TunnelName] = []
  /// Device names with `*`.
  package var uplinks: [String] = []
  package var kinds: [Uplink.Kind] = []
  package var subnets: [IPPrefix] = []
  package var reachable: [ReachTarget] = []
  /// Something in it could not be read as meant.
  package var isBroken = false
  package var location: SourceLocation

  package init(location: SourceLocation) { self.location = location }

  package var isUnconditional: Bool { uplinks.isEmpty && kinds.isEmpty && subnets.isEmpty && reachable.isEmpty }
}

/// What is asked whether it is there: a host by an echo, a port of it by a TCP connection.
package struct ReachTarget: Hashable, Sendable, CustomStringConvertible {
  package var address: IPAddress
  /// `nil` = an echo.
  package var port: UInt16?

  package init(address: IPAddress, port: UInt16? = nil) {
    self.address = address
    self.port = port
  }

  /// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`.
  package init?(_ text: String) {
    if let address = IPAddress(text) {
      self.init(address: address)
    } else if let endpoint = GlobalsSection.endpoint(text) {
      self.init(address: endpoint.address, port: endpoint.port)
    } else {
      return nil
    }
  }

  package var description: String {
    port.map { Endpoint(address: address, port: $0).description } ?? address.description
  }
}
