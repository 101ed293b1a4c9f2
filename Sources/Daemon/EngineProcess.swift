internal import Base
internal import Exchange
internal import IO

/// One engine and the channel to it. Whatever it says is decoded by type; what does not decode ends it.
final class EngineProcess {
  /// What became of reading.
  enum Received {
    case reports([Report])
    /// The other side is gone; the process descriptor will say how it ended.
    case closed
    /// It said what no engine says: it is broken or hostile.
    case misbehaved
  }

  /// Reports taken in one go, so that one engine cannot keep the daemon from the others.
  private static let reportsAtOnce = 64
  /// The engine's end of the channel, in the engine.
  private static let channelNumber: Int32 = 3

  private let channel: MessageChannel
  private var child: ChildProcess

  /// Starts the same executable again, so that every tunnel has an address-space layout of its own.
  ///
  /// - Parameter user: numeric, this tunnel's alone; no entry in passwd(5) is needed.
  init(user: UInt32) throws(SystemFailure) {
    let pair = try MessageSocket.pair()
    var request = ChildProcess.Request("/proc/self/exe", ["engine", String(user)])
    // A static Swift program wants either /proc or this to start.
    request.environment = ["SWIFT_ROOT=/"]
    request.descriptors = [(ours: pair.theirs.raw, number: Self.channelNumber)]
    child = try ChildProcess(request)
    channel = MessageChannel(pair.keepingOurs())
  }

  var channelDescriptor: Int32 { channel.descriptor }
  var processDescriptor: Int32 { child.descriptor }
  /// Watch for writable while true.
  var hasQueued: Bool { channel.hasQueued }

  /// - Parameter descriptors: taken over; they ride along in the order that the message names them.
  /// - Returns: false when the engine does not read or cannot be reached: kill it.
  func send(_ order: Order, descriptors: [Int32]) -> Bool {
    // Our own orders are within the limits by construction.
    guard let envelope = order.encoded() else {
      for descriptor in descriptors { _ = FileDescriptor(owning: descriptor) }
      return false
    }
    return channel.send(envelope.bytes, attachment: envelope.attachment, descriptors: descriptors)
  }

  /// Call when writable.
  func flush() { channel.flush() }

  func receive() -> Received {
    var reports: [Report] = []
    while reports.count < Self.reportsAtOnce {
      do throws(MessageChannel.Failure) {
        guard var message = try channel.receive() else { break }
        guard let report = try Self.decode(&message) else { return .misbehaved }
        reports.append(report)
      } catch {
        switch error {
        case .ended: return reports.isEmpty ? .closed : .reports(reports)
        case .broken: return .misbehaved
        }
      }
    }
    return .reports(reports)
  }

  private static func decode(_ message: inout MessageSocket.Message) throws(MessageChannel.Failure) -> Report? {
    guard let promise = Envelope.promise(of: message.bytes) else { return nil }
    var attachment: SecretBytes?
    if case .attachment(let length) = promise { attachment = try message.takeAttachment(length: length) }
    // An engine has no descriptor that root could want.
    guard message.descriptorCount == 0 else { return nil }
    return Report(decoding: Envelope(bytes: message.bytes, attachment: attachment))
  }

  func kill() { child.killNow() }

  /// How it ended, with the last thing it said, which is what a trap prints; `nil` while it runs.
  func ending() -> (ending: ChildProcess.Ending, lastWords: String?)? {
    guard let result = child.result() else { return nil }
    return (result.ending, result.output.split(separator: "\n").last.map(String.init))
  }
}
