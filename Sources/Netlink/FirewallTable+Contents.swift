import Base
import CNetlink
import Glibc

extension FirewallTable {
  /// What stands in a table, but its rules and elements.
  package struct Contents: Hashable, Sendable {
    package struct Set: Hashable, Sendable {
      package var name: String
      /// nft's number of the type, and its bytes.
      package var keyType: UInt32
      package var keyLength: UInt32
      package var flags: UInt32
      package var size: UInt32?

      package init(name: String, keyType: UInt32, keyLength: UInt32, flags: UInt32, size: UInt32? = nil) {
        self.name = name
        self.keyType = keyType
        self.keyLength = keyLength
        self.flags = flags
        self.size = size
      }

      package var isMap: Bool { flags & (NFT_SET_MAP.rawValue | NFT_SET_OBJECT.rawValue) != 0 }
      /// Made by nft for one rule, and gone with it.
      package var isAnonymous: Bool { flags & NFT_SET_ANONYMOUS.rawValue != 0 }
      /// True for a plain set whose elements may have a time, and nothing more.
      package var isTimed: Bool { flags == NFT_SET_TIMEOUT.rawValue }
    }

    package var chains: [String] = []
    package var sets: [Set] = []
    package var counters: [String] = []
    /// True when there are quotas, limits and the like.
    package var hasOtherObjects = false

    package init() {}
  }

  package struct Counter: Hashable, Sendable {
    package var packets: UInt64
    package var bytes: UInt64

    package init(packets: UInt64, bytes: UInt64) {
      self.packets = packets
      self.bytes = bytes
    }
  }

  /// - Returns: `nil` when there is no such table.
  package static func contents(of name: String) throws(NetlinkFailure) -> Contents? {
    guard try exists(name), let socket = try socket() else { return nil }
    var contents = Contents()
    contents.chains = try dump(NFT_MSG_GETCHAIN, socket) { _ in
    } decode: { attributes in
      guard attributes.string(Int(NFTA_CHAIN_TABLE.rawValue)) == name else { return [] }
      return attributes.string(Int(NFTA_CHAIN_NAME.rawValue)).map { [$0] } ?? []
    }
    contents.sets = try dump(NFT_MSG_GETSET, socket) {
      $0.put(Int(NFTA_SET_TABLE.rawValue), name)
    } decode: { attributes in
      guard attributes.string(Int(NFTA_SET_TABLE.rawValue)) == name else { return [] }
      return Contents.Set(attributes).map { [$0] } ?? []
    }
    let objects = try objects(of: name, socket)
    contents.counters = objects.filter { $0.type == UInt32(NFT_OBJECT_COUNTER) }.map(\.name)
    contents.hasOtherObjects = objects.count != contents.counters.count
    return contents
  }

  /// How many rules stand in the table.
  package static func ruleCount(of name: String) throws(NetlinkFailure) -> Int {
    guard let socket = try socket() else { return 0 }
    return try dump(NFT_MSG_GETRULE, socket) {
      $0.put(Int(NFTA_RULE_TABLE.rawValue), name)
    } decode: { attributes in
      attributes.string(Int(NFTA_RULE_TABLE.rawValue)) == name ? [()] : []
    }.count
  }

  /// The named counters of the table; none when it is not there.
  package static func counters(of name: String) throws(NetlinkFailure) -> [String: Counter] {
    guard let socket = try socket() else { return [:] }
    let pairs = try objects(of: name, socket).compactMap { object in object.counter.map { (object.name, $0) } }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private struct Object {
    var name: String
    var type: UInt32
    var counter: Counter?
  }

  private static func objects(of name: String, _ socket: NetlinkSocket) throws(NetlinkFailure) -> [Object] {
    try dump(NFT_MSG_GETOBJ, socket) {
      $0.put(Int(NFTA_OBJ_TABLE.rawValue), name)
    } decode: { attributes in
      guard attributes.string(Int(NFTA_OBJ_TABLE.rawValue)) == name,
        let object = attributes.string(Int(NFTA_OBJ_NAME.rawValue)),
        let type = attributes.bigEndian(Int(NFTA_OBJ_TYPE.rawValue), as: UInt32.self)
      else { return [] }
      guard type == UInt32(NFT_OBJECT_COUNTER), let data = attributes.nested(Int(NFTA_OBJ_DATA.rawValue)),
        let packets = data.bigEndian(Int(NFTA_COUNTER_PACKETS.rawValue), as: UInt64.self),
        let bytes = data.bigEndian(Int(NFTA_COUNTER_BYTES.rawValue), as: UInt64.self)
      else { return [Object(name: object, type: type)] }
      return [Object(name: object, type: type, counter: Counter(packets: packets, bytes: bytes))]
    }
  }
}

extension FirewallTable.Contents.Set {
  fileprivate init?(_ attributes: Attributes) {
    guard let name = attributes.string(Int(NFTA_SET_NAME.rawValue)) else { return nil }
    self.init(
      name: name, keyType: attributes.bigEndian(Int(NFTA_SET_KEY_TYPE.rawValue)) ?? 0,
      keyLength: attributes.bigEndian(Int(NFTA_SET_KEY_LEN.rawValue)) ?? 0,
      flags: attributes.bigEndian(Int(NFTA_SET_FLAGS.rawValue)) ?? 0,
      size: attributes.nested(Int(NFTA_SET_DESC.rawValue))?.bigEndian(Int(NFTA_SET_DESC_SIZE.rawValue)))
  }
}
