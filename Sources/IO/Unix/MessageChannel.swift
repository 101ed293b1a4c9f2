package import Base
internal import CLinux

/// A `MessageSocket` with patience: what the other side does not take at once waits here, in order, up to a limit.
///
/// A large body travels beside its message as sealed memory, the first of its descriptors.
package final class MessageChannel {
  package enum Failure: Error, Hashable, Sendable {
    /// The other side is gone.
    case ended
    /// What came breaks the agreement: too large, not sealed, a descriptor missing.
    case broken(String)
  }

  /// Messages that may wait. More means that the other side has stopped reading.
  package static let mostQueued = 512

  private struct Outgoing {
    var bytes: [UInt8]
    /// Ours to close.
    var descriptors: [Int32]
  }

  private let socket: MessageSocket
  private var queued: [Outgoing] = []
  /// True once a message could not be sent or queued: nothing goes any more.
  package private(set) var isBroken = false

  package init(_ socket: consuming FileDescriptor) { self.socket = MessageSocket(socket) }

  deinit { for descriptor in queued.flatMap(\.descriptors) { _ = adit_close(descriptor) } }

  package var descriptor: Int32 { socket.descriptor }
  /// Watch for writable while it is true.
  package var hasQueued: Bool { !queued.isEmpty }

  /// Sends or queues. Descriptors are taken over and closed once they are sent.
  /// - Returns: false when the channel is of no more use.
  @discardableResult
  package func send(_ bytes: [UInt8], attachment: SecretBytes? = nil, descriptors: [Int32] = []) -> Bool {
    var message = Outgoing(bytes: bytes, descriptors: descriptors)
    if let attachment {
      do { message.descriptors.insert(try SealedMemory.make(attachment).release(), at: 0) } catch { isBroken = true }
    }
    guard !isBroken, queued.count < Self.mostQueued else {
      isBroken = true
      close(message)
      return false
    }
    queued.append(message)
    flush()
    return !isBroken
  }

  /// Sends what waits; call when writable.
  package func flush() {
    while let message = queued.first, !isBroken {
      switch socket.send(message.bytes, descriptors: message.descriptors) {
      case .wouldBlock: return
      case .failed: isBroken = true
      case .sent:
        queued.removeFirst()
        close(message)
      }
    }
  }

  /// - Returns: `nil` when nothing waits.
  package func receive() throws(Failure) -> MessageSocket.Message? {
    var message: MessageSocket.Message?
    do { message = try socket.receive() } catch { throw .broken("\(error)") }
    if message?.isEnd == true { throw .ended }
    return message
  }

  private func close(_ message: Outgoing) {
    for descriptor in message.descriptors { _ = adit_close(descriptor) }
  }
}

extension MessageSocket.Message {
  /// Takes the large body beside the message.
  ///
  /// - Parameter length: what the message promises; more or less is a broken promise.
  package mutating func takeAttachment(length: Int) throws(MessageChannel.Failure) -> SecretBytes {
    guard let memory = takeDescriptor() else { throw .broken("the attachment is missing") }
    let body: SecretBytes
    do { body = try SealedMemory.read(memory, limit: length) } catch { throw .broken("\(error)") }
    guard body.count == length else { throw .broken("the attachment has another length") }
    return body
  }
}
