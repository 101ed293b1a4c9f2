/// Something that stopped or hurt a tunnel, as one code with a plain sentence, a remedy and what Adit does about it.
///
/// Rooms report faults, never text. `docs/ERRORS.md` is made from this table and a test compares the two.
package struct Fault: Error, Hashable, Sendable {
  package var code: Code
  /// What makes this occurrence different from another: a file, a subject, a server's own words. Never a secret.
  /// Words of a stranger are cleaned of control characters by whoever prints them.
  package var detail: String?

  package init(_ code: Code, _ detail: String? = nil) {
    self.code = code
    self.detail = detail
  }

  /// The sentence for people. The detail stands in the place of the words in braces, else behind it.
  package var sentence: String {
    let words = code.entry.sentence
    guard let open = words.firstIndex(of: "{"), let close = words[open...].firstIndex(of: "}") else {
      return detail.map { "\(words): \($0)" } ?? words
    }
    let general = String(words[words.index(after: open)..<close])
    return words[..<open] + (detail ?? general) + words[words.index(after: close)...]
  }

  /// Who failed, which decides the ladder of retries.
  package enum Blame: String, Hashable, Sendable, CaseIterable {
    /// Nothing answers: retry soon.
    case network
    /// The server answered and the handshake failed.
    case handshake
    /// The server refuses our credentials: slow down.
    case authentication
    /// Only the owner can mend it.
    case configuration
    /// The server asked for it.
    case server
    /// This router: a device, a socket, the kernel.
    case router
  }

  package struct Entry: Sendable {
    package var blame: Blame
    package var sentence: String
    package var remedy: String
    /// What Adit does now, as `status` says it.
    package var action: String
  }
}
