import CNetlink
import Glibc

/// Hears when somebody takes away an nft table: a firewall that is loaded anew often begins with `flush ruleset`.
package struct FirewallMonitor: ~Copyable {
  private let channel: NetlinkChannel
  private static let deletion = Int(NFNL_SUBSYS_NFTABLES) << 8 | Int(NFT_MSG_DELTABLE.rawValue)
  /// Datagrams taken in one go: a firewall with large sets must not keep the daemon from its other work.
  private static let datagramsAtOnce = 256

  package init() throws(NetlinkFailure) {
    channel = try NetlinkChannel(
      family: NETLINK_NETFILTER, receiveSize: 64 << 10, groups: [NFNLGRP_NFTABLES.rawValue],
      operation: "watch the firewall")
  }

  /// For epoll: readable when there is something to drain.
  package var descriptor: Int32 { channel.descriptor }

  /// Takes what waits.
  /// - Returns: true when a table was deleted, or events were lost and one may have been.
  package func drain() -> Bool {
    var wasDeleted = false
    for _ in 0..<Self.datagramsAtOnce {
      let code = channel.receive(waiting: false) { reply in
        if reply.type == Self.deletion { wasDeleted = true }
      }
      switch code {
      case 0: continue
      case EAGAIN: return wasDeleted
      default: wasDeleted = true
      }
    }
    return wasDeleted
  }
}
