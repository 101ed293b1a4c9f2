internal import CLinux
internal import Glibc

/// The daemon's end of the control socket: a Unix stream at a path of the file system.
package struct ControlListener: ~Copyable {
  private let socket: FileDescriptor
  private let path: String

  /// A socket file that nobody listens on any more is removed first; a living daemon's is EADDRINUSE.
  /// - Parameter group: may connect beside the owner.
  package init(path: String, group: UInt32?) throws(SystemFailure) {
    var result = unsafe adit_unix_listen(path, Self.backlog)
    if result == -EADDRINUSE, TextFile.status(path)?.isSocket == true {
      let answered = unsafe adit_unix_connect(path)
      if answered >= 0 { _ = adit_close(answered) }
      if answered == -ECONNREFUSED {
        try TextFile.remove(path)
        result = unsafe adit_unix_listen(path, Self.backlog)
      }
    }
    let listening = FileDescriptor(owning: try SystemCall.check(result, "listen on \(path)"))
    if let group {
      // Owner first: the wider mode must not stand for a moment with the wrong group.
      try SystemCall.done(unsafe adit_change_owner(path, adit_user_id(), group), "chown \(path)")
      try SystemCall.done(unsafe adit_change_mode(path, 0o660), "chmod \(path)")
    }
    socket = listening
    self.path = path
  }

  deinit { _ = unsafe adit_unlink(path) }

  private static let backlog: Int32 = 16

  package var descriptor: Int32 { socket.raw }

  /// The next connection; `nil` when nobody waits, or when it is gone again.
  package func accept() -> ControlConnection? {
    let accepted = adit_accept(socket.raw)
    return accepted < 0 ? nil : ControlConnection(FileDescriptor(owning: accepted))
  }
}
