/// The exit codes of every command, after sysexits.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case ok = 0
  case failure = 1
  case usage = 64
  /// A file or name that was given is wrong.
  case badInput = 65
  /// Something needed is not there: the daemon, the kernel's part.
  case unavailable = 69
  case noPermission = 77
  case badConfiguration = 78
}
