internal import CLinux
internal import Glibc

/// A network namespace without a name: it lives as long as this, a socket made in it, or a device's far end needs it.
package struct NetworkNamespace: ~Copyable {
  private let namespace: FileDescriptor

  /// A new and empty one. The calling thread stays where it is.
  package init() throws(SystemFailure) {
    let home = try Self.current()
    try SystemCall.done(adit_network_unshare(), "make a network namespace")
    defer { Self.enter(home) }
    namespace = try Self.current()
  }

  package var descriptor: Int32 { namespace.raw }

  /// What is opened by `body` belongs to the namespace, for good.
  package func inside<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard let home = try? Self.current() else { preconditionFailure("/proc is not mounted") }
    Self.enter(namespace)
    defer { Self.enter(home) }
    return try body()
  }

  /// The calling thread's: others may be elsewhere.
  private static func current() throws(SystemFailure) -> FileDescriptor {
    let opened = unsafe adit_open("/proc/thread-self/ns/net", O_RDONLY, 0)
    return FileDescriptor(owning: try SystemCall.check(opened, "open /proc/thread-self/ns/net"))
  }

  /// To go on in the wrong network would be worse than to end.
  private static func enter(_ place: borrowing FileDescriptor) {
    precondition(adit_network_enter(place.raw) >= 0, "the network namespace cannot be entered")
  }
}
