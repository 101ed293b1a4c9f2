import CNetlink
import Glibc

/// What one transaction of nf_tables did to a table.
package struct FirewallChange: Hashable, Sendable {
  /// Who did it, as the kernel names it: in the process numbers of the whole machine, and with a name that the program chose.
  package var process: Int32?
  package var program: String?
  package var deletesTable = false
  /// Rules, chains, sets and objects.
  package var removed = 0
  package var added = 0
  package var newChains: Set<String> = []
  /// Sets whose elements came or went.
  package var changedSets: Set<String> = []

  package init() {}

  var isEmpty: Bool { !deletesTable && removed == 0 && added == 0 && changedSets.isEmpty }
}

/// Hears what anybody does to a table of nf_tables, family `inet`, transaction by transaction.
///
/// Elements whose time is over go without a word.
package struct FirewallMonitor: ~Copyable {
  package struct Report: Hashable, Sendable {
    package var changes: [FirewallChange] = []
    /// The kernel dropped events: anything may have happened.
    package var hasOverflowed = false

    package init(changes: [FirewallChange] = [], hasOverflowed: Bool = false) {
      self.changes = changes
      self.hasOverflowed = hasOverflowed
    }
  }

  private let channel: NetlinkChannel
  private let table: String
  /// The transaction whose end has not come yet.
  private var current = FirewallChange()
  private var socketBuffer: Int32

  private static let firstSocketBuffer: Int32 = 1 << 20
  private static let largestSocketBuffer: Int32 = 16 << 20
  /// Datagrams taken in one go: a firewall with large sets must not keep the daemon from its other work.
  private static let datagramsAtOnce = 1024
  /// Names kept of one transaction; who makes more has changed enough.
  private static let mostNames = 1024

  /// - Parameter socketBuffer: bytes of events that may wait.
  package init(table: String, socketBuffer: Int32? = nil) throws(NetlinkFailure) {
    self.table = table
    self.socketBuffer = socketBuffer ?? Self.firstSocketBuffer
    channel = try NetlinkChannel(
      family: NETLINK_NETFILTER, receiveSize: 64 << 10, groups: [NFNLGRP_NFTABLES.rawValue],
      operation: "watch the firewall")
    channel.setOption(SOL_SOCKET, SO_RCVBUFFORCE, self.socketBuffer)
  }

  /// For epoll: readable when there is something to drain.
  package var descriptor: Int32 { channel.descriptor }

  /// True when a further overflow does not make more room.
  package var isLargest: Bool { socketBuffer >= Self.largestSocketBuffer }

  /// Takes what waits.
  package mutating func drain() -> Report {
    var report = Report()
    for _ in 0..<Self.datagramsAtOnce {
      var change = current
      let code = channel.receive(waiting: false) { reply in
        if let end = Self.end(reply) {
          change.process = end.process
          change.program = end.program
          if !change.isEmpty { report.changes.append(change) }
          change = FirewallChange()
        } else {
          change.note(reply, of: table, mostNames: Self.mostNames)
        }
      }
      current = change
      switch code {
      case 0: continue
      case EAGAIN: return report
      case ENOBUFS:
        report.hasOverflowed = true
        current = FirewallChange()
        socketBuffer = min(socketBuffer * 2, Self.largestSocketBuffer)
        channel.setOption(SOL_SOCKET, SO_RCVBUFFORCE, socketBuffer)
      default:
        report.hasOverflowed = true
        return report
      }
    }
    return report
  }

  /// NFT_MSG_NEWGEN ends each transaction (nf_tables_gen_notify in net/netfilter/nf_tables_api.c).
  private static func end(_ reply: Reply) -> (process: Int32?, program: String?)? {
    guard reply.type == FirewallTable.type(NFT_MSG_NEWGEN), let (_, attributes) = reply.parts(nfgenmsg.self) else {
      return nil
    }
    return (
      attributes.bigEndian(Int(NFTA_GEN_PROC_PID.rawValue)), attributes.string(Int(NFTA_GEN_PROC_NAME.rawValue))
    )
  }
}

extension FirewallChange {
  private static let additions = Set(
    [NFT_MSG_NEWTABLE, NFT_MSG_NEWCHAIN, NFT_MSG_NEWRULE, NFT_MSG_NEWSET, NFT_MSG_NEWOBJ, NFT_MSG_NEWFLOWTABLE]
      .map(FirewallTable.type))
  private static let removals = Set(
    [NFT_MSG_DELTABLE, NFT_MSG_DELCHAIN, NFT_MSG_DELRULE, NFT_MSG_DELSET, NFT_MSG_DELOBJ, NFT_MSG_DELFLOWTABLE]
      .map(FirewallTable.type))

  /// Every kind of message has the name of its table for its first attribute.
  private static let tableName = Int(NFTA_TABLE_NAME.rawValue)

  fileprivate mutating func note(_ reply: Reply, of table: String, mostNames: Int) {
    guard let (header, attributes) = reply.parts(nfgenmsg.self), header.nfgen_family == FirewallTable.inetFamily,
      attributes.string(Self.tableName) == table
    else { return }
    switch reply.type {
    case FirewallTable.type(NFT_MSG_NEWSETELEM), FirewallTable.type(NFT_MSG_DELSETELEM):
      guard changedSets.count < mostNames else { return }
      changedSets.insert(attributes.string(Int(NFTA_SET_ELEM_LIST_SET.rawValue)) ?? "")
    case let type where Self.additions.contains(type):
      added += 1
      if type == FirewallTable.type(NFT_MSG_NEWCHAIN), newChains.count < mostNames,
        let name = attributes.string(Int(NFTA_CHAIN_NAME.rawValue))
      {
        newChains.insert(name)
      }
    case let type where Self.removals.contains(type):
      removed += 1
      if type == FirewallTable.type(NFT_MSG_DELTABLE) { deletesTable = true }
    default: return
    }
  }
}
