package import Base

/// Addresses that no name of the outside can rightly have: a set with one of them would turn the house's own traffic, or the
/// tunnel's, out of its way.
package struct Household: Hashable, Sendable {
  private var prefixes: Set<IPPrefix> = []
  private var lengths: [AddressFamily: [Int]] = [:]

  /// Of no use as a destination: this network, loopback, link-local, multicast, reserved and broadcast; the IPv6 forms that
  /// hide an IPv4 address from the kernel's choice.
  private static let special = [
    "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/96", "::ffff:0:0/96", "fe80::/10", "ff00::/8",
  ].compactMap { IPPrefix($0) }

  /// - Parameters:
  ///   - addresses: of the router's devices: their nets are the house and its neighbours.
  ///   - others: hosts that must keep their way, as the gateways and resolvers of the tunnels.
  package init(addresses: [InterfaceAddress] = [], others: [IPAddress] = []) {
    for prefix in Self.special { insert(prefix) }
    for address in addresses {
      insert(address.prefix.network)
      if let peer = address.peer { insert(.host(peer)) }
    }
    for address in others { insert(.host(address)) }
  }

  private mutating func insert(_ prefix: IPPrefix) {
    // A device with a default route for an address would make the world the house.
    guard prefix.length > 0 else { return }
    prefixes.insert(prefix)
    if lengths[prefix.family]?.contains(prefix.length) != true {
      lengths[prefix.family, default: []].append(prefix.length)
    }
  }

  package func contains(_ address: IPAddress) -> Bool {
    (lengths[address.family] ?? []).contains { length in
      IPPrefix(address, length: length).map { prefixes.contains($0.network) } ?? false
    }
  }
}
