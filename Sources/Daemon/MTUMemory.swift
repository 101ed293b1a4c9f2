package import Base

/// Which inner packets passed on which way, so that a reconnect begins with what is known. Lives as long as the daemon.
package struct MTUMemory: Sendable {
  /// A way of the uplink and the server at its end.
  package struct Key: Hashable, Sendable {
    package var device: DeviceName
    package var gateway: IPAddress?
    /// Of the device.
    package var linkMTU: Int?
    package var server: IPAddress
    package var transport: Transport

    package init(_ path: Path, linkMTU: Int?, server: IPAddress, transport: Transport) {
      device = path.device
      gateway = path.gateway
      self.linkMTU = linkMTU
      self.server = server
      self.transport = transport
    }
  }

  /// A provider's whole list of servers; what was not used for longest goes first.
  package static let most = 256

  private var sizes: [Key: Int] = [:]
  /// From the one not used for longest on.
  private var order: [Key] = []

  package init() {}

  package subscript(key: Key) -> Int? { sizes[key] }

  package mutating func remember(_ size: Int, for key: Key) {
    order.removeAll { $0 == key }
    order.append(key)
    sizes[key] = size
    if order.count > Self.most { sizes[order.removeFirst()] = nil }
  }
}
