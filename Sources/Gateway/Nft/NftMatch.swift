package import Base

/// One condition of a rule.
package enum NftMatch: Hashable, Sendable {
  /// The device a packet came in by.
  case input(NftDevices, isNegated: Bool = false)
  /// The device it will leave by.
  case output(NftDevices, isNegated: Bool = false)
  case family(AddressFamily)
  case familyIn(NftName)
  case source(AddressFamily, NftAddresses)
  case destination(AddressFamily, NftAddresses)
  case etherSource(set: NftName)
  /// The packet's mark under the mask.
  case mark(UInt32, mask: UInt32, isNegated: Bool = false)
  /// The mark of its connection under the mask.
  case connectionMark(UInt32, mask: UInt32)
  case direction(NftDirection)
  /// The first packet of a connection (`ct state new`).
  case isNew
  /// Any of these protocols above IP, extension headers skipped.
  case protocols([IPProtocol])
  /// The protocol field of an IPv4 header.
  case headerProtocol(IPProtocol)
  case ports(NftPorts)
  /// A TCP SYN, with or without ACK, and no RST.
  case opensConnection
  /// The destination is the router itself, a broadcast, multicast or anycast address.
  case isForRouter
  /// Asked as for a packet of the router itself, the rules send it out by one of these devices, never none. A named set is of
  /// another type for nft.
  case routesInto([DeviceName])
  /// The source is an address of the router itself.
  case isFromRouter
  case icmpv6Types([ICMPv6Type])
}

package enum NftDirection: String, Hashable, Sendable { case original, reply }

package enum NftDevices: Hashable, Sendable {
  case device(DeviceName)
  case set(NftName)
  /// `lo`, by which the router speaks to itself.
  case loopback
}

package enum NftAddresses: Hashable, Sendable {
  case set(NftName)
  /// Never empty.
  case prefixes([IPPrefix])
}

package struct NftPorts: Hashable, Sendable {
  package enum Header: String, Hashable, Sendable {
    case tcp, udp
    /// Whichever protocol with ports it is, where another match tells.
    case transport = "th"
  }
  package enum End: String, Hashable, Sendable {
    case source = "sport"
    case destination = "dport"
  }

  package var header: Header
  package var end: End
  /// Never empty.
  package var ranges: [Rule.Ports]

  package init(_ header: Header, _ end: End, _ ranges: [Rule.Ports]) {
    self.header = header
    self.end = end
    self.ranges = ranges
  }
}

/// Neighbour discovery and multicast listening, without which IPv6 does not work (RFC 4861, RFC 3810).
package enum ICMPv6Type: String, Hashable, Sendable, CaseIterable {
  case routerSolicit = "nd-router-solicit"
  case routerAdvert = "nd-router-advert"
  case neighborSolicit = "nd-neighbor-solicit"
  case neighborAdvert = "nd-neighbor-advert"
  case listenerReport = "mld-listener-report"
  case listenerReport2 = "mld2-listener-report"

  package var number: UInt8 {
    switch self {
    case .routerSolicit: 133
    case .routerAdvert: 134
    case .neighborSolicit: 135
    case .neighborAdvert: 136
    case .listenerReport: 131
    case .listenerReport2: 143
    }
  }
}

/// The short forms that most rules are made of.
extension NftMatch {
  /// Came in by a device of the set.
  static func from(_ set: NftName) -> NftMatch { .input(.set(set)) }
  /// Leaves by a device of the set.
  static func into(_ set: NftName) -> NftMatch { .output(.set(set)) }
  static func notInto(_ set: NftName) -> NftMatch { .output(.set(set), isNegated: true) }
  static func source(_ family: AddressFamily, in set: NftName) -> NftMatch { .source(family, .set(set)) }
  static func destination(_ family: AddressFamily, in set: NftName) -> NftMatch { .destination(family, .set(set)) }
  static func udp(from port: UInt16) -> NftMatch { .ports(NftPorts(.udp, .source, [.init(port)])) }
  static func udp(to port: UInt16) -> NftMatch { .ports(NftPorts(.udp, .destination, [.init(port)])) }
}
