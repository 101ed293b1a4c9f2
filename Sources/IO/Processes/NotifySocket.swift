internal import Base
internal import CLinux
internal import Glibc

/// The init system's ear: what sd_notify(3) says to systemd and its like, without their library.
package struct NotifySocket: Hashable, Sendable {
  /// A socket of the file system, or with `@` in front an abstract one.
  let path: String
  /// A longer silence than this means to the init system that we hang; `nil` = it does not care.
  package let watchdog: Duration?

  /// - Parameters:
  ///   - environment: the value of a variable.
  ///   - process: our id.
  /// - Returns: `nil` when nobody wants to be told.
  package init?(process: Int32, environment: (String) -> String?) {
    guard let path = environment(Self.socketVariable), path.hasPrefix("/") || path.hasPrefix("@"), path.count > 1
    else { return nil }
    self.path = path
    // A parent's watchdog is none of ours (sd_watchdog_enabled(3)).
    let isMeant = environment(Self.processVariable).map { $0 == String(process) } ?? true
    let microseconds = environment(Self.intervalVariable).flatMap { Int64($0) }
    watchdog = isMeant ? microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
  }

  /// Reads the variables and removes them, so that nothing that we start hears of them.
  package static func takeFromEnvironment() -> NotifySocket? {
    let socket = NotifySocket(process: adit_process_id()) { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    for name in [socketVariable, intervalVariable, processVariable] { unsafe unsetenv(name) }
    return socket
  }

  private static let socketVariable = "NOTIFY_SOCKET"
  private static let intervalVariable = "WATCHDOG_USEC"
  private static let processVariable = "WATCHDOG_PID"

  /// Never waits.
  /// - Returns: false when it was not taken: say it again later.
  package func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return unsafe adit_unix_tell(path, bytes, bytes.count) >= 0
  }
}
