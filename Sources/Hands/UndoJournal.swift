import Gateway
import IO

/// What was changed that cannot carry our name, with the old values: `STATE-DIR/undo`.
///
/// Every entry is written before its change is made, so a successor of a killed daemon finds at least what was done.
/// The file is replaced whole each time: it is a few lines, and a reader never sees half of one. The state directory
/// is on tmpfs; a power failure takes both the file and the changes.
struct UndoJournal {
  struct Entry: Hashable {
    var path: String
    var old: String
    /// Every value that we may have written. The last may not have reached the kernel.
    var ours: [String]
  }

  /// In the order of the changes.
  private(set) var entries: [Entry]
  private let directory: String

  private var file: String { directory + "/undo" }

  /// Far above what the planner can ask for.
  private static let largest = 256 << 10

  /// A missing file is an empty journal. Lines that make no sense are left out: they restore nothing.
  init(directory: String) {
    self.directory = directory
    entries = []
    guard let bytes = try? TextFile.read(file, limit: Self.largest).bytes else { return }
    entries = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap(Self.entry)
  }

  func entry(for path: String) -> Entry? { entries.first { $0.path == path } }

  /// Notes that the file is about to get this value.
  ///
  /// A value that is neither ours nor the old one is the last word of somebody else, and what the file is to have after us.
  mutating func note(_ sysctl: NetworkPlan.Sysctl, over current: String) throws(SystemFailure) {
    var changed = entries
    if let place = changed.firstIndex(where: { $0.path == sysctl.path }) {
      if !changed[place].ours.contains(current) { changed[place].old = current }
      if !changed[place].ours.contains(sysctl.value) { changed[place].ours.append(sysctl.value) }
      guard changed != entries else { return }
    } else {
      changed.append(Entry(path: sysctl.path, old: current, ours: [sysctl.value]))
    }
    try write(changed)
  }

  mutating func remove(_ paths: Set<String>) throws(SystemFailure) {
    guard entries.contains(where: { paths.contains($0.path) }) else { return }
    try write(entries.filter { !paths.contains($0.path) })
  }

  private mutating func write(_ changed: [Entry]) throws(SystemFailure) {
    if changed.isEmpty {
      try TextFile.remove(file)
    } else {
      try TextFile.makeDirectory(directory, mode: 0o755)
      try TextFile.write(Array(changed.map { Self.line($0) }.joined().utf8), to: file, mode: 0o600)
    }
    entries = changed
  }

  // One line: the kind, the path, the old value, ours; separated by tabs.

  private static let kind = "sysctl"

  private static func line(_ entry: Entry) -> String {
    ([kind, entry.path, entry.old] + entry.ours).map(escaped).joined(separator: "\t") + "\n"
  }

  private static func entry(_ line: Substring) -> Entry? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(unescaped)
    guard fields.count >= 4, fields[0] == kind else { return nil }
    return Entry(path: fields[1], old: fields[2], ours: Array(fields[3...]))
  }

  /// Values may hold tabs (tcp_rmem does).
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\\\"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var isEscape = false
    for character in text {
      if isEscape {
        result.append(character == "t" ? "\t" : character == "n" ? "\n" : character)
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
