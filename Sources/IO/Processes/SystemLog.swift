package import Base
internal import CLinux

/// The system's own log, syslog(3).
package enum SystemLog {
  package static func open() { unsafe adit_log_open("adit") }

  package static func write(_ level: Note.Level, _ text: String) {
    let priority: Int32 =
      switch level {
      case .error: 3
      case .warning: 4
      case .info: 6
      case .debug, .packet: 7
      }
    unsafe adit_log(priority, text)
  }
}
