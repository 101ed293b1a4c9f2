package import Base
import CNetlink
import Glibc

/// The attributes of a route message (linux/rtnetlink.h).
private enum RouteAttribute {
  static let destination = Int(RTA_DST.rawValue)
  static let outputDevice = Int(RTA_OIF.rawValue)
  static let gateway = Int(RTA_GATEWAY.rawValue)
  static let priority = Int(RTA_PRIORITY.rawValue)
  static let preferredSource = Int(RTA_PREFSRC.rawValue)
  static let multipath = Int(RTA_MULTIPATH.rawValue)
  static let table = Int(RTA_TABLE.rawValue)
  static let mark = Int(RTA_MARK.rawValue)
  static let via = Int(RTA_VIA.rawValue)
}

extension Route.Kind {
  fileprivate var number: UInt8 {
    switch self {
    case .unicast: UInt8(RTN_UNICAST)
    case .local: UInt8(RTN_LOCAL)
    case .unreachable: UInt8(RTN_UNREACHABLE)
    case .prohibit: UInt8(RTN_PROHIBIT)
    case .blackhole: UInt8(RTN_BLACKHOLE)
    case .throwing: UInt8(RTN_THROW)
    }
  }

  /// Broadcast, anycast and multicast routes are the kernel's own: `nil`.
  fileprivate init?(number: UInt8) {
    switch Int(number) {
    case Int(RTN_UNICAST): self = .unicast
    case Int(RTN_LOCAL): self = .local
    case Int(RTN_UNREACHABLE): self = .unreachable
    case Int(RTN_PROHIBIT): self = .prohibit
    case Int(RTN_BLACKHOLE): self = .blackhole
    case Int(RTN_THROW): self = .throwing
    default: return nil
    }
  }

  fileprivate var hasDevice: Bool { self == .unicast || self == .local }
}

extension Route {
  func message(adding: Bool, index: Int32?) -> Message {
    let target = destination.network
    var header = rtmsg()
    header.rtm_family = target.family.number
    header.rtm_dst_len = UInt8(target.length)
    header.rtm_table = table < 256 ? UInt8(table) : UInt8(RT_TABLE_UNSPEC.rawValue)
    header.rtm_protocol = origin
    header.rtm_type = kind.number
    header.rtm_scope = adding ? scope : UInt8(RT_SCOPE_NOWHERE.rawValue)
    if isOnLink { header.rtm_flags = UInt32(RTNH_F_ONLINK) }
    var message = Message(
      adding ? Int(RTM_NEWROUTE) : Int(RTM_DELROUTE),
      flags: NLM_F_ACK | (adding ? NLM_F_CREATE | NLM_F_REPLACE : 0), header: header)
    message.put(RouteAttribute.destination, target.address)
    message.put(RouteAttribute.table, table)
    if metric != 0 { message.put(RouteAttribute.priority, metric) }
    if let index, kind.hasDevice { message.put(RouteAttribute.outputDevice, UInt32(bitPattern: index)) }
    if let source { message.put(RouteAttribute.preferredSource, source) }
    if let gateway {
      if gateway.family == target.family {
        message.put(RouteAttribute.gateway, gateway)
      } else {
        // struct rtvia: the family, then the address.
        message.put(RouteAttribute.via, nativeBytes(UInt16(gateway.family.number)) + gateway.bytes)
      }
    }
    return message
  }

  private var scope: UInt8 {
    switch kind {
    case .local: UInt8(RT_SCOPE_HOST.rawValue)
    case .unicast where gateway == nil && destination.family == .ipv4: UInt8(RT_SCOPE_LINK.rawValue)
    default: UInt8(RT_SCOPE_UNIVERSE.rawValue)
    }
  }

