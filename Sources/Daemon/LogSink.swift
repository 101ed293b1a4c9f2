package import Base
internal import IO

/// The only place that writes a log: level, redaction of control characters, and a limit on repetition.
package final class LogSink {
  /// Lines of one kind that may be written within `window`; then one line says how many were left out.
  private static let mostRepeats = 20
  private static let window: Duration = .seconds(60)
  /// Bytes; a line of a stranger's words must not fill the flash.
  private static let longestLine = 1_000

  private struct Repetition {
    var since: Instant
    var count: Int
  }

  private let level: Note.Level
  private let write: (Note.Level, String) -> Void
  private var repetitions: [String: Repetition] = [:]

  /// - Parameter write: gets a finished line without its newline.
  package init(level: Note.Level, write: @escaping (Note.Level, String) -> Void) {
    self.level = level
    self.write = write
  }

  /// Logs a note of a pure room.
  ///
  /// - Parameter subject: the tunnel's or gateway's name; `nil` for Adit itself.
  package func log(_ note: Note, of subject: String? = nil, at now: Instant) {
    log(note.level, note.sentence, kind: note.code.rawValue, of: subject, at: now)
  }

  package func log(
    _ level: Note.Level, _ text: String, kind: String? = nil, of subject: String? = nil, at now: Instant
  ) {
    guard level <= self.level else { return }
    let key = "\(subject ?? "")/\(kind ?? text)"
    var seen = repetitions[key] ?? Repetition(since: now, count: 0)
    if now - seen.since >= Self.window {
      if seen.count > Self.mostRepeats {
        line(level, "\(seen.count - Self.mostRepeats) more lines like it", of: subject)
      }
      seen = Repetition(since: now, count: 0)
    }
    seen.count += 1
    if repetitions.count > 500 { repetitions.removeAll() }
    repetitions[key] = seen
    guard seen.count <= Self.mostRepeats else { return }
    line(level, text, of: subject)
  }

  private func line(_ level: Note.Level, _ text: String, of subject: String?) {
    let whole = subject.map { "\($0): \(text)" } ?? text
    write(level, Self.cleaned(whole))
  }

  /// A stranger's words may hold anything: control characters become `?`, so that nobody writes lines of his own or
  /// drives the terminal.
  static func cleaned(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var bytes = 0
    for scalar in text.unicodeScalars {
      bytes += scalar.utf8.count
      if bytes > longestLine {
        result.append("…")
        break
      }
      let isControl =
        scalar.value < 32 || (127..<160).contains(scalar.value) || (0x200e...0x200f).contains(scalar.value)
        || (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      result.append(isControl ? "?" : scalar)
    }
    return String(result)
  }
}
