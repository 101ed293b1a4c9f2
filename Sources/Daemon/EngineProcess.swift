internal import Base
internal import Exchange
internal import IO

/// One engine and the socketpair to it. Whatever it says is decoded by type; what does not decode ends it.
final class EngineProcess {
  /// What became of reading.
  enum Received {
    case reports([Report])
    /// The other side is gone; the process descriptor will say how it ended.
    case closed
    /// It said what no engine says: it is broken or hostile, and killed.
    case misbehaved
  }

  /// Orders that wait because the engine does not read; more means that it hangs.
  private static let mostWaiting = 256
  /// Reports taken in one go, so that one engine cannot keep the daemon from the others.
  private static let reportsAtOnce = 64

  private let socket: MessageSocket
  private var child: ChildProcess
  private var waiting: [(bytes: [UInt8], descriptors: [FileDescriptorBox])] = []

  let processID: Int32

  /// Starts the same executable again, so that every tunnel has an address-space layout of its own.
  ///
  /// - Parameters:
  ///   - user: numeric, this tunnel's alone; no entry in passwd(5) is needed.
  init(user: UInt32) throws(SystemFailure) {
    let pair = try MessageSocket.pair()
    var request = ChildProcess.Request("/proc/self/exe", ["engine", String(user)])
    // A static Swift program wants either /proc or this to start.
    request.environment = ["SWIFT_ROOT=/"]
    request.capturesOutput = false
    request.descriptors = [(ours: pair.theirs.raw, number: Self.socketNumber)]
    child = try ChildProcess(request)
    processID = child.id
    socket = MessageSocket(pair.ours)
  }

  /// The engine's end of the pair, in the engine.
  private static let socketNumber: Int32 = 3

  var socketDescriptor: Int32 { socket.descriptor }
  var processDescriptor: Int32 { child.descriptor }
  /// Watch for writable while true.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// - Parameter descriptors: ride along, in the order the message names them, and are closed here when they are gone.
  /// - Returns: false when the engine does not read or cannot be reached: kill it.
  func send(_ order: Order, descriptors: [FileDescriptorBox] = []) -> Bool {
    guard let envelope = order.encoded() else { return false }
    var riding = descriptors
    if let attachment = envelope.attachment {
      guard let memory = try? SealedMemory.make(attachment) else { return false }
      riding.insert(FileDescriptorBox(memory), at: 0)
    }
    guard waiting.count < Self.mostWaiting else { return false }
    waiting.append((envelope.bytes, riding))
    return flush()
  }

  /// Call when writable.
  func flush() -> Bool {
    while let first = waiting.first {
      switch socket.send(first.bytes, descriptors: first.descriptors.map(\.raw)) {
      case .sent: waiting.removeFirst()
      case .wouldBlock: return true
      case .failed: return false
      }
    }
    return true
  }

  func receive() -> Received {
    var reports: [Report] = []
    for _ in 0..<Self.reportsAtOnce {
      do throws(SystemFailure) {
        guard var message = try socket.receive() else { return .reports(reports) }
        if message.isEnd { return reports.isEmpty ? .closed : .reports(reports) }
        guard let report = Self.decode(&message) else { return .misbehaved }
        reports.append(report)
      } catch {
        return .misbehaved
      }
    }
    return .reports(reports)
  }

  private static func decode(_ message: inout MessageSocket.Message) -> Report? {
    guard let promise = Envelope.promise(of: message.bytes) else { return nil }
    var attachment: SecretBytes?
    if case .attachment(let length) = promise {
      guard let memory = message.takeDescriptor(),
        let body = try? SealedMemory.read(memory, limit: ExchangeLimit.attachment), body.count == length
      else { return nil }
      attachment = body
    }
    guard message.descriptorCount == 0 else { return nil }
    return Report(decoding: Envelope(bytes: message.bytes, attachment: attachment))
  }

  func kill() { child.killNow() }

  /// `nil` while it runs.
  func ending() -> ChildProcess.Ending? { child.result()?.ending }
}

/// A descriptor on its way to an engine, closed when the last mention of it is gone.
final class FileDescriptorBox {
  private let descriptor: FileDescriptor

  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  var raw: Int32 { descriptor.raw }
}
