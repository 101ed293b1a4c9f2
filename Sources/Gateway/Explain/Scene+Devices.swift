import Base
import Settings

/// A device that somebody asks about, as the scene knows it.
struct AskedDevice {
  /// The device of the router by which its packets come in; `nil` = it is the router itself.
  var input: DeviceName?
  var mac: MACAddress?
  /// One of each family that is known.
  var addresses: [AddressFamily: IPAddress]
}

extension Scene {
  /// Nets by which devices reach this router: those of the LANs of gateways, and any other that is no way out.
  private var nets: [(prefix: IPPrefix, device: DeviceName)] {
    let tunnels = Set(settings.tunnels.map(\.device) + plan.devices.map(\.name))
    let lan = Set(settings.gateways.flatMap(\.lan))
    func isInside(_ device: DeviceName) -> Bool {
      device.text != "lo" && !tunnels.contains(device) && (lan.contains(device) || !uplinks.contains(device))
    }
    let connected = snapshot.addresses.filter { isInside($0.device) }.map { ($0.prefix.network, $0.device) }
    let routed = snapshot.routes.filter {
      $0.table == Route.mainTable && $0.kind == .unicast && $0.destination.length > 0
    }
    .compactMap { route in
      route.device.flatMap { device in
        // By a device that is the uplink too a next hop may be the way out.
        isInside(device) && (route.gateway == nil || !uplinks.contains(device))
          ? (route.destination.network, device) : nil
      }
    }
    return connected + routed
  }

  private var uplinks: Set<DeviceName> {
    plan.uplinks.isEmpty
      ? Set(snapshot.routes.filter { $0.kind == .unicast && $0.destination.length == 0 }.compactMap(\.device))
      : plan.uplinks
  }

  func device(_ source: Inquiry.Source) -> Result<AskedDevice, Explanation.Problem> {
    switch source {
    case .address(let address): device(address)
    case .mac(let mac): device(mac)
    }
  }

  private func device(_ mac: MACAddress) -> Result<AskedDevice, Explanation.Problem> {
    let known = neighbours.filter { $0.mac == mac && isInside($0) }
    guard let first = known.first else {
      return .failure(
        Explanation.Problem(
          "no device of a LAN with the MAC address \(mac) is known now; ask by its address, or once it has spoken"))
    }
    return .success(AskedDevice(input: first.device, mac: mac, addresses: addresses(of: mac)))
  }

  private func device(_ address: IPAddress) -> Result<AskedDevice, Explanation.Problem> {
    if isOwn(address) {
      return .success(AskedDevice(input: nil, mac: nil, addresses: [address.family: address]))
    }
    if let neighbour = neighbours.first(where: { $0.address == address && isInside($0) }) {
      var addresses = addresses(of: neighbour.mac)
      addresses[address.family] = address
      return .success(AskedDevice(input: neighbour.device, mac: neighbour.mac, addresses: addresses))
    }
    guard let net = nets.filter({ $0.prefix.contains(address) }).max(by: { $0.prefix.length < $1.prefix.length }) else {
      let known = Set(
        nets.filter { $0.prefix.family == address.family && !$0.prefix.address.isLinkLocal }
          .map { "\($0.prefix) on \($0.device)" }
      ).sorted()
      let list = known.isEmpty ? "no LAN of its family is known" : "the nets are \(known.joined(separator: ", "))"
      return .failure(Explanation.Problem("\(address) is no address of a LAN: \(list)"))
    }
    return .success(AskedDevice(input: net.device, mac: nil, addresses: [address.family: address]))
  }

  private func isInside(_ neighbour: Neighbour) -> Bool { nets.contains { $0.device == neighbour.device } }

  /// A device has one IPv4 address and many of IPv6, some of which it keeps for the link.
  private func addresses(of mac: MACAddress) -> [AddressFamily: IPAddress] {
    var result: [AddressFamily: IPAddress] = [:]
    for neighbour in neighbours where neighbour.mac == mac && !neighbour.address.isLinkLocal {
      if result[neighbour.address.family] == nil { result[neighbour.address.family] = neighbour.address }
    }
    return result
  }

  /// An address of the internet that no rule and no route names.
  func anywhere(_ family: AddressFamily) -> IPAddress {
    let specific =
      (snapshot.routes + plan.routes).map(\.destination).filter { $0.family == family && $0.length > 1 }
      + (plan.table?.sets ?? []).flatMap { set -> [IPPrefix] in
        if case .prefixes(family, let prefixes) = set.elements { prefixes } else { [] }
      }
    let candidates = family == .ipv4 ? Self.candidates4 : Self.candidates6
    return candidates.first { candidate in !specific.contains { $0.length > 3 && $0.contains(candidate) } }
      ?? candidates[0]
  }

  /// Documentation (RFC 5737, RFC 3849), and far apart from each other what else is no house's.
  private static let candidates4: [IPAddress] = [
    (192, 0, 2, 1), (198, 51, 100, 1), (203, 0, 113, 1), (198, 18, 0, 1), (8, 7, 6, 5), (151, 7, 6, 5),
  ].map { .v4(IPv4Address($0.0, $0.1, $0.2, $0.3)) }
  private static let candidates6: [IPAddress] = [
    0x2001_0db8_0000_0000, 0x2001_0002_0000_0000, 0x2a00_ffff_0000_0000, 0x2c00_ffff_0000_0000,
  ].map { .v6(IPv6Address(high: $0, low: 1)) }
}
