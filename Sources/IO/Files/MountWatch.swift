internal import CLinux
internal import Glibc

/// Hears when something is mounted: mountinfo reports every change as an error to whoever polls it (proc(5)).
///
/// Watch it for nothing: the error comes unasked, and once for each change.
package struct MountWatch: ~Copyable {
  private let table: FileDescriptor

  package init() throws(SystemFailure) {
    let path = "/proc/self/mountinfo"
    table = FileDescriptor(owning: try SystemCall.check(unsafe adit_open(path, O_RDONLY, 0), "open \(path)"))
  }

  package var descriptor: Int32 { table.raw }
}
