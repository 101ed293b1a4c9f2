import Base
import Gateway
import Hands
import IO
import Netlink
import Settings

/// A throw-away device of the LAN: a network namespace without a name, and a cable into the LAN.
///
/// When this process dies, however it dies, the namespace goes, and the cable with it.
final class ProbeClient {
  /// The router's end.
  let device: DeviceName
  let gateway: TunnelName
  /// What it is a port of; `nil` = it is a LAN device by itself.
  let bridge: Link?
  private(set) var addresses: [AddressFamily: IPAddress] = [:]
  /// The router's addresses on it, where it is a LAN device by itself.
  private(set) var routerNets: [IPPrefix] = []
  let mtu: Int

  private let netlink: NetlinkSocket
  private let namespace: NetworkNamespace
  private let inner: NetlinkSocket
  private let farEnd: DeviceName
  private let raw4: RawSocket
  private let raw6: RawSocket?
  /// Hears what comes back to it.
  let ear: PacketTap
  /// Hears what reaches the router.
  let door: PacketTap

  private static let farName = "lan0"
  private static let mtu = 1500
  /// Every link carries as much (RFC 1122); what is to be fragmented is larger in any case.
  private static let smallestMTU = 576
  /// Answers of a house come in milliseconds.
  private static let patience: Duration = .milliseconds(300)
  /// A bridge with spanning tree listens and learns first, twice 15 s.
  private static let joining: Duration = .seconds(35)

  /// Plugs the cable in; it is down, and known by its alias.
  init(
    for gateway: TunnelName, on bridge: Link?, snapshot: Snapshot, netlink: NetlinkSocket
  ) throws(ProveFailure) {
    let names = (0..<10).compactMap { DeviceName("adit-prove\($0)") }
    guard let name = names.first(where: { snapshot.link(named: $0) == nil }), let farEnd = DeviceName(Self.farName)
    else { throw .unavailable("ten probe devices are there already; `adit cleanup` removes them") }
    device = name
    self.gateway = gateway
    self.bridge = bridge
    self.netlink = netlink
    self.farEnd = farEnd
    let mtu = max(min(Self.mtu, bridge?.mtu ?? Self.mtu), Self.smallestMTU)
    self.mtu = mtu
    do throws(SystemFailure) {
      namespace = try NetworkNamespace()
    } catch {
      throw .unavailable("this kernel gives no network namespace (\(error))")
    }
    do {
      try netlink.addVeth(name, peer: farEnd, in: namespace.descriptor)
    } catch {
      throw .unavailable("no cable can be made (\(error))")
    }
    do {
      try netlink.perform(
        .setLink(
          LinkChange(
            name: name, mtu: mtu, alias: ProbeDevice.alias(for: gateway), master: bridge?.index)))
      let hasIPv6 = snapshot.hasIPv6
      (inner, ear, raw4) = try namespace.inside { () throws -> (NetlinkSocket, PacketTap, RawSocket) in
        Self.quietIPv6()
        let inner = try NetlinkSocket()
        try inner.perform(.setLink(LinkChange(name: farEnd, mtu: mtu)))
        guard let link = try inner.link(named: farEnd) else { throw SystemFailure("find \(farEnd)", 19) }
        return (inner, try PacketTap(device: link.index), try RawSocket(.ipv4))
      }
      raw6 = hasIPv6 ? try namespace.inside { () throws -> RawSocket in try RawSocket(.ipv6) } : nil
      guard let link = try netlink.link(named: name) else { throw SystemFailure("find \(name)", 19) }
      door = try PacketTap(device: link.index)
    } catch {
      _ = netlink.perform([.deleteLink(name)])
      throw .unavailable("the client cannot be made (\(error))")
    }
  }

  func remove() { _ = netlink.perform([.deleteLink(device)]) }

