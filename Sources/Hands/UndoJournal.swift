import Gateway
import IO

/// What was changed that cannot carry our name, with the old values: `STATE-DIR/undo`.
///
/// Every entry is written before its change is made, so a successor of a killed daemon finds at least what was done.
/// The file is replaced whole each time: it is a few lines, and a reader never sees half of one. The state directory
/// is on tmpfs; a power failure takes both the file and the changes.
final class UndoJournal {
  struct Entry: Hashable {
    var path: String
    var old: String
    /// Every value that we may have written. The last may not have reached the kernel.
    var ours: [String]
  }

  /// A resolver that was told something: a change that is taken back by whoever made it, not by a value.
  struct Telling: Hashable {
    enum Kind: String, Hashable { case dnsmasq, resolved, resolvconf }

    var kind: Kind
    /// The device; of dnsmasq the directory, the file of servers and how it is restarted.
    var fields: [String]
  }

  /// In the order of the changes.
  private(set) var entries: [Entry]
  private(set) var tellings: [Telling] = []
  private let directory: String

  private var file: String { directory + "/undo" }

  /// Far above what the planner can ask for.
  private static let largest = 256 << 10

  /// A missing file is an empty journal. Lines that make no sense are left out: they restore nothing.
  init(directory: String) {
    self.directory = directory
    entries = []
    guard let bytes = try? TextFile.read(file, limit: Self.largest).bytes else { return }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    entries = lines.compactMap(Self.entry)
    tellings = lines.compactMap(Self.telling)
  }

  func entry(for path: String) -> Entry? { entries.first { $0.path == path } }

  /// Notes that the file is about to get this value.
  ///
  /// A value that is neither ours nor the old one is the last word of somebody else, and what the file is to have after us.
  func note(_ sysctl: NetworkPlan.Sysctl, over current: String) throws(SystemFailure) {
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

  func remove(_ paths: Set<String>) throws(SystemFailure) {
    guard entries.contains(where: { paths.contains($0.path) }) else { return }
    try write(entries.filter { !paths.contains($0.path) })
  }

  func note(_ telling: Telling) throws(SystemFailure) {
    if !tellings.contains(telling) { try write(entries, tellings + [telling]) }
  }

  func remove(_ telling: Telling) throws(SystemFailure) {
    if tellings.contains(telling) { try write(entries, tellings.filter { $0 != telling }) }
  }

  private func write(_ changed: [Entry], _ told: [Telling]? = nil) throws(SystemFailure) {
    let told = told ?? tellings
    if changed.isEmpty, told.isEmpty {
      try TextFile.remove(file)
    } else {
      try TextFile.makeDirectory(directory, mode: 0o755)
      let text = (changed.map { Self.line($0) } + told.map { Self.line($0) }).joined()
      try TextFile.write(Array(text.utf8), to: file, mode: 0o600)
    }
    entries = changed
    tellings = told
  }

  // One line: the kind, the path, the old value, ours; separated by tabs.

  private static let kind = "sysctl"

  private static func line(_ entry: Entry) -> String {
    ([kind, entry.path, entry.old] + entry.ours).map(escaped).joined(separator: "\t") + "\n"
  }

  private static func line(_ telling: Telling) -> String {
    ([telling.kind.rawValue] + telling.fields).map(escaped).joined(separator: "\t") + "\n"
  }

  private static func fields(_ line: Substring) -> [String] {
    line.split(separator: "\t", omittingEmptySubsequences: false).map(unescaped)
  }

  private static func telling(_ line: Substring) -> Telling? {
    let fields = fields(line)
    guard fields.count > 1, let kind = Telling.Kind(rawValue: fields[0]) else { return nil }
    return Telling(kind: kind, fields: Array(fields.dropFirst()))
  }

  private static func entry(_ line: Substring) -> Entry? {
    let fields = fields(line)
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
