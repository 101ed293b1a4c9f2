import Base
import Netlink

/// A connection that runs keeps the address that it was hidden behind, and would stick to its old way with it.
enum RunningConnections {
  /// Has what these devices began looked at anew, as if its next packet were the first.
  static func forget(begunBy fits: (IPAddress) -> Bool) {
    do throws(NetlinkFailure) {
      try Conntrack.delete { fits($0.source) }
    } catch {
      Terminal.complain("adit: connections that run may stick to their old way: \(error)\n")
    }
  }
}
