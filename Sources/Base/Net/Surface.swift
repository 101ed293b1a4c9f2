// What the kernel's network looks like, as plain values. The hands read and write them; the minds only compare them.

package struct Link: Hashable, Sendable {
  package var index: Int32
  package var name: DeviceName
  /// IFLA_INFO_KIND: `tun`, `bridge`, `veth`…; `nil` for a physical device.
  package var kind: String?
  package var isUp: Bool
  package var hasCarrier: Bool
  package var mtu: Int
  package var transmitQueueLength: Int
  package var mac: MACAddress?
  /// IFLA_IFALIAS; ours carry `adit:NAME`.
  package var alias: String?
  /// The bridge or bond it belongs to.
  package var master: Int32?

  package init(
    index: Int32, name: DeviceName, kind: String? = nil, isUp: Bool = true, hasCarrier: Bool = true, mtu: Int = 1500,
    transmitQueueLength: Int = 1000, mac: MACAddress? = nil, alias: String? = nil, master: Int32? = nil
  ) {
    self.index = index
    self.name = name
    self.kind = kind
    self.isUp = isUp
    self.hasCarrier = hasCarrier
    self.mtu = mtu
    self.transmitQueueLength = transmitQueueLength
    self.mac = mac
    self.alias = alias
    self.master = master
  }
}

package struct InterfaceAddress: Hashable, Sendable {
  package var device: DeviceName
  /// Host bits kept.
  package var prefix: IPPrefix
  /// The far end of a point-to-point address.
  package var peer: IPAddress?

  package init(device: DeviceName, prefix: IPPrefix, peer: IPAddress? = nil) {
    self.device = device
    self.prefix = prefix
    self.peer = peer
  }
}

package struct Route: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case unicast, local, unreachable, prohibit, blackhole, throwing }

  package var destination: IPPrefix
  package var kind: Kind
  package var device: DeviceName?
  package var gateway: IPAddress?
  package var source: IPAddress?
  package var table: UInt32
  package var metric: UInt32
  /// rtm_protocol: who made it. Ours are `Route.ours`.
  package var origin: UInt8
  package var isOnLink: Bool

  /// The route protocol by which everything of ours is known (design: undo removes exactly that).
  package static let ours: UInt8 = 173
  package static let mainTable: UInt32 = 254

  package init(
    destination: IPPrefix, kind: Kind = .unicast, device: DeviceName? = nil, gateway: IPAddress? = nil,
    source: IPAddress? = nil, table: UInt32 = mainTable, metric: UInt32 = 0, origin: UInt8 = ours,
    isOnLink: Bool = false
  ) {
    self.destination = destination
    self.kind = kind
    self.device = device
    self.gateway = gateway
    self.source = source
    self.table = table
    // The kernel makes 1024 of an IPv6 route's 0 (IP6_RT_PRIO_USER): both are one, and 0 here, so that plans compare.
    self.metric = destination.family == .ipv6 && metric == 1024 ? 0 : metric
    self.origin = origin
    self.isOnLink = isOnLink
  }
}

/// A policy routing rule (ip-rule(8)).
package struct Rule: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case lookup(UInt32)
    case unreachable
  }

  package struct Ports: Hashable, Sendable {
    package var first: UInt16
    package var last: UInt16

    package init(_ port: UInt16) {
      first = port
      last = port
    }
    package init(first: UInt16, last: UInt16) {
      self.first = first
      self.last = last
    }
  }

  package var family: AddressFamily
  package var priority: UInt32
  package var action: Action
  package var mark: UInt32?
  package var markMask: UInt32
  /// `not` in ip-rule(8): the rule holds for what does not match.
  package var isInverted: Bool
  package var inputDevice: DeviceName?
  package var outputDevice: DeviceName?
  package var source: IPPrefix?
  package var destination: IPPrefix?
  /// IP protocol number.
  package var ipProtocol: UInt8?
  package var sourcePorts: Ports?
  package var destinationPorts: Ports?
  /// A lookup that finds a route of this prefix length or a shorter one goes on as if it had found none.
  package var suppressedLength: UInt8?
  /// FRA_PROTOCOL: who made it.
  package var origin: UInt8

  package init(
    family: AddressFamily, priority: UInt32, action: Action, mark: UInt32? = nil, markMask: UInt32 = 0xffff_ffff,
    isInverted: Bool = false, inputDevice: DeviceName? = nil, outputDevice: DeviceName? = nil, source: IPPrefix? = nil,
    destination: IPPrefix? = nil, ipProtocol: UInt8? = nil, sourcePorts: Ports? = nil, destinationPorts: Ports? = nil,
    suppressedLength: UInt8? = nil, origin: UInt8 = Route.ours
  ) {
    self.family = family
    self.priority = priority
    self.action = action
    self.mark = mark
    self.markMask = markMask
    self.isInverted = isInverted
    self.inputDevice = inputDevice
    self.outputDevice = outputDevice
    self.source = source
    self.destination = destination
    self.ipProtocol = ipProtocol
    self.sourcePorts = sourcePorts
    self.destinationPorts = destinationPorts
    self.suppressedLength = suppressedLength
    self.origin = origin
  }
}

/// How a marked packet reaches a destination now: the answer that decides, not the link (design: reconnect).
package struct Path: Hashable, Sendable {
  package var device: DeviceName
  package var gateway: IPAddress?
  package var source: IPAddress?

  package init(device: DeviceName, gateway: IPAddress? = nil, source: IPAddress? = nil) {
    self.device = device
    self.gateway = gateway
    self.source = source
  }
}

/// Everything a plan may depend on, read at one moment.
package struct Snapshot: Hashable, Sendable {
  package var links: [Link]
  package var addresses: [InterfaceAddress]
  package var routes: [Route]
  package var rules: [Rule]
  /// False when the kernel has no IPv6 or it is disabled for all.
  package var hasIPv6: Bool

  package init(
    links: [Link] = [], addresses: [InterfaceAddress] = [], routes: [Route] = [], rules: [Rule] = [],
    hasIPv6: Bool = true
  ) {
    self.links = links
    self.addresses = addresses
    self.routes = routes
    self.rules = rules
    self.hasIPv6 = hasIPv6
  }

  package func link(named name: DeviceName) -> Link? { links.first { $0.name == name } }
}
