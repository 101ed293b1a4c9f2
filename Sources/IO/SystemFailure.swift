internal import CLinux

/// A system call that failed: which one, and the errno.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was attempted, in a word or two: `bind`, `open /etc/adit`.
  package var call: String
  package var number: Int32

  package init(_ call: String, _ number: Int32) {
    self.call = call
    self.number = number
  }

  /// `bind: Address already in use`.
  package var description: String { "\(call): \(reason)" }

  /// The words of strerror(3).
  package var reason: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
      guard let base = room.baseAddress, let text = unsafe adit_error_text(number, base, 256) else {
        return "error \(number)"
      }
      return unsafe String(cString: text)
    }
  }
}
