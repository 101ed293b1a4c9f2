package import Base
import CNetlink
import Glibc

/// The connections that the kernel tracks.
package enum Conntrack {
  package struct Flow: Hashable, Sendable {
    /// Who began it, and with whom.
    package var source: IPAddress
    package var destination: IPAddress
    /// Where the other end sends its answers: another address than `source` where that is hidden.
    package var answered: IPAddress
    package var mark: UInt32

    package init(source: IPAddress, destination: IPAddress, answered: IPAddress, mark: UInt32 = 0) {
      self.source = source
      self.destination = destination
      self.answered = answered
      self.mark = mark
    }
  }

  private static func type(_ message: cntl_msg_types) -> Int {
    Int(NFNL_SUBSYS_CTNETLINK) << 8 | Int(message.rawValue)
  }

  /// What the kernel says when it does not track anything.
  private static let absent: Set<Int32> = [EINVAL, EOPNOTSUPP, EPROTONOSUPPORT, ENOENT]

  package static func flows() throws(NetlinkFailure) -> [Flow] {
    guard let socket = try FirewallTable.socket() else { return [] }
    return try entries(socket).map(\.flow)
  }

  /// Ends the tracking of what fits; the next packet of such a connection counts as a first one.
  ///
  /// Reads the whole table: some microseconds for each connection.
  /// - Returns: how many there were.
  @discardableResult
  package static func delete(where fits: (Flow) -> Bool) throws(NetlinkFailure) -> Int {
    guard let socket = try FirewallTable.socket() else { return 0 }
    let requests = try entries(socket).filter { fits($0.flow) }.map(\.deletion)
    var count = 0
    for outcome in socket.perform(together: requests) {
      switch outcome.code {
      case 0: count += 1
      // It ended by itself, or another took its place.
      case ENOENT: continue
      default: throw NetlinkFailure(operation: "end a tracked connection", code: outcome.code, kernelText: outcome.text)
      }
    }
    return count
  }

  private struct Entry {
    var flow: Flow
    var deletion: [UInt8]
  }

  private static func entries(_ socket: NetlinkSocket) throws(NetlinkFailure) -> [Entry] {
    let header = nfgenmsg(nfgen_family: UInt8(AF_UNSPEC), version: UInt8(NFNETLINK_V0), res_id: 0)
    do throws(NetlinkFailure) {
      return try socket.dump("read the tracked connections", type(IPCTNL_MSG_CT_GET), header: header) { reply in
        entry(reply).map { [$0] } ?? []
      }
    } catch {
      if absent.contains(error.code) { return [] }
      throw error
    }
  }

  private static func entry(_ reply: Reply) -> Entry? {
    guard let (header, attributes) = reply.parts(nfgenmsg.self),
      let original = addresses(attributes, CTA_TUPLE_ORIG), let answer = addresses(attributes, CTA_TUPLE_REPLY),
      let tuple = attributes.bytes(Int(CTA_TUPLE_ORIG.rawValue))
    else { return nil }
    let flow = Flow(
      source: original.source, destination: original.destination, answered: answer.destination,
      mark: attributes.bigEndian(Int(CTA_MARK.rawValue)) ?? 0)
    var request = Message(
      type(IPCTNL_MSG_CT_DELETE), flags: NLM_F_ACK,
      header: nfgenmsg(nfgen_family: header.nfgen_family, version: UInt8(NFNETLINK_V0), res_id: 0))
    request.put(Int(CTA_TUPLE_ORIG.rawValue) | Int(NLA_F_NESTED), tuple)
    // Another connection may have the same ends by now; its number differs.
    for attribute in [CTA_ID, CTA_ZONE] {
      if let value = attributes.bytes(Int(attribute.rawValue)) { request.put(Int(attribute.rawValue), value) }
    }
    return Entry(flow: flow, deletion: request.bytes(sequence: 0))
  }

  private static func addresses(
    _ attributes: Attributes, _ tuple: ctattr_type
  ) -> (source: IPAddress, destination: IPAddress)? {
    guard let ip = attributes.nested(Int(tuple.rawValue))?.nested(Int(CTA_TUPLE_IP.rawValue)) else { return nil }
    let source = ip.address(Int(CTA_IP_V4_SRC.rawValue)) ?? ip.address(Int(CTA_IP_V6_SRC.rawValue))
    let destination = ip.address(Int(CTA_IP_V4_DST.rawValue)) ?? ip.address(Int(CTA_IP_V6_DST.rawValue))
    guard let source, let destination else { return nil }
    return (source, destination)
  }
}
