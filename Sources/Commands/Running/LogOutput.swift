package import Base
import Glibc

/// Where the daemon's finished log lines go: stderr, or syslog for init systems that keep no stderr.
package struct LogOutput {
  private let usesSyslog: Bool

  package init(usesSyslog: Bool) {
    self.usesSyslog = usesSyslog
    // syslog keeps the pointer for as long as the process lives.
    if usesSyslog { unsafe openlog(strdup("adit"), LOG_PID, LOG_DAEMON) }
  }

  package func write(_ level: Note.Level, _ line: String) {
    guard usesSyslog else {
      Terminal.complain(Self.line(level, line))
      return
    }
    // The text is an argument, never the format.
    unsafe line.withCString { text in
      unsafe withVaList([text]) { unsafe vsyslog(Self.priority(level), "%s", $0) }
    }
  }

  /// Ordinary lines bare, so that trouble stands out.
  static func line(_ level: Note.Level, _ text: String) -> String {
    level <= .warning ? "\(level.name): \(text)\n" : text + "\n"
  }

  static func priority(_ level: Note.Level) -> Int32 {
    switch level {
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .info: LOG_INFO
    case .debug, .packet: LOG_DEBUG
    }
  }
}
