internal import Base
internal import Exchange
internal import IO

/// Orders in, reports out: `Exchange` over the socketpair.
struct SupervisorLine: ~Copyable {
  enum Failure: Error, Hashable {
    case ended
    case broken(String)
  }

  /// An order, with the descriptors that ride along.
  struct Received: ~Copyable {
    var order: Order
    var message: MessageSocket.Message
  }

  private let channel: MessageChannel

  init(_ socket: consuming FileDescriptor) { channel = MessageChannel(socket) }

  var descriptor: Int32 { channel.descriptor }
  var hasQueued: Bool { channel.hasQueued }
  var isBroken: Bool { channel.isBroken }

  func flush() { channel.flush() }

  /// - Returns: false when the report passes a limit of the codec; nothing is sent then.
  func send(_ report: Report) -> Bool {
    guard let envelope = report.encoded() else { return false }
    channel.send(envelope.bytes, attachment: envelope.attachment)
    return true
  }

  /// - Returns: `nil` when no order waits.
  func receive() throws(Failure) -> Received? {
    do throws(MessageChannel.Failure) {
      guard var message = try channel.receive() else { return nil }
      guard let promise = Envelope.promise(of: message.bytes) else { throw .broken("not an order") }
      var envelope = Envelope(bytes: message.bytes)
      if case .attachment(let length) = promise { envelope.attachment = try message.takeAttachment(length: length) }
      guard let order = Order(decoding: envelope), order.descriptors.contains(message.descriptorCount) else {
        throw .broken("not an order")
      }
      return Received(order: order, message: message)
    } catch {
      switch error {
      case .ended: throw .ended
      case .broken(let reason): throw .broken(reason)
      }
    }
  }
}