  /// Gets an address of each family that the LAN has, and a way out by the router.
  /// - Returns: false when the LAN has none, or none is free.
  func join(_ snapshot: Snapshot, wanted: [IPAddress], random: UInt64, _ vigil: Vigil) throws(ProveFailure) {
    do {
      try netlink.perform(.setLink(LinkChange(name: device, isUp: true)))
      try inner.perform(.setLink(LinkChange(name: farEnd, isUp: true)))
    } catch {
      throw .unavailable("\(error)")
    }
    for family in snapshot.hasIPv6 ? AddressFamily.allCases : [.ipv4] {
      var net: ProbeNet?
      if let bridge {
        let candidates = ProbeNet.candidates(
          family, of: bridge.name, in: snapshot, wanted: wanted, random: random)
        if family == .ipv4, let first = candidates.first {
          guard
            try vigil.wait(
              for: Self.joining,
              until: { () throws(ProveFailure) in
                try self.isAnswered(first.router.address, vigil)
              })
          else { throw .unavailable("the router does not answer a device at \(bridge.name)") }
        }
        net = try free(candidates, vigil)
      } else {
        net = ProbeNet.transfer(family, avoiding: snapshot)
      }
      guard let net else { continue }
      try settle(net, family)
    }
    guard !addresses.isEmpty else {
      throw .unavailable("the client finds no address in \(bridge?.name.text ?? "any net"); `--address` gives it one")
    }
  }

  private func free(_ candidates: [ProbeNet], _ vigil: Vigil) throws(ProveFailure) -> ProbeNet? {
    for net in candidates {
      if net.client.family == .ipv6 { return net }
      if try !isAnswered(net.client.address, vigil) { return net }
    }
    return nil
  }

  private func settle(_ net: ProbeNet, _ family: AddressFamily) throws(ProveFailure) {
    do {
      if bridge == nil {
        try netlink.perform(.addAddress(InterfaceAddress(device: device, prefix: net.router)))
        routerNets.append(net.router)
      }
      try inner.perform(.addAddress(InterfaceAddress(device: farEnd, prefix: net.client)))
      try inner.perform(
        .addRoute(Route(destination: .everything(family), device: farEnd, gateway: net.router.address)))
    } catch {
      throw .unavailable("\(error)")
    }
    addresses[family] = net.client.address
  }

  func send(_ packet: [UInt8], to destination: IPAddress) {
    // A packet that cannot be sent is one that does not reach the router, and is reported so.
    switch destination.family {
    case .ipv4: try? raw4.send(packet, to: destination)
    case .ipv6: try? raw6?.send(packet, to: destination)
    }
  }

  /// Asks the link who has an address (RFC 5227: the question of one who has none itself).
  private func isAnswered(_ address: IPAddress, _ vigil: Vigil) throws(ProveFailure) -> Bool {
    let arp: UInt16 = 0x0806
    var isAnswered = false
    do {
      guard let link = try inner.link(named: farEnd), let mac = link.mac else { return false }
      let tap = try namespace.inside { () throws -> PacketTap in
        try PacketTap(device: link.index, ethertype: arp)
      }
      let own = (0..<6).map { UInt8(truncatingIfNeeded: mac.value >> UInt64(40 - $0 * 8)) }
      // Ethernet, IPv4, lengths, request; our MAC and no address; theirs.
      try tap.broadcast([0, 1, 8, 0, 6, 4, 0, 1] + own + [0, 0, 0, 0] + [0, 0, 0, 0, 0, 0] + address.bytes)
      let deadline = Clock.now + Self.patience
      vigil.forgetTaps()
      try vigil.listen(to: tap)
      defer { vigil.forgetTaps() }
      while !isAnswered, Clock.now < deadline {
        try vigil.hear(until: min(deadline, Clock.now + .milliseconds(20))) { _, heard in
          guard heard.packet.count >= 28, !heard.isOutgoing else { return }
          if Array(heard.packet[14..<18]) == address.bytes { isAnswered = true }
        }
      }
      return isAnswered
    } catch let failure as ProveFailure {
      throw failure
    } catch {
      throw .unavailable("\(error)")
    }
  }

  /// What the house advertises gives it no further address, and its own are used at once.
  private static func quietIPv6() {
    for place in ["all", "default"] {
      for (name, value) in [("disable_ipv6", "0"), ("accept_ra", "0"), ("accept_dad", "0")] {
        // Without IPv6 the files are missing, and nothing is to be quieted.
        try? SysctlFile.set(NetworkPlan.Sysctl("net/ipv6/conf/\(place)/\(name)", value))
      }
    }
  }
}
