import Base
import CNetlink
import Glibc

/// Looks into tables of nf_tables, family `inet`, without starting nft, which costs some 20 ms.
package enum FirewallTable {
  /// NFPROTO_INET of linux/netfilter.h, which cannot stand beside glibc's headers.
  static let inetFamily: UInt8 = 1

  static var header: nfgenmsg { nfgenmsg(nfgen_family: inetFamily, version: UInt8(NFNETLINK_V0), res_id: 0) }

  static func type(_ message: nf_tables_msg_types) -> Int { Int(NFNL_SUBSYS_NFTABLES) << 8 | Int(message.rawValue) }

  /// nfnetlink's answers when the thing, or the whole subsystem, is not there.
  static let absent: Set<Int32> = [ENOENT, EINVAL, EOPNOTSUPP, EPROTONOSUPPORT]

  /// True when the table stands; false where the kernel has no nf_tables.
  package static func exists(_ name: String) throws(NetlinkFailure) -> Bool {
    try answers(NFT_MSG_GETTABLE, "look for the nft table \(name)") { request in
      request.put(Int(NFTA_TABLE_NAME.rawValue), name)
    }
  }

  /// True when the table stands and has a set of that name.
  package static func exists(_ name: String, set: String) throws(NetlinkFailure) -> Bool {
    try answers(NFT_MSG_GETSET, "look for the set \(set) of the nft table \(name)") { request in
      request.put(Int(NFTA_SET_TABLE.rawValue), name)
      request.put(Int(NFTA_SET_NAME.rawValue), set)
    }
  }

  private static func answers(
    _ question: nf_tables_msg_types, _ operation: String, _ fill: (inout Message) -> Void
  ) throws(NetlinkFailure) -> Bool {
    guard let socket = try socket() else { return false }
    var request = Message(type(question), flags: NLM_F_ACK, header: header)
    fill(&request)
    let outcome = socket.ask(request) { _ in }
    if outcome.code == 0 { return true }
    if absent.contains(outcome.code) { return false }
    throw NetlinkFailure(operation: operation, code: outcome.code, kernelText: outcome.text)
  }

  /// - Returns: `nil` where the kernel has no netfilter at all.
  static func socket() throws(NetlinkFailure) -> NetlinkSocket? {
    do throws(NetlinkFailure) {
      return try NetlinkSocket(family: NETLINK_NETFILTER)
    } catch {
      if error.code == EPROTONOSUPPORT { return nil }
      throw error
    }
  }

  /// One kind of thing in the tables; what is not there has nothing in it.
  static func dump<Entry>(
    _ question: nf_tables_msg_types, _ socket: NetlinkSocket, _ fill: (inout Message) -> Void,
    decode: (Attributes) -> [Entry]
  ) throws(NetlinkFailure) -> [Entry] {
    do throws(NetlinkFailure) {
      return try socket.dump("read an nft table", type(question), header: header, fill) { reply in
        guard let (header, attributes) = reply.parts(nfgenmsg.self), header.nfgen_family == inetFamily else {
          return []
        }
        return decode(attributes)
      }
    } catch {
      if absent.contains(error.code) { return [] }
      throw error
    }
  }
}
