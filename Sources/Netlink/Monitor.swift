import CNetlink
import Glibc

/// Hears of every change of the network, from whoever makes it.
///
/// It says only what kind of thing changed: the answer that counts is read anew, since an event is old when it arrives.
package struct Monitor: ~Copyable {
  package enum Kind: Hashable, Sendable, CaseIterable { case link, address, route, rule }

  package struct Report: Hashable, Sendable {
    package var changed: Set<Kind> = []
    /// The kernel dropped events: everything may have changed.
    package var hasOverflowed = false

    package init(changed: Set<Kind> = [], hasOverflowed: Bool = false) {
      self.changed = changed
      self.hasOverflowed = hasOverflowed
    }
  }

  private let channel: NetlinkChannel
  private var socketBuffer: Int32

  /// The kernel fills it only when we are slow. Grown after each overflow, up to the largest.
  private static let firstSocketBuffer: Int32 = 1 << 20
  private static let largestSocketBuffer: Int32 = 8 << 20
  /// One event is far below a page; several are never joined.
  private static let receiveSize = 16 << 10
  /// Events taken in one go, so that a storm cannot keep the daemon from its other work.
  private static let eventsAtOnce = 4096

  private static let groups = [
    RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
    RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
  ]

  /// - Parameter socketBuffer: bytes of events that may wait.
  package init(socketBuffer: Int32? = nil) throws(NetlinkFailure) {
    self.socketBuffer = socketBuffer ?? Self.firstSocketBuffer
    channel = try NetlinkChannel(
      receiveSize: Self.receiveSize, groups: Self.groups.map(\.rawValue), operation: "watch the network")
    channel.setOption(SOL_SOCKET, SO_RCVBUFFORCE, self.socketBuffer)
  }

  /// For epoll: readable when there is something to drain.
  package var descriptor: Int32 { channel.descriptor }

  /// Takes what waits.
  package mutating func drain() -> Report {
    var report = Report()
    var budget = Self.eventsAtOnce
    while budget > 0 {
      budget -= 1
      var changed: Set<Kind> = []
      let code = channel.receive(waiting: false) { reply in
        if let kind = Kind(reply.type) { changed.insert(kind) }
      }
      report.changed.formUnion(changed)
      switch code {
      case 0: continue
      case EAGAIN: return report
      case ENOBUFS:
        report.hasOverflowed = true
        socketBuffer = min(socketBuffer * 2, Self.largestSocketBuffer)
        channel.setOption(SOL_SOCKET, SO_RCVBUFFORCE, socketBuffer)
      default:
        report.hasOverflowed = true
        return report
      }
    }
    return report
  }
}

extension Monitor.Kind {
  fileprivate init?(_ type: Int) {
    switch type {
    case Int(RTM_NEWLINK), Int(RTM_DELLINK): self = .link
    case Int(RTM_NEWADDR), Int(RTM_DELADDR): self = .address
    case Int(RTM_NEWROUTE), Int(RTM_DELROUTE): self = .route
    case Int(RTM_NEWRULE), Int(RTM_DELRULE): self = .rule
    default: return nil
    }
  }
}
