package import Base

/// Where a client stands, by family: the router's address and its own.
package struct ProbeNet: Hashable, Sendable {
  package var router: IPPrefix
  package var client: IPPrefix

  package init(router: IPPrefix, client: IPPrefix) {
    self.router = router
    self.client = client
  }

  /// A net between router and client alone, out of ranges that no house uses: benchmarks (RFC 2544) and unique local
  /// addresses.
  /// - Returns: `nil` when all that are tried are taken.
  package static func transfer(_ family: AddressFamily, avoiding snapshot: Snapshot) -> ProbeNet? {
    let taken = snapshot.addresses.map(\.prefix.network) + snapshot.routes.map(\.destination)
    for number in UInt32(0)..<16 {
      let base: IPAddress =
        family == .ipv4
        ? .v4(IPv4Address(0xc613_ff00 + number * 4))
        : .v6(IPv6Address(high: 0xfdad_1770_0000_0000 + UInt64(number), low: 0))
      let length = family == .ipv4 ? 30 : 64
      guard let net = IPPrefix(base, length: length),
        // A default route and halves of one cover everything, and clash with nothing.
        !taken.contains(where: { $0.family == family && $0.length > 8 && $0.overlaps(net) }),
        let router = IPPrefix(base.advanced(by: 1), length: length),
        let client = IPPrefix(base.advanced(by: 2), length: length)
      else { continue }
      return ProbeNet(router: router, client: client)
    }
    return nil
  }

  /// The net of a LAN device, and the addresses that a client may try there: from the end, where leases begin last.
  /// - Parameters:
  ///   - wanted: the owner's choice.
  ///   - random: for IPv6, where nobody else will have the same.
  package static func candidates(
    _ family: AddressFamily, of device: DeviceName, in snapshot: Snapshot, wanted: [IPAddress], random: UInt64
  ) -> [ProbeNet] {
    let nets = snapshot.addresses.filter {
      $0.device == device && $0.prefix.family == family && $0.peer == nil && !$0.prefix.address.isLinkLocal
    }.map(\.prefix)
    if let address = wanted.first(where: { $0.family == family }) {
      return nets.filter { $0.contains(address) }.prefix(1).compactMap { net in
        IPPrefix(address, length: net.length).map { ProbeNet(router: net, client: $0) }
      }
    }
    guard let net = nets.first else { return [] }
    switch net.network.address {
    case .v4(let base):
      guard net.length <= 30 else { return [] }
      let last = base.value | ~IPv4Address.netmask(net.length).value
      return (UInt32(1)...32).compactMap { step in
        let address = IPv4Address(last - step)
        guard address.value > base.value, .v4(address) != net.address else { return nil }
        return IPPrefix(.v4(address), length: net.length).map { ProbeNet(router: net, client: $0) }
      }
    case .v6(let base):
      guard net.length <= 64 else { return [] }
      // The universal bit clear: no address made of a card's number (RFC 4291).
      let address = IPv6Address(high: base.high, low: random & ~(1 << 57))
      return IPPrefix(.v6(address), length: net.length).map { [ProbeNet(router: net, client: $0)] } ?? []
    }
  }
}

extension IPAddress {
  fileprivate func advanced(by step: UInt32) -> IPAddress {
    switch self {
    case .v4(let address): .v4(IPv4Address(address.value &+ step))
    case .v6(let address): .v6(IPv6Address(high: address.high, low: address.low &+ UInt64(step)))
    }
  }
}
