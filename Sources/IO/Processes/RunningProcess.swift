internal import CLinux

/// Processes of others, as /proc shows them. Any of them may end between two questions: what is gone has no answer.
package enum RunningProcess {
  private static let longestCommandLine = 64 * 1024

  package static var all: [Int32] { ((try? TextFile.names(in: "/proc")) ?? []).compactMap { Int32($0) } }

  /// The name of its program, at most 15 letters.
  package static func name(of process: Int32) -> String? {
    guard let bytes = try? TextFile.read("/proc/\(process)/comm", limit: 64).bytes else { return nil }
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }

  /// Without the program's own name.
  package static func arguments(of process: Int32) -> [String]? {
    guard let bytes = try? TextFile.read("/proc/\(process)/cmdline", limit: longestCommandLine).bytes else {
      return nil
    }
    let words = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    return Array(words.dropFirst().dropLast(words.last?.isEmpty ?? false ? 1 : 0))
  }

  /// What its descriptors are: `socket:[1234]`, a path.
  package static func openFiles(of process: Int32) -> [String] {
    let folder = "/proc/\(process)/fd"
    return ((try? TextFile.names(in: folder)) ?? []).compactMap { TextFile.target(ofLink: "\(folder)/\($0)") }
  }

  /// Whether its network is that of the calling thread.
  package static func sharesNetwork(_ process: Int32) -> Bool {
    // thread-self: tests give single threads a namespace of their own.
    guard let ours = TextFile.target(ofLink: "/proc/thread-self/ns/net") else { return false }
    return TextFile.target(ofLink: "/proc/\(process)/ns/net") == ours
  }

  /// - Parameter name: of the program; another that has got the number meanwhile is left alone.
  /// - Returns: false when no such program runs there.
  package static func signal(_ process: Int32, named name: String, _ signal: SignalSource.Signal) -> Bool {
    guard process > 1, self.name(of: process) == name else { return false }
    return adit_process_kill(process, signal.rawValue) == 0
  }
}
