package import Base
import CNetlink
import Glibc

extension Neighbour {
  /// `nil` for entries without a link address: failed and incomplete ones.
  init?(_ reply: Reply, devices: [Int32: DeviceName]) {
    guard reply.type == Int(RTM_NEWNEIGH), let (header, attributes) = reply.parts(ndmsg.self),
      AddressFamily(number: header.ndm_family) != nil, let device = devices[header.ndm_ifindex],
      let address = attributes.address(Int(NDA_DST)),
      let mac = attributes.bytes(Int(NDA_LLADDR)).flatMap(MACAddress.init(bytes:))
    else { return nil }
    self.init(address: address, mac: mac, device: device)
  }
}

extension NetlinkSocket {
  /// The neighbour tables of both families.
  package func neighbours() throws(NetlinkFailure) -> [Neighbour] {
    let links = try links()
    let devices = Dictionary(links.map { ($0.index, $0.name) }, uniquingKeysWith: { first, _ in first })
    var all: [Neighbour] = []
    for family in AddressFamily.allCases {
      var header = ndmsg()
      header.ndm_family = family.number
      all += try dump("read the neighbours", Int(RTM_GETNEIGH), header: header) {
        Neighbour($0, devices: devices).map { [$0] } ?? []
      }
    }
    return all
  }
}

/// Whether a host on one of our links is there, as far as the kernel knows.
package enum NeighbourState: Hashable, Sendable {
  case answers
  /// It did, a while ago.
  case unconfirmed
  /// It was asked and has not answered.
  case silent
}

extension NetlinkSocket {
  private static let answering = UInt16(NUD_REACHABLE | NUD_PERMANENT | NUD_NOARP)
  private static let silent = UInt16(NUD_INCOMPLETE | NUD_FAILED)

  /// - Returns: `nil` when the kernel has not asked for it.
  package func state(of address: IPAddress, on device: DeviceName) throws(NetlinkFailure) -> NeighbourState? {
    guard let index = try links().first(where: { $0.name == device })?.index else { return nil }
    var header = ndmsg()
    header.ndm_family = address.family.number
    let all: [UInt16] = try dump("read the neighbours", Int(RTM_GETNEIGH), header: header) { reply in
      guard reply.type == Int(RTM_NEWNEIGH), let (header, attributes) = reply.parts(ndmsg.self),
        header.ndm_ifindex == index, attributes.address(Int(NDA_DST)) == address
      else { return [] }
      return [header.ndm_state]
    }
    return all.first.map { state in
      state & Self.answering != 0 ? .answers : state & Self.silent != 0 ? .silent : .unconfirmed
    }
  }

  /// Lets the kernel ask the host anew, by ARP or neighbour discovery; it believes for half a minute that who answered once
  /// is there. After some three seconds the state tells.
  package func confirm(_ address: IPAddress, on device: DeviceName) throws(NetlinkFailure) {
    guard let index = try links().first(where: { $0.name == device })?.index else { return }
    var header = ndmsg()
    header.ndm_family = address.family.number
    header.ndm_ifindex = index
    header.ndm_state = UInt16(NUD_PROBE)
    var request = Message(Int(RTM_NEWNEIGH), flags: NLM_F_ACK | NLM_F_REPLACE, header: header)
    request.put(Int(NDA_DST), address)
    // One that is unknown or silent needs no asking: the packet that is sent makes the kernel ask.
    _ = ask(request) { _ in }
  }

  /// Forgets a host that was asked and has not answered: the next packet asks at once, not when the kernel's second is over.
  package func forget(_ address: IPAddress, on device: DeviceName) throws(NetlinkFailure) {
    guard try state(of: address, on: device) == .silent,
      let index = try links().first(where: { $0.name == device })?.index
    else { return }
    var header = ndmsg()
    header.ndm_family = address.family.number
    header.ndm_ifindex = index
    var request = Message(Int(RTM_DELNEIGH), flags: NLM_F_ACK, header: header)
    request.put(Int(NDA_DST), address)
    _ = ask(request) { _ in }
  }
}
