internal import CLinux

/// Owns one descriptor and closes it. A second owner is a compile error.
package struct FileDescriptor: ~Copyable {
  package let raw: Int32

  /// - Parameter raw: open, and nobody else's.
  package init(owning raw: Int32) {
    precondition(raw >= 0)
    self.raw = raw
  }

  deinit { _ = adit_close(raw) }

  /// Gives the descriptor up without closing it.
  package consuming func release() -> Int32 {
    let descriptor = raw
    discard self
    return descriptor
  }
}
