import Base
import Gateway
import Netlink

/// The named counters of our table: packets refused since it stands.
package enum RefusedPackets {
  /// By the counter's name; none where the table does not stand.
  package static func counts() -> [String: UInt64] {
    do throws(NetlinkFailure) {
      return try FirewallTable.counters(of: Firewall.table).mapValues(\.packets)
    } catch {
      return [:]
    }
  }
}
