package import Base
internal import CLinux
internal import Glibc

/// One connection of the control socket, either side: lines in, bytes out, both bounded. Never blocks, but for the two
/// calls with a deadline.
package final class ControlConnection {
  package struct Credentials: Hashable, Sendable {
    package var process: Int32
    package var user: UInt32
    package var group: UInt32
  }

  package enum State: Hashable, Sendable {
    case open
    /// The other side has ended; lines that came before may still wait.
    case closed
    /// A line longer than allowed, more queued than allowed, or an error.
    case broken
  }

  /// Of a request. Answers, which the client reads, may be as long as the daemon may queue.
  package static let longestLine = 64 * 1024
  package static let mostQueued = 4 * 1024 * 1024

  package private(set) var state = State.open
  private let socket: FileDescriptor
  private var received: [UInt8] = []
  private var queued: [UInt8] = []
  private var sent = 0
  private let longest: Int

  init(_ socket: consuming FileDescriptor, longestLine: Int = ControlConnection.longestLine) {
    self.socket = socket
    longest = longestLine
  }

  /// The client's side.
  package convenience init(path: String) throws(SystemFailure) {
    let connected = unsafe adit_unix_connect(path)
    self.init(
      FileDescriptor(owning: try SystemCall.check(connected, "connect to \(path)")), longestLine: Self.mostQueued)
  }

  package var descriptor: Int32 { socket.raw }

  /// Who connected, as the kernel knows it.
  package var peer: Credentials? {
    var peer = Credentials(process: 0, user: 0, group: 0)
    let result = unsafe adit_peer_credentials(socket.raw, &peer.process, &peer.user, &peer.group)
    return result < 0 ? nil : peer
  }

  /// Reads what is there; call when readable.
  package func fill() {
    guard state == .open else { return }
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while received.count <= longest {
      let got = unsafe chunk.withUnsafeMutableBytes { unsafe adit_read(socket.raw, $0.baseAddress, $0.count) }
      if SystemCall.wouldBlock(got) { return }
      if got <= 0 {
        state = got == 0 || got == -Int(ECONNRESET) ? .closed : .broken
        return
      }
      received += chunk[..<got]
    }
    if !received.contains(UInt8(ascii: "\n")) { state = .broken }
  }

  /// The next whole line, without its end.
  package func nextLine() -> [UInt8]? {
    guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = Array(received[..<end])
    received.removeFirst(end + 1)
    return line
  }

  /// True while something waits for the other side to read: watch for writable then.
  package var hasQueued: Bool { sent < queued.count }

  package func send(_ bytes: [UInt8]) {
    guard state != .broken else { return }
    guard queued.count - sent + bytes.count <= Self.mostQueued else {
      state = .broken
      return
    }
    queued += bytes
    flush()
  }

  /// Writes what the other side takes; call when writable.
  package func flush() {
    while hasQueued, state != .broken {
      let wrote = unsafe queued.withUnsafeBytes { buffer in
        unsafe buffer.baseAddress.map { unsafe adit_stream_send(socket.raw, $0 + sent, buffer.count - sent) } ?? 0
      }
      if SystemCall.wouldBlock(wrote) { return }
      guard wrote > 0 else {
        state = .broken
        return
      }
      sent += wrote
    }
    queued.removeAll(keepingCapacity: queued.capacity <= 64 * 1024)
    sent = 0
  }

  /// Waits for a line: for one-shot commands.
  /// - Returns: `nil` at the deadline or when the connection is over.
  package func nextLine(until deadline: Instant?) throws(SystemFailure) -> [UInt8]? {
    var poller = try Poller()
    try poller.add(socket.raw, for: .readable, token: 0)
    while true {
      if let line = nextLine() { return line }
      guard state == .open, deadline.map({ Clock.now < $0 }) ?? true else { return nil }
      _ = try poller.wait(until: deadline)
      fill()
    }
  }

  /// Waits until all is written: for one-shot commands.
  /// - Returns: false at the deadline or when the connection broke.
  package func sendAll(_ bytes: [UInt8], until deadline: Instant) throws(SystemFailure) -> Bool {
    send(bytes)
    var poller = try Poller()
    try poller.add(socket.raw, for: .writable, token: 0)
    while hasQueued, state != .broken {
      guard Clock.now < deadline else { return false }
      _ = try poller.wait(until: deadline)
      flush()
    }
    return state != .broken
  }
}
