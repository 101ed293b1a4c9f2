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
