/// Where in the user's files something stands. Lines and columns count from 1; 0 means the whole file or line.
package struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
  package var file: String
  package var line: Int
  package var column: Int

  package init(file: String, line: Int = 0, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  package var description: String { line == 0 ? file : "\(file):\(line):\(max(column, 1))" }
}

/// One finding about the user's configuration, printed as `file:line:column: severity: text`.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable, Comparable {
    case error, warning, note

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
    private var rank: Int { self == .error ? 2 : self == .warning ? 1 : 0 }
  }

  package var severity: Severity
  package var location: SourceLocation
  /// Never quotes a secret: no file content, no credential.
  package var text: String

  package init(_ severity: Severity, _ location: SourceLocation, _ text: String) {
    self.severity = severity
    self.location = location
    self.text = text
  }

  package var description: String { "\(location): \(severity.rawValue): \(text)" }
}

extension [Diagnostic] {
  package var hasErrors: Bool { contains { $0.severity == .error } }
}