  /// One route for each next hop of the message.
  ///
  /// A source-specific IPv6 route (`default from 2001:db8::/56`, OpenWrt's way) is read without its source: it still says
  /// by which device the uplink goes. A route for one type of service and the kernel's cached exceptions are left out.
  static func all(_ reply: Reply, family: AddressFamily, devices: [Int32: DeviceName]) -> [Route] {
    // A kernel without the family answers with the routes of every other.
    guard reply.type == Int(RTM_NEWROUTE), let (header, attributes) = reply.parts(rtmsg.self),
      header.rtm_family == family.number, header.rtm_flags & UInt32(RTM_F_CLONED) == 0, header.rtm_tos == 0,
      let kind = Kind(number: header.rtm_type),
      let destination = IPPrefix(
        attributes.address(RouteAttribute.destination) ?? IPPrefix.everything(family).address,
        length: Int(header.rtm_dst_len))
    else { return [] }
    var route = Route(
      destination: destination, kind: kind, source: attributes.address(RouteAttribute.preferredSource),
      table: attributes.uint32(RouteAttribute.table) ?? UInt32(header.rtm_table),
      metric: attributes.uint32(RouteAttribute.priority) ?? 0, origin: header.rtm_protocol)
    // The kernel books refusals of IPv6 on `lo`.
    guard kind.hasDevice else { return [route] }
    if let hops = attributes.nextHops(RouteAttribute.multipath) {
      return hops.map { hop in
        route.device = devices[hop.index]
        route.gateway = hop.attributes.gateway
        route.isOnLink = hop.flags & UInt8(RTNH_F_ONLINK) != 0
        return route
      }
    }
    route.device = attributes.int32(RouteAttribute.outputDevice).flatMap { devices[$0] }
    route.gateway = attributes.gateway
    route.isOnLink = header.rtm_flags & UInt32(RTNH_F_ONLINK) != 0
    return [route]
  }
}

extension Attributes {
  fileprivate var gateway: IPAddress? {
    address(RouteAttribute.gateway)
      ?? bytes(RouteAttribute.via).flatMap { $0.count > 2 ? IPAddress(bytes: Array($0[2...])) : nil }
  }
}

extension NetlinkSocket {
  func routes(_ family: AddressFamily, devices: [Int32: DeviceName]) throws(NetlinkFailure) -> [Route] {
    var header = rtmsg()
    header.rtm_family = family.number
    return try dump("read the routes", Int(RTM_GETROUTE), header: header) {
      Route.all($0, family: family, devices: devices)
    }
  }

  /// How a packet with that mark would reach the address now; `nil` when it would not.
  package func path(to address: IPAddress, mark: UInt32 = 0) throws(NetlinkFailure) -> Path? {
    try answer(to: address, mark: mark)?.path
  }

  /// The same, with what tells that the way had a gap since an answer before.
  package func answer(to address: IPAddress, mark: UInt32 = 0) throws(NetlinkFailure) -> PathAnswer? {
    guard let route = try lookUp(address, mark: mark), let found = try linkAnswer(index: route.device) else {
      return nil
    }
    return PathAnswer(
      path: Path(device: found.link.name, gateway: route.gateway, source: route.source), index: route.device,
      isUp: found.link.isUp && found.link.hasCarrier, carrierChanges: found.carrierChanges)
  }

  /// True when a packet to the address would stay on this machine.
  package func isOurs(_ address: IPAddress) throws(NetlinkFailure) -> Bool {
    try lookUp(address, mark: 0)?.isLocal ?? false
  }

  private typealias Found = (device: Int32, gateway: IPAddress?, source: IPAddress?, isLocal: Bool)

  private func lookUp(_ address: IPAddress, mark: UInt32) throws(NetlinkFailure) -> Found? {
    var header = rtmsg()
    header.rtm_family = address.family.number
    header.rtm_dst_len = UInt8(address.family.width)
    var request = Message(Int(RTM_GETROUTE), flags: NLM_F_ACK, header: header)
    request.put(RouteAttribute.destination, address)
    if mark != 0 { request.put(RouteAttribute.mark, mark) }
    var found: Found?
    let (code, text) = ask(request) { reply in
      guard reply.type == Int(RTM_NEWROUTE), let (header, attributes) = reply.parts(rtmsg.self),
        let kind = Route.Kind(number: header.rtm_type), kind.hasDevice,
        let device = attributes.int32(RouteAttribute.outputDevice)
      else { return }
      found = (device, attributes.gateway, attributes.address(RouteAttribute.preferredSource), kind == .local)
    }
    switch code {
    case 0: return found
    // Unreachable, prohibit and blackhole routes and rules, and no route at all (fib_props in net/ipv4).
    case ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, EAFNOSUPPORT, EOPNOTSUPP, ENETDOWN: return nil
    default: throw NetlinkFailure(operation: "ask for the path to \(address)", code: code, kernelText: text)
    }
  }
}
