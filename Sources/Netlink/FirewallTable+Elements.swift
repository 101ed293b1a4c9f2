import Base
import CNetlink
import Glibc

extension FirewallTable {
  /// One element of a set.
  package struct Element: Hashable, Sendable {
    /// As nf_tables has it: an address in network order, a device's name with zeros up to 16 bytes.
    package var key: [UInt8]
    /// The time it gets, or has left; `nil` = it stays.
    package var timeout: Duration?

    package init(key: [UInt8], timeout: Duration? = nil) {
      self.key = key
      self.timeout = timeout
    }
  }

  /// Elements that one transaction takes, three messages each: a reasonable piece of the socket's send buffer.
  private static let elementsAtOnce = 64

  /// What stands in a set, and how long it has left; nothing when there is no such set.
  package static func elements(of set: String, in table: String) throws(NetlinkFailure) -> [Element] {
    guard let socket = try socket() else { return [] }
    return try dump(NFT_MSG_GETSETELEM, socket) {
      $0.put(Int(NFTA_SET_ELEM_LIST_TABLE.rawValue), table)
      $0.put(Int(NFTA_SET_ELEM_LIST_SET.rawValue), set)
    } decode: { attributes in
      attributes.list(Int(NFTA_SET_ELEM_LIST_ELEMENTS.rawValue)).compactMap { element in
        guard
          let key = element.nested(Int(NFTA_SET_ELEM_KEY.rawValue))?.bytes(Int(NFTA_DATA_VALUE.rawValue))
        else { return nil }
        let left: UInt64? = element.bigEndian(Int(NFTA_SET_ELEM_EXPIRATION.rawValue))
        return Element(key: key, timeout: left.map { .milliseconds(Int64(clamping: $0)) })
      }
    }
  }

  /// Puts elements into a set; one that is there gets its new time.
  ///
  /// - Returns: false when there is no such set, or no such table.
  /// - Throws: what else the kernel has against it: a full set, for one. Earlier pieces stand then.
  package static func add(
    _ elements: [Element], to set: String, in table: String
  ) throws(NetlinkFailure) -> Bool {
    // A kernel before 6.12 keeps the old time of an element that is added again: so it comes, goes and comes.
    try change(elements, of: set, in: table) { element in
      let bare = Element(key: element.key)
      return [(NFT_MSG_NEWSETELEM, bare), (NFT_MSG_DELSETELEM, bare), (NFT_MSG_NEWSETELEM, element)]
    }
  }

  /// Takes elements out of a set; one that is not there is gone.
  /// - Returns: false when there is no such set, or no such table.
  package static func remove(
    _ elements: [Element], from set: String, in table: String
  ) throws(NetlinkFailure) -> Bool {
    try change(elements, of: set, in: table) { element in
      let bare = Element(key: element.key)
      return [(NFT_MSG_NEWSETELEM, bare), (NFT_MSG_DELSETELEM, bare)]
    }
  }

  private static func change(
    _ elements: [Element], of set: String, in table: String,
    _ steps: (Element) -> [(nf_tables_msg_types, Element)]
  ) throws(NetlinkFailure) -> Bool {
    guard try exists(table, set: set), let socket = try socket() else { return false }
    var rest = elements[...]
    while !rest.isEmpty {
      let requests = rest.prefix(elementsAtOnce).flatMap(steps).map { step, element in
        message(step, element, set: set, table: table).bytes(sequence: 0)
      }
      rest = rest.dropFirst(elementsAtOnce)
      switch socket.transact(requests) {
      case (0, _): continue
      case (ENOENT, _): return false
      case (let code, let text):
        throw NetlinkFailure(operation: "change the set \(set) of the nft table \(table)", code: code, kernelText: text)
      }
    }
    return true
  }

  private static func message(
    _ step: nf_tables_msg_types, _ element: Element, set: String, table: String
  ) -> Message {
    let isAddition = step == NFT_MSG_NEWSETELEM
    var message = Message(
      type(step), flags: NLM_F_ACK | (isAddition ? NLM_F_CREATE : 0), header: header)
    message.put(Int(NFTA_SET_ELEM_LIST_TABLE.rawValue), table)
    message.put(Int(NFTA_SET_ELEM_LIST_SET.rawValue), set)
    message.nest(Int(NFTA_SET_ELEM_LIST_ELEMENTS.rawValue)) { message in
      message.nest(Int(NFTA_LIST_ELEM.rawValue)) { message in
        message.nest(Int(NFTA_SET_ELEM_KEY.rawValue)) { $0.put(Int(NFTA_DATA_VALUE.rawValue), element.key) }
        guard let timeout = element.timeout else { return }
        // At least a millisecond: 0 means that it stays.
        let milliseconds = max(timeout / .milliseconds(1), 1)
        message.putValue(Int(NFTA_SET_ELEM_TIMEOUT.rawValue), UInt64(milliseconds).bigEndian)
      }
    }
    return message
  }
}

extension NetlinkSocket {
  /// Sends requests of nf_tables as one transaction: all of them are done, or none.
  /// - Returns: the errno (0 = done) and the kernel's words of the first that was refused.
  func transact(_ requests: [[UInt8]]) -> (code: Int32, text: String?) {
    var header = nfgenmsg()
    header.res_id = UInt16(NFNL_SUBSYS_NFTABLES).bigEndian
    let begin = Message(Int(NFNL_MSG_BATCH_BEGIN), header: header).bytes(sequence: 0)
    let end = Message(Int(NFNL_MSG_BATCH_END), header: header).bytes(sequence: 0)
    return transact(begin: begin, requests, end: end)
  }
}
