import Base
import Profile

extension TunnelNetwork {
  /// Addresses as each topology means them (protocol.md section 13.6).
  mutating func setAddresses(_ options: TunnelOptions, _ surroundings: Surroundings) {
    if let configuration = options.ipv4 { setIPv4(configuration, options, surroundings) }
    guard fault == nil, let configuration = options.ipv6 else { return }
    guard surroundings.hasIPv6 else { return warn("the IPv6 part is skipped: this router has IPv6 switched off") }
    // The kernel takes IPv6 off a device whose MTU is below 1280 (RFC 8200 section 5).
    guard mtu >= 1280 else { return warn("the IPv6 part is skipped: it needs an MTU of 1280, and this is \(mtu)") }
    setIPv6(configuration, options, surroundings)
  }

  private mutating func setIPv4(
    _ configuration: TunnelOptions.IPv4Configuration, _ options: TunnelOptions, _ surroundings: Surroundings
  ) {
    let local = IPAddress.v4(configuration.local)
    // A netmask where a peer should stand: servers that mean topology subnet and do not say so.
    let looksLikeMask = configuration.second.value >> 24 == 255 && configuration.second.netmaskLength != nil
    let isSubnet = options.topology == .subnet || looksLikeMask
    if isSubnet {
      guard let length = configuration.second.netmaskLength, let prefix = IPPrefix(local, length: length) else {
        fault = Fault(.pushInvalid, "ifconfig \(configuration.local) \(configuration.second)")
        return
      }
      gateway4 = options.routeGateway
      place(prefix, peer: nil, options, surroundings)
    } else {
      let peer = configuration.second
      gateway4 = options.routeGateway ?? peer
      place(.host(local), peer: peer == configuration.local ? nil : .v4(peer), options, surroundings)
    }
  }

  private mutating func setIPv6(
    _ configuration: TunnelOptions.IPv6Configuration, _ options: TunnelOptions, _ surroundings: Surroundings
  ) {
    gateway6 = options.routeGatewayIPv6 ?? configuration.remote
    place(configuration.prefix, peer: nil, options, surroundings)
  }

  /// What one host on a link may be called.
  private static func isHost(_ address: IPAddress) -> Bool {
    if case .v4(let address) = address, address.value >> 28 == 15 { return false }
    return !address.isMulticast && !address.isLoopback && !address.isUnspecified
  }

  /// Takes the address unless it would shadow a net of the house.
  ///
  /// The kernel puts a route for the net of an address into main, where our own transport is looked up. So a net that
  /// holds the server's address, or that is wide enough to hold much of the world, is set as a host address; table P
  /// carries the net in every case.
  private mutating func place(
    _ prefix: IPPrefix, peer: IPAddress?, _ options: TunnelOptions, _ surroundings: Surroundings
  ) {
    // The kernel would refuse most of them, and with them the whole plan, the other tunnels' part too.
    guard Self.isHost(prefix.address), peer.map(Self.isHost) ?? true else {
      fault = Fault(.pushInvalid, "ifconfig \(prefix.address)" + (peer.map { " \($0)" } ?? ""))
      return
    }
    let net = peer.map { IPPrefix.host($0) } ?? prefix.network
    let conflict =
      surroundings.net(containing: net) ?? surroundings.net(containing: .host(prefix.address))
    if let conflict {
      fault = Fault(.subnetConflict, "\(net) and \(conflict.prefix) on \(conflict.device)")
      return
    }
    let capturesServer = [state.serverAddress, state.second?.serverAddress].contains { $0.map(net.contains) ?? false }
    let isTooWide = net.length < (net.family == .ipv4 ? 8 : 16)
    if capturesServer || isTooWide {
      addresses.append(InterfaceAddress(device: state.device, prefix: .host(prefix.address)))
    } else {
      addresses.append(InterfaceAddress(device: state.device, prefix: prefix, peer: peer))
    }
    nets.append(net)
    add(Target(prefix: net))
    // A gateway outside the net is reached on the device all the same.
    let gateway: IPAddress? = net.family == .ipv4 ? gateway4.map { .v4($0) } : gateway6.map { .v6($0) }
    guard let gateway, !net.contains(gateway), !gateway.isUnspecified else { return }
    guard surroundings.net(containing: .host(gateway)) == nil else {
      return warn("the gateway \(gateway) lies in a net of this router and is not used")
    }
    add(Target(prefix: .host(gateway)))
  }
}
