import Base

/// The one truth about options: the parser, the allow-list of pushed options and `adit check --options` read it.
package enum OptionTable {
  /// By topic, then as the table lists them.
  package static let all: [OptionEntry] = {
    let topics: [[OptionEntry]] = [
      connection, timers, security, identity, tunnel, network, process, scripts, server, windows, removed,
    ]
    return topics.flatMap(\.self)
  }()

  private static let byName: [String: OptionEntry] = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  package static func entry(named name: String) -> OptionEntry? { byName[name] }

  /// Blocks that may stand in a profile.
  package static let inlineNames = all.filter(\.allowsInline).map(\.name) + ["connection"]

  /// What the writer of an unknown option probably meant, as a sentence's end; empty when nothing is near.
  package static func hint(for name: String) -> String {
    if let equals = name.firstIndex(of: "="), entry(named: String(name[..<equals])) != nil {
      return "; a blank, not `=`, stands between an option and its value"
    }
    if let entry = entry(named: name.lowercased()) { return "; option names are lower case: `\(entry.name)`" }
    return nearest(to: name).map { "; did you mean `\($0)`?" } ?? ""
  }

  /// By typing distance, or else the longest option whose parts all occur in `name` in order: what a careless
  /// search-and-replace leaves (cases L-16).
  package static func nearest(to name: String) -> String? {
    let names = all.filter { if case .refused = $0.treatment { false } else { true } }.map(\.name)
    if let near = NearestName.of(name, in: names) { return near }
    let parts = name.split(separator: "-")
    return names.filter { candidate in
      let wanted = candidate.split(separator: "-")
      guard wanted.count > 1 else { return false }
      var rest = parts[...]
      for part in wanted {
        guard let found = rest.firstIndex(of: part) else { return false }
        rest = rest[(found + 1)...]
      }
      return true
    }.max { $0.utf8.count < $1.utf8.count }
  }
}
