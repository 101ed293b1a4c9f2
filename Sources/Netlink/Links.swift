package import Base
import CNetlink
import Glibc

/// What to change of a device; `nil` leaves it as it is.
package struct LinkChange: Hashable, Sendable {
  package var name: DeviceName
  package var mtu: Int?
  package var isUp: Bool?
  package var alias: String?
  package var transmitQueueLength: Int?
  /// The bridge that it shall be a port of.
  package var master: Int32?

  package init(
    name: DeviceName, mtu: Int? = nil, isUp: Bool? = nil, alias: String? = nil, transmitQueueLength: Int? = nil,
    master: Int32? = nil
  ) {
    self.name = name
    self.mtu = mtu
    self.isUp = isUp
    self.alias = alias
    self.transmitQueueLength = transmitQueueLength
    self.master = master
  }

  /// RTM_NEWLINK without NLM_F_CREATE changes a device that is there, all of it at once.
  func message(index: Int32) -> Message {
    var header = ifinfomsg()
    header.ifi_family = UInt8(AF_UNSPEC)
    header.ifi_index = index
    if let isUp {
      header.ifi_change = UInt32(IFF_UP)
      header.ifi_flags = isUp ? UInt32(IFF_UP) : 0
    }
    var message = Message(Int(RTM_NEWLINK), flags: NLM_F_ACK, header: header)
    if let mtu { message.put(Int(IFLA_MTU), UInt32(clamping: mtu)) }
    if let alias { message.put(Int(IFLA_IFALIAS), Array(alias.utf8)) }
    if let master { message.putValue(Int(IFLA_MASTER), master) }
    if let transmitQueueLength { message.put(Int(IFLA_TXQLEN), UInt32(clamping: transmitQueueLength)) }
    return message
  }

  static func deletion(index: Int32) -> Message {
    var header = ifinfomsg()
    header.ifi_index = index
    return Message(Int(RTM_DELLINK), flags: NLM_F_ACK, header: header)
  }
}

extension Link {
  /// A device whose name cannot stand in a ruleset is none that Adit may deal with: `nil`.
  init?(_ reply: Reply) {
    guard reply.type == Int(RTM_NEWLINK), let (header, attributes) = reply.parts(ifinfomsg.self),
      let name = attributes.deviceName(Int(IFLA_IFNAME))
    else { return nil }
    self.init(
      index: header.ifi_index, name: name,
      kind: attributes.nested(Int(IFLA_LINKINFO))?.string(Int(IFLA_INFO_KIND)),
      isUp: header.ifi_flags & UInt32(IFF_UP) != 0,
      hasCarrier: attributes.uint8(Int(IFLA_CARRIER)) != 0,
      mtu: Int(attributes.uint32(Int(IFLA_MTU)) ?? 0),
      transmitQueueLength: Int(attributes.uint32(Int(IFLA_TXQLEN)) ?? 0),
      mac: attributes.bytes(Int(IFLA_ADDRESS)).flatMap(MACAddress.init(bytes:)).flatMap { $0.value == 0 ? nil : $0 },
      alias: attributes.string(Int(IFLA_IFALIAS)),
      master: attributes.int32(Int(IFLA_MASTER)))
  }
}

extension NetlinkSocket {
  package func links() throws(NetlinkFailure) -> [Link] {
    var header = ifinfomsg()
    header.ifi_family = UInt8(AF_UNSPEC)
    return try dump("read the devices", Int(RTM_GETLINK), header: header) {
      // Counters are most of the answer, and nobody asked.
      $0.put(Int(IFLA_EXT_MASK), UInt32(RTEXT_FILTER_SKIP_STATS))
    } decode: {
      Link($0).map { [$0] } ?? []
    }
  }

  /// The device of that name, `nil` when there is none.
  package func link(named name: DeviceName) throws(NetlinkFailure) -> Link? {
    try link(index: 0, name: name)
  }

  func link(index: Int32, name: DeviceName? = nil) throws(NetlinkFailure) -> Link? {
    try linkAnswer(index: index, name: name)?.link
  }

  func linkAnswer(
    index: Int32, name: DeviceName? = nil
  ) throws(NetlinkFailure) -> (link: Link, carrierChanges: UInt32)? {
    var header = ifinfomsg()
    header.ifi_index = index
    var request = Message(Int(RTM_GETLINK), flags: NLM_F_ACK, header: header)
    if let name { request.put(Int(IFLA_IFNAME), name.text) }
    request.put(Int(IFLA_EXT_MASK), UInt32(RTEXT_FILTER_SKIP_STATS))
    var found: (link: Link, carrierChanges: UInt32)?
    let (code, text) = ask(request) { reply in
      guard let link = Link(reply) else { return }
      found = (link, reply.parts(ifinfomsg.self)?.attributes.uint32(Int(IFLA_CARRIER_CHANGES)) ?? 0)
    }
    switch code {
    case 0: return found
    case ENODEV: return nil
    default: throw NetlinkFailure(operation: "read a device", code: code, kernelText: text)
    }
  }
}
