import CNetlink
import Glibc

/// A netlink socket and the buffer it receives into.
@safe
struct NetlinkChannel: ~Copyable {
  private let handle: OpaquePointer
  private let buffer: UnsafeMutableRawBufferPointer

  /// The kernel fills at most 32 KiB of a dump into one datagram.
  static let largestDump = 64 << 10

  init(
    family: Int32 = NETLINK_ROUTE, receiveSize: Int, groups: [UInt32] = [], operation: String
  ) throws(NetlinkFailure) {
    let (handle, code) = unsafe Self.open(family, groups)
    guard let handle = unsafe handle else { throw NetlinkFailure(operation: operation, code: code) }
    unsafe self.handle = unsafe handle
    unsafe buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: receiveSize, alignment: 16)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe nl_socket_free(handle)
  }

  private static func open(_ family: Int32, _ groups: [UInt32]) -> (OpaquePointer?, Int32) {
    guard let handle = unsafe nl_socket_alloc() else { return (nil, ENOMEM) }
    var isOpen = unsafe nl_connect(handle, family) == 0
    for group in groups where isOpen {
      isOpen = unsafe nl_socket_add_membership(handle, Int32(group)) == 0
    }
    if isOpen { return unsafe (handle, 0) }
    let code = errno
    unsafe nl_socket_free(handle)
    return (nil, code == 0 ? EPROTO : code)
  }

  var descriptor: Int32 { unsafe nl_socket_get_fd(handle) }

  var port: UInt32 { unsafe nl_socket_get_local_port(handle) }

  /// What a kernel does not know is done without.
  func setOption(_ level: Int32, _ name: Int32, _ value: some BitwiseCopyable) {
    let bytes = nativeBytes(value)
    _ = unsafe setsockopt(descriptor, level, name, bytes, socklen_t(bytes.count))
  }

  /// - Returns: an errno, or 0.
  func send(_ bytes: [UInt8]) -> Int32 {
    var bytes = bytes
    let sent = unsafe nl_sendto(handle, &bytes, bytes.count)
    return sent >= 0 ? 0 : errno == 0 ? EIO : errno
  }

  /// Takes one datagram and gives its messages to `body`.
  /// - Parameter waiting: `false` = EAGAIN when nothing is there.
  /// - Returns: an errno, or 0. Never EINTR.
  func receive(waiting: Bool = true, _ body: (Reply) -> Void) -> Int32 {
    var count: Int
    repeat {
      let flags = Int32(MSG_TRUNC) | (waiting ? 0 : Int32(MSG_DONTWAIT))
      count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, flags)
    } while count < 0 && errno == EINTR
    guard count >= 0 else { return errno }
    guard unsafe count <= buffer.count else { return EMSGSIZE }
    var left = Int32(count)
    var next = unsafe buffer.baseAddress?.assumingMemoryBound(to: nlmsghdr.self)
    while let message = unsafe next, unsafe nlmsg_ok(message, left) != 0 {
      body(unsafe Reply(message))
      unsafe next = unsafe nlmsg_next(message, &left)
    }
    return 0
  }
}
