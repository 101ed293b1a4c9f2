import Base
import CNetlink
import Glibc

extension InterfaceAddress {
  /// The host is the local address; the prefix length belongs to the far end where there is one (ip-address(8), `peer`).
  func message(adding: Bool, index: Int32) -> Message {
    var header = ifaddrmsg()
    header.ifa_family = prefix.family.number
    header.ifa_prefixlen = UInt8(prefix.length)
    header.ifa_index = UInt32(bitPattern: index)
    var flags = NLM_F_ACK
    if adding {
      // For IPv6 NLM_F_REPLACE would keep the old prefix length and say nothing; `settleConflict` handles EEXIST.
      flags |= prefix.family == .ipv4 ? NLM_F_CREATE | NLM_F_REPLACE : NLM_F_CREATE | NLM_F_EXCL
      // Nobody else is at the other end of a tunnel's address, and the tentative second would delay the first packet.
      if prefix.family == .ipv6 { header.ifa_flags = UInt8(IFA_F_NODAD) }
    }
    var message = Message(adding ? Int(RTM_NEWADDR) : Int(RTM_DELADDR), flags: flags, header: header)
    message.put(Int(IFA_LOCAL), prefix.address)
    message.put(Int(IFA_ADDRESS), peer ?? prefix.address)
    return message
  }

  init?(_ reply: Reply, devices: [Int32: DeviceName]) {
    guard reply.type == Int(RTM_NEWADDR), let (header, attributes) = reply.parts(ifaddrmsg.self),
      let device = devices[Int32(bitPattern: header.ifa_index)],
      let far = attributes.address(Int(IFA_ADDRESS)) ?? attributes.address(Int(IFA_LOCAL)),
      let prefix = IPPrefix(attributes.address(Int(IFA_LOCAL)) ?? far, length: Int(header.ifa_prefixlen))
    else { return nil }
    self.init(device: device, prefix: prefix, peer: far == prefix.address ? nil : far)
  }
}

extension NetlinkSocket {
  func addresses(devices: [Int32: DeviceName]) throws(NetlinkFailure) -> [InterfaceAddress] {
    try dump("read the addresses", Int(RTM_GETADDR), header: ifaddrmsg()) { reply in
      InterfaceAddress(reply, devices: devices).map { [$0] } ?? []
    }
  }
}
