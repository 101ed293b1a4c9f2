import Base
import CNetlink

/// One request being built by libnl.
///
/// libnl's objects (rtnl_rule and its like) are not used: release 3.7 lacks half of a rule's selectors, loses the errno
/// and, linked statically, knows only the object types that somebody references.
@safe
struct Message: ~Copyable {
  private let message: OpaquePointer

  /// More than the longest request of ours: a link with an alias of IFALIASZ (256) bytes.
  static let capacity = 1024

  init(_ type: Int, flags: Int32 = 0, header: some BitwiseCopyable, capacity: Int = capacity) {
    guard let message = unsafe nlmsg_alloc_size(capacity) else { fatalError("out of memory") }
    unsafe self.message = unsafe message
    let place = unsafe nlmsg_put(message, UInt32(NL_AUTO_PORT), 0, Int32(type), 0, NLM_F_REQUEST | flags)
    precondition(unsafe place != nil, "a netlink message outgrew its buffer")
    var header = header
    let result = unsafe withUnsafeMutableBytes(of: &header) {
      unsafe nlmsg_append(message, $0.baseAddress, $0.count, Int32(NLMSG_ALIGNTO))
    }
    precondition(result == 0, "a netlink message outgrew its buffer")
  }

  deinit { unsafe nlmsg_free(message) }

  mutating func put(_ attribute: Int, _ value: UInt8) { putValue(attribute, value) }
  mutating func put(_ attribute: Int, _ value: UInt32) { putValue(attribute, value) }
  mutating func put(_ attribute: Int, _ value: IPAddress) { put(attribute, value.bytes) }
  mutating func put(_ attribute: Int, _ value: String) { put(attribute, Array(value.utf8) + [0]) }

  mutating func put(_ attribute: Int, _ value: [UInt8]) {
    let result = unsafe value.withUnsafeBytes {
      unsafe nla_put(message, Int32(attribute), Int32($0.count), $0.baseAddress)
    }
    precondition(result == 0, "a netlink message outgrew its buffer")
  }

  /// Attributes inside an attribute.
  mutating func nest(_ attribute: Int, _ body: (inout Message) -> Void) {
    guard let place = unsafe nla_nest_start(message, Int32(attribute)) else {
      preconditionFailure("a netlink message outgrew its buffer")
    }
    body(&self)
    let result = unsafe nla_nest_end(message, place)
    precondition(result == 0, "a netlink message outgrew its buffer")
  }

  /// A fixed part inside an attribute, without a header of its own.
  mutating func append(_ part: some BitwiseCopyable) {
    var part = part
    let result = unsafe withUnsafeMutableBytes(of: &part) {
      unsafe nlmsg_append(message, $0.baseAddress, $0.count, Int32(NLMSG_ALIGNTO))
    }
    precondition(result == 0, "a netlink message outgrew its buffer")
  }

  /// In the byte order of this machine, as netlink has it.
  mutating func putValue(_ attribute: Int, _ value: some BitwiseCopyable) {
    put(attribute, nativeBytes(value))
  }

  /// The finished message.
  consuming func bytes(sequence: UInt32) -> [UInt8] {
    guard let header = unsafe nlmsg_hdr(message) else { return [] }
    unsafe header.pointee.nlmsg_seq = sequence
    return unsafe Array(UnsafeRawBufferPointer(start: header, count: Int(header.pointee.nlmsg_len)))
  }
}

/// A value as it lies in memory, which is how netlink wants it.
func nativeBytes(_ value: some BitwiseCopyable) -> [UInt8] {
  var value = value
  return unsafe withUnsafeBytes(of: &value) { unsafe Array($0) }
}
