import Control
import Glibc

/// The three standard streams, as far as one-shot commands need them.
package enum Terminal {
  /// True when colour may be used: a terminal, and the user has not said NO_COLOR (https://no-color.org).
  package static func isColourful(_ descriptor: Int32 = 1) -> Bool {
    guard isatty(descriptor) == 1 else { return false }
    if let value = unsafe getenv("NO_COLOR"), unsafe value.pointee != 0 { return false }
    if let term = unsafe getenv("TERM"), unsafe String(cString: term) == "dumb" { return false }
    return true
  }

  package static func say(_ text: String) { write(text, to: 1) }

  package static func complain(_ text: String) { write(text, to: 2) }

  /// The last word of a command that did not do what was asked.
  static func fail(_ code: ExitCode, _ text: String) -> ExitCode {
    complain("adit: \(StatusText.printable(text))\n")
    return code
  }

  /// A reader that has gone away ends nothing but the output.
  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let wrote = unsafe bytes.withUnsafeBytes { buffer in
        unsafe buffer.baseAddress.map { unsafe Glibc.write(descriptor, $0 + done, buffer.count - done) } ?? 0
      }
      if wrote < 0, errno == EINTR { continue }
      guard wrote > 0 else { return }
      done += wrote
    }
  }
}
