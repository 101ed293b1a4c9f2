package import Base
import CNetlink
import Glibc

extension NetlinkSocket {
  /// Makes a cable: `name` here, `peer` in another network namespace. Both ends are down.
  /// - Parameter namespace: a descriptor of the other namespace.
  package func addVeth(_ name: DeviceName, peer: DeviceName, in namespace: Int32) throws(NetlinkFailure) {
    var request = Message(Int(RTM_NEWLINK), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, header: ifinfomsg())
    request.put(Int(IFLA_IFNAME), name.text)
    request.nest(Int(IFLA_LINKINFO)) { info in
      info.put(Int(IFLA_INFO_KIND), Array("veth".utf8))
      info.nest(Int(IFLA_INFO_DATA)) { data in
        data.nest(Self.peerInfo) { far in
          // The far end is described like a request of its own (drivers/net/veth.c, veth_newlink).
          far.append(ifinfomsg())
          far.put(Int(IFLA_IFNAME), peer.text)
          far.put(Int(IFLA_NET_NS_FD), UInt32(bitPattern: namespace))
        }
      }
    }
    let outcome = ask(request) { _ in }
    guard outcome.code == 0 else {
      throw NetlinkFailure(operation: "make the device \(name)", code: outcome.code, kernelText: outcome.text)
    }
  }

  /// VETH_INFO_PEER of linux/veth.h, which libnl does not bring along.
  private static let peerInfo = 1
}
