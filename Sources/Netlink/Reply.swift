import Base
import CNetlink

/// One message of the kernel, valid until the next receive into the same buffer.
@safe
struct Reply {
  private let message: UnsafeMutablePointer<nlmsghdr>

  init(_ message: UnsafeMutablePointer<nlmsghdr>) { unsafe self.message = unsafe message }

  var type: Int { unsafe Int(message.pointee.nlmsg_type) }
  var flags: Int32 { unsafe Int32(message.pointee.nlmsg_flags) }
  /// Of an event: the socket whose request it comes from, 0 when it is the kernel's own doing. Not every kind tells.
  var port: UInt32 { unsafe message.pointee.nlmsg_pid }
  var sequence: UInt32 { unsafe message.pointee.nlmsg_seq }

  /// The fixed part, and the attributes behind it; `nil` when the message is too short for it.
  func parts<Header: BitwiseCopyable>(_ header: Header.Type) -> (header: Header, attributes: Attributes)? {
    let size = MemoryLayout<Header>.size
    guard unsafe Int(nlmsg_datalen(message)) >= size, let data = unsafe nlmsg_data(message) else { return nil }
    let attributes = unsafe Attributes(
      first: nlmsg_attrdata(message, Int32(size)), count: nlmsg_attrlen(message, Int32(size)))
    return unsafe (data.loadUnaligned(as: Header.self), attributes)
  }

  /// The errno and the kernel's words, when this is an acknowledgement or an error.
  var outcome: (code: Int32, text: String?)? {
    guard type == Int(NLMSG_ERROR), let (error, attributes) = parts(nlmsgerr.self) else { return nil }
    // Words follow only with NLM_F_ACK_TLVS; NETLINK_CAP_ACK keeps the request itself out of between.
    let hasText = flags & Int32(NLM_F_ACK_TLVS) != 0
    return (-error.error, hasText ? attributes.string(Int(NLMSGERR_ATTR_MSG.rawValue)) : nil)
  }
}

/// The attributes of a reply, by type. The first of a type counts.
@safe
struct Attributes {
  private var table: [UnsafeMutablePointer<nlattr>?] = unsafe []

  /// No family has more types than this that Adit reads (IFLA_PERM_ADDRESS is 54).
  private static let highest = 63

  init(first: UnsafeMutablePointer<nlattr>?, count: Int32) {
    unsafe table = unsafe Array(repeating: nil, count: Self.highest + 1)
    var left = count
    var next = unsafe first
    while let attribute = unsafe next, unsafe nla_ok(attribute, left) != 0 {
      let type = unsafe Int(nla_type(attribute))
      if type <= Self.highest, unsafe table[type] == nil { unsafe table[type] = unsafe attribute }
      unsafe next = unsafe nla_next(attribute, &left)
    }
  }

  func has(_ type: Int) -> Bool { unsafe table[type] != nil }

  func value<Value: BitwiseCopyable>(_ type: Int, as: Value.Type = Value.self) -> Value? {
    guard let attribute = unsafe table[type], unsafe Int(nla_len(attribute)) >= MemoryLayout<Value>.size else {
      return nil
    }
    return unsafe nla_data(attribute)?.loadUnaligned(as: Value.self)
  }

  func uint8(_ type: Int) -> UInt8? { value(type) }
  func uint16(_ type: Int) -> UInt16? { value(type) }
  func uint32(_ type: Int) -> UInt32? { value(type) }
  func int32(_ type: Int) -> Int32? { value(type) }

  /// nfnetlink has its numbers in network byte order.
  func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Int, as: Value.Type = Value.self) -> Value? {
    value(type).map(Value.init(bigEndian:))
  }

  func bytes(_ type: Int) -> [UInt8]? {
    guard let attribute = unsafe table[type], let data = unsafe nla_data(attribute) else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: data, count: Int(nla_len(attribute))))
  }

  func string(_ type: Int) -> String? {
    bytes(type).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  func address(_ type: Int) -> IPAddress? { bytes(type).flatMap(IPAddress.init(bytes:)) }

  func deviceName(_ type: Int) -> DeviceName? { string(type).flatMap { DeviceName($0) } }

  func nested(_ type: Int) -> Attributes? {
    guard let attribute = unsafe table[type] else { return nil }
    return unsafe Attributes(
      first: nla_data(attribute)?.assumingMemoryBound(to: nlattr.self), count: nla_len(attribute))
  }

  /// The attributes of each element of a list.
  func list(_ type: Int) -> [Attributes] {
    guard let list = unsafe table[type] else { return [] }
    var elements: [Attributes] = []
    var left = unsafe nla_len(list)
    var next = unsafe nla_data(list)?.assumingMemoryBound(to: nlattr.self)
    while let element = unsafe next, unsafe nla_ok(element, left) != 0 {
      elements.append(
        unsafe Attributes(first: nla_data(element)?.assumingMemoryBound(to: nlattr.self), count: nla_len(element)))
      unsafe next = unsafe nla_next(element, &left)
    }
    return elements
  }

  /// The next hops of a multipath route: `struct rtnexthop` records, each with attributes of its own.
  func nextHops(_ type: Int) -> [(index: Int32, flags: UInt8, attributes: Attributes)]? {
    guard let attribute = unsafe table[type], var next = unsafe nla_data(attribute) else { return nil }
    var left = unsafe Int(nla_len(attribute))
    var hops: [(index: Int32, flags: UInt8, attributes: Attributes)] = []
    let size = MemoryLayout<rtnexthop>.size
    while left >= size {
      let hop = unsafe next.loadUnaligned(as: rtnexthop.self)
      let length = Int(hop.rtnh_len)
      guard length >= size, length <= left else { break }
      let attributes = unsafe Attributes(
        first: (next + size).assumingMemoryBound(to: nlattr.self), count: Int32(length - size))
      hops.append((hop.rtnh_ifindex, hop.rtnh_flags, attributes))
      let step = (length + 3) & ~3
      unsafe next += step
      left -= step
    }
    return hops
  }
}
