package import Base
import Gateway
import Netlink

/// The nets that the LAN devices stand in, to tell a device of the house from the rest of the world.
package struct LANPlaces {
  package struct Net: Hashable, Sendable {
    package var prefix: IPPrefix
    package var device: DeviceName
  }

  package let nets: [Net]
  private let own: [IPAddress]

  package init(lan: [DeviceName], snapshot: Snapshot) {
    own = snapshot.addresses.map(\.prefix.address)
    var nets: [Net] = []
    func add(_ prefix: IPPrefix, _ device: DeviceName) {
      let net = Net(prefix: prefix.network, device: device)
      let isPlace = !prefix.address.isLinkLocal && !prefix.address.isMulticast && prefix.length > 0
      if isPlace, !nets.contains(net) { nets.append(net) }
    }
    for address in snapshot.addresses where lan.contains(address.device) { add(address.prefix, address.device) }
    // Nets behind another router of the house: table L has those of which the planner knows that they are no way out.
    for route in snapshot.routes where route.table == RoutingTables.local && route.kind == .unicast {
      if let device = route.device, lan.contains(device) { add(route.destination, device) }
    }
    self.nets = nets
  }

  /// As they are now.
  static func find(_ lan: [DeviceName]) throws(Fault) -> LANPlaces {
    do throws(NetlinkFailure) {
      return LANPlaces(lan: lan, snapshot: try NetlinkSocket().snapshot())
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
  }

  /// Why there can be no pass for it; `nil` = it is a device of a LAN.
  package func complaint(about address: IPAddress) -> String? {
    if address.isLinkLocal { return "\(address) holds on one link only and never leaves the house" }
    if own.contains(address) { return "\(address) is this router itself" }
    if let net = nets.first(where: { $0.prefix.isEdge(address) }) {
      return "\(address) is no device: it is the net \(net.prefix) itself, or everybody in it"
    }
    if nets.contains(where: { $0.prefix.contains(address) }) { return nil }
    let family = nets.filter { $0.prefix.family == address.family }
    guard !family.isEmpty else {
      return "\(address) is no device of a LAN: none has an \(address.family.name) net now"
    }
    let words = family.map { "\($0.prefix) (\($0.device))" }.joined(separator: ", ")
    return "\(address) is no device of a LAN; these are: \(words)"
  }
}

extension IPPrefix {
  /// The address of an IPv4 net itself, or that of its broadcast. A net of two has neither (RFC 3021).
  fileprivate func isEdge(_ other: IPAddress) -> Bool {
    guard length < 31, contains(other), case .v4(let address) = other else { return false }
    let host = address.value & ~IPv4Address.netmask(length).value
    return host == 0 || host == ~IPv4Address.netmask(length).value
  }
}
