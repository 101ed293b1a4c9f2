import Base
import CNetlink
import Glibc

/// Looks for tables of nf_tables without starting nft, which costs some 20 ms.
package enum FirewallTable {
  /// NFPROTO_INET of linux/netfilter.h, which cannot stand beside glibc's headers.
  private static let inetFamily: UInt8 = 1

  /// True when the table stands in the `inet` family; false where the kernel has no nf_tables.
  package static func exists(_ name: String) throws(NetlinkFailure) -> Bool {
    try answers(Int(NFT_MSG_GETTABLE.rawValue), "look for the nft table \(name)") { request in
      request.put(Int(NFTA_TABLE_NAME.rawValue), name)
    }
  }

  /// True when the table stands and has a set of that name.
  package static func exists(_ name: String, set: String) throws(NetlinkFailure) -> Bool {
    try answers(Int(NFT_MSG_GETSET.rawValue), "look for the set \(set) of the nft table \(name)") { request in
      request.put(Int(NFTA_SET_TABLE.rawValue), name)
      request.put(Int(NFTA_SET_NAME.rawValue), set)
    }
  }

  private static func answers(
    _ question: Int, _ operation: String, _ fill: (inout Message) -> Void
  ) throws(NetlinkFailure) -> Bool {
    let channel = try NetlinkChannel(family: NETLINK_NETFILTER, receiveSize: 16 << 10, operation: operation)
    let header = nfgenmsg(nfgen_family: inetFamily, version: UInt8(NFNETLINK_V0), res_id: 0)
    var request = Message(Int(NFNL_SUBSYS_NFTABLES) << 8 | question, flags: NLM_F_ACK, header: header)
    fill(&request)
    var code = channel.send(request.bytes(sequence: 1))
    var outcome: Int32?
    while code == 0, outcome == nil {
      code = channel.receive { reply in
        if let answer = reply.outcome { outcome = answer.code }
      }
    }
    switch outcome ?? code {
    case 0: return true
    // EINVAL is nfnetlink's answer for a subsystem that is not there.
    case ENOENT, EINVAL, EOPNOTSUPP, EPROTONOSUPPORT: return false
    default: throw NetlinkFailure(operation: operation, code: outcome ?? code)
    }
  }
}
