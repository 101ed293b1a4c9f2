/// An address and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  package var address: IPAddress
  package var port: UInt16

  package init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  package var description: String {
    switch address {
    case .v4: "\(address):\(port)"
    case .v6: "[\(address)]:\(port)"
    }
  }
}

package enum Transport: String, Hashable, Sendable, CaseIterable {
  case udp
  case tcp
}
