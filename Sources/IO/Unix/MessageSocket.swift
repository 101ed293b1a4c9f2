internal import CLinux
internal import Glibc

/// One end of a pair that carries whole messages and descriptors (SOCK_SEQPACKET, SCM_RIGHTS). Never blocks.
package struct MessageSocket: ~Copyable {
  /// Bytes of one message. Larger bodies travel as sealed memory.
  package static let largestMessage = 16 * 1024
  package static let mostDescriptors = 16

  private let socket: FileDescriptor

  package init(_ socket: consuming FileDescriptor) { self.socket = socket }

  /// Both ends of a new connection; one is for another process.
  package struct Pair: ~Copyable {
    package let ours: FileDescriptor
    package let theirs: FileDescriptor

    fileprivate init(ours: consuming FileDescriptor, theirs: consuming FileDescriptor) {
      self.ours = ours
      self.theirs = theirs
    }

    /// Keeps our end and closes the other, once the other process has its own copy.
    package consuming func keepingOurs() -> FileDescriptor { ours }
  }

  package static func pair() throws(SystemFailure) -> Pair {
    var ends: [Int32] = [-1, -1]
    try SystemCall.done(unsafe adit_message_pair(&ends), "socketpair")
    return Pair(ours: FileDescriptor(owning: ends[0]), theirs: FileDescriptor(owning: ends[1]))
  }

  package var descriptor: Int32 { socket.raw }

  package enum Sent: Hashable, Sendable {
    case sent
    /// The other side does not read fast enough; try again when writable.
    case wouldBlock
    /// The other side is gone, or the message cannot be sent.
    case failed(SystemFailure)
  }

  /// - Parameter descriptors: stay the caller's; the receiver gets copies.
  package func send(_ message: [UInt8], descriptors: [Int32] = []) -> Sent {
    precondition(message.count <= Self.largestMessage && descriptors.count <= Self.mostDescriptors && !message.isEmpty)
    let result = unsafe message.withUnsafeBytes { bytes in
      unsafe descriptors.withUnsafeBufferPointer { list in
        unsafe adit_message_send(socket.raw, bytes.baseAddress, bytes.count, list.baseAddress, Int32(list.count))
      }
    }
    if SystemCall.wouldBlock(result) { return .wouldBlock }
    return result < 0 ? .failed(SystemFailure("sendmsg", Int32(-result))) : .sent
  }

  /// Takes the next message.
  ///
  /// - Returns: `nil` when none waits; an empty message at the end of the connection.
  /// - Throws: EMSGSIZE when bytes or descriptors exceed what is agreed: the other side is broken or hostile.
  package func receive() throws(SystemFailure) -> Message? {
    var bytes = [UInt8](repeating: 0, count: Self.largestMessage)
    var descriptors = [Int32](repeating: -1, count: Self.mostDescriptors)
    var count: Int32 = 0
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe adit_message_receive(socket.raw, buffer.baseAddress, buffer.count, &descriptors, &count)
    }
    if SystemCall.wouldBlock(result) { return nil }
    if result == -Int(ECONNRESET) { return Message(bytes: [], descriptors: []) }
    let length = try SystemCall.check(result, "recvmsg")
    bytes.removeLast(bytes.count - length)
    return Message(bytes: bytes, descriptors: Array(descriptors[..<Int(count)]))
  }

  /// What came. Descriptors that nobody takes are closed with it.
  package struct Message: ~Copyable {
    package var bytes: [UInt8]
    private var descriptors: [Int32]

    fileprivate init(bytes: [UInt8], descriptors: [Int32]) {
      self.bytes = bytes
      self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { _ = adit_close(descriptor) } }

    /// True when the other side is gone.
    package var isEnd: Bool { bytes.isEmpty }
    package var descriptorCount: Int { descriptors.count }

    /// The next descriptor in the order of sending.
    package mutating func takeDescriptor() -> FileDescriptor? {
      descriptors.isEmpty ? nil : FileDescriptor(owning: descriptors.removeFirst())
    }
  }
}
