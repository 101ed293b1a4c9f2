internal import Base
internal import CLinux
internal import Glibc

/// One daemon per network namespace: the file is named after the namespace, and held by flock(2) until the holder ends.
package struct NamespaceLock: ~Copyable {
  private let held: FileDescriptor

  package enum Failure: Error, Hashable, Sendable {
    /// Somebody else holds it.
    case taken
    case system(SystemFailure)
  }

  /// - Parameters:
  ///   - directory: writable by root only, the same for every daemon of the machine.
  ///   - patience: how long a holder may still take to let go. One that was killed does so last of all, after its devices and
  ///     its engines (kernel/exit.c).
  package init(directory: String = "/run", patience: Duration = .zero) throws(Failure) {
    let file = try Self.openFile(in: directory)
    let deadline = Clock.now + patience
    var result = adit_lock(file.raw)
    while SystemCall.wouldBlock(result), Clock.now < deadline {
      Pause.sleep(.milliseconds(10))
      result = adit_lock(file.raw)
    }
    if SystemCall.wouldBlock(result) { throw .taken }
    if result < 0 { throw .system(SystemFailure("flock", -result)) }
    held = file
  }

  private static func openFile(in directory: String) throws(Failure) -> FileDescriptor {
    do {
      // thread-self: tests give single threads a namespace of their own.
      let opened = unsafe adit_open("/proc/thread-self/ns/net", O_RDONLY, 0)
      let namespace = FileDescriptor(owning: try SystemCall.check(opened, "open /proc/thread-self/ns/net"))
      var file = adit_file()
      try SystemCall.done(unsafe adit_file_of(namespace.raw, &file), "fstat")
      let path = "\(directory)/adit.\(file.inode).lock"
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      return FileDescriptor(owning: try SystemCall.check(unsafe adit_open(path, flags, 0o600), "open \(path)"))
    } catch { throw .system(error) }
  }
}
