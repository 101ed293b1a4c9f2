internal import Base
internal import Control
internal import IO

/// The daemon's side of STATE-DIR/control.sock: one line in, one line out, then the end.
final class ControlServer {
  /// Connections at once; a script gone wild waits in the kernel's queue.
  private static let most = 16
  /// A client that says nothing is shown the door.
  private static let patience: Duration = .seconds(5)

  private struct Client {
    var connection: ControlConnection
    var deadline: Instant
    var isAnswered = false
  }

  private let listener: ControlListener
  private var clients: [UInt32: Client] = [:]
  private var nextIndex: UInt32 = 0

  init(path: String, group: UInt32?) throws(SystemFailure) {
    listener = try ControlListener(path: path, group: group)
  }

  var descriptor: Int32 { listener.descriptor }
  var nextWake: Instant? { clients.values.map(\.deadline).min() }

  var isFull: Bool { clients.count >= Self.most }

  /// - Returns: the new client's index and descriptor, for the poller; `nil` when nobody waits.
  func accept(at now: Instant) -> (index: UInt32, descriptor: Int32)? {
    guard !isFull, let connection = listener.accept() else { return nil }
    nextIndex &+= 1
    clients[nextIndex] = Client(connection: connection, deadline: now + Self.patience)
    return (nextIndex, connection.descriptor)
  }

  /// Call when the client is ready for anything.
  ///
  /// - Parameter answer: what the daemon says to a request.
  /// - Returns: true when the client is gone: forget its descriptor first.
  func serve(_ index: UInt32, answer: (Result<Request, Reply.Refusal>) -> Reply) -> Service {
    guard var client = clients[index] else { return .over }
    client.connection.fill()
    if !client.isAnswered, let line = client.connection.nextLine() {
      client.isAnswered = true
      client.connection.send(answer(Request.read(line)).bytes)
    }
    client.connection.flush()
    clients[index] = client
    if client.connection.state == .broken { return .over }
    if client.isAnswered { return client.connection.hasQueued ? .writing : .over }
    return client.connection.state == .open ? .reading : .over
  }

  enum Service { case reading, writing, over }

  func descriptor(of index: UInt32) -> Int32? { clients[index]?.connection.descriptor }

  func forget(_ index: UInt32) { clients[index] = nil }

  /// Clients whose time is over.
  func late(at now: Instant) -> [UInt32] { clients.filter { $0.value.deadline <= now }.map(\.key) }
}
