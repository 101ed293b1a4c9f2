import Base
import CNetlink
import Glibc

/// Hears of every change of the network, from whoever makes it.
///
/// It says only what kind of thing changed: the answer that counts is read anew, since an event is old when it arrives.
package struct Monitor: ~Copyable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    case link, address, route, rule
    /// One of the few settings below net/ that the kernel tells of: forwarding, rp_filter.
    case setting
  }

  package struct Report: Hashable, Sendable {
    package var changed: Set<Kind> = []
    /// Something of ours went, and not by the socket that was to be left out: a rule or a route, a device with our alias
    /// that was deleted or put down.
    package var hasLost = false
    /// The kernel dropped events: everything may have changed.
    package var hasOverflowed = false

    package init(changed: Set<Kind> = [], hasLost: Bool = false, hasOverflowed: Bool = false) {
      self.changed = changed
      self.hasLost = hasLost
      self.hasOverflowed = hasOverflowed
    }
  }

  private let channel: NetlinkChannel
  private var socketBuffer: Int32
  private var own: OwnThings

  /// The kernel fills it only when we are slow. Grown after each overflow, up to the largest.
  private static let firstSocketBuffer: Int32 = 1 << 20
  private static let largestSocketBuffer: Int32 = 8 << 20
  /// One event is far below a page; several are never joined.
  private static let receiveSize = 16 << 10
  /// Events taken in one go, so that a storm cannot keep the daemon from its other work.
  private static let eventsAtOnce = 4096

  private static let groups = [
    RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
    RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_IPV4_NETCONF, RTNLGRP_IPV6_NETCONF,
  ]

  /// - Parameters:
  ///   - aliasPrefix: how the aliases of our devices begin.
  ///   - socketBuffer: bytes of events that may wait.
  package init(aliasPrefix: String, socketBuffer: Int32? = nil) throws(NetlinkFailure) {
    own = OwnThings(aliasPrefix: aliasPrefix)
    self.socketBuffer = socketBuffer ?? Self.firstSocketBuffer
    channel = try NetlinkChannel(
      receiveSize: Self.receiveSize, groups: Self.groups.map(\.rawValue), operation: "watch the network")
    channel.setOption(SOL_SOCKET, SO_RCVBUFFORCE, self.socketBuffer)
  }

  /// For epoll: readable when there is something to drain.
  package var descriptor: Int32 { channel.descriptor }

  /// Takes what waits.
  /// - Parameter own: the socket by which we make changes ourselves.
  package mutating func drain(leavingOut socket: NetlinkSocket? = nil) -> Report {
    var report = Report()
    var budget = Self.eventsAtOnce
    while budget > 0 {
      budget -= 1
      var own = own
      let code = channel.receive(waiting: false) { reply in
        guard let kind = Kind(reply.type) else { return }
        report.changed.insert(kind)
        if own.isLoss(reply), socket.map({ $0.port != reply.port }) ?? true { report.hasLost = true }
      }
      self.own = own
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

/// Knows from events alone when something of ours goes.
private struct OwnThings {
  let aliasPrefix: String
  /// Devices that are up: one that is just being made is not up either.
  var up: Set<Int32> = []

  mutating func isLoss(_ reply: Reply) -> Bool {
    switch reply.type {
    case Int(RTM_DELROUTE): return reply.parts(rtmsg.self)?.header.rtm_protocol == Route.ours
    case Int(RTM_DELRULE):
      return reply.parts(fib_rule_hdr.self)?.attributes.uint8(Int(FRA_PROTOCOL)) == Route.ours
    case Int(RTM_NEWLINK), Int(RTM_DELLINK):
      guard let (header, attributes) = reply.parts(ifinfomsg.self),
        attributes.string(Int(IFLA_IFALIAS))?.hasPrefix(aliasPrefix) ?? false
      else { return false }
      if reply.type == Int(RTM_NEWLINK), header.ifi_flags & UInt32(IFF_UP) != 0 {
        up.insert(header.ifi_index)
        return false
      }
      return up.remove(header.ifi_index) != nil || reply.type == Int(RTM_DELLINK)
    default: return false
    }
  }
}

extension Monitor.Kind {
  fileprivate init?(_ type: Int) {
    switch type {
    case Int(RTM_NEWLINK), Int(RTM_DELLINK): self = .link
    case Int(RTM_NEWADDR), Int(RTM_DELADDR): self = .address
    case Int(RTM_NEWROUTE), Int(RTM_DELROUTE): self = .route
    case Int(RTM_NEWRULE), Int(RTM_DELRULE): self = .rule
    case Int(RTM_NEWNETCONF), Int(RTM_DELNETCONF): self = .setting
    default: return nil
    }
  }
}
