/// One step worth a line in the log. Pure rooms report notes; only the daemon makes them text and writes them.
package struct Note: Hashable, Sendable {
  package enum Level: UInt8, Hashable, Sendable, Comparable, CaseIterable {
    case error, warning, info, debug, packet

    package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    package var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .info: "info"
      case .debug: "debug"
      case .packet: "packet"
      }
    }
    package init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }
  }

  package var code: Code
  /// Fill the `{0}`, `{1}`… of the code's sentence. Never a secret.
  package var fields: [String]

  package init(_ code: Code, _ fields: String...) {
    self.code = code
    self.fields = fields
  }

  package init(_ code: Code, fields: [String]) {
    self.code = code
    self.fields = fields
  }

  package var level: Level { code.entry.level }

  /// The line for people.
  package var sentence: String {
    var result = ""
    var rest = code.entry.sentence[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      guard let close = rest[open...].firstIndex(of: "}") else { break }
      if let index = Int(rest[rest.index(after: open)..<close]), fields.indices.contains(index) {
        result += fields[index]
      }
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}
