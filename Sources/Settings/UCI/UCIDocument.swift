package import Base

/// One file of UCI text as sections, with everything wrong in it.
package struct UCIDocument: Sendable {
  package private(set) var sections: [UCISection] = []
  package private(set) var diagnostics: [Diagnostic] = []
  /// False when the file begins with something else: a password, a profile, a web page.
  package private(set) var isUCI = true

  private static let keywords = ["config", "option", "list", "package"]

  /// The section that options belong to; `nil` before the first and while one is thrown away.
  private var current: Int?
  /// True behind a `config` line that opened nothing: its options are read over without a word each.
  private var isDiscarding = false
  private var valueCount = 0

  package init(text: [UInt8], file: String) {
    guard text.count <= UCILimits.fileSize else {
      isUCI = false
      report(SourceLocation(file: file), "more than \(UCILimits.fileSize) bytes: not a configuration file")
      return
    }
    guard !text.contains(0) else {
      isUCI = false
      report(SourceLocation(file: file), "not a text file")
      return
    }
    var lexer = UCILexer(text, file: file)
    var isFirst = true
    while true {
      do {
        guard let statement = try lexer.next() else { return }
        if isFirst, !["config", "package"].contains(Self.fullKeyword(statement.keyword.text)) {
          isUCI = false
          report(
            statement.keyword.location,
            "not a UCI file: the first statement must be `config` or `package`; a file that is read by another name "
              + "(a profile, a password) must be named by a key or have a dot in its name")
          return
        }
        isFirst = false
        take(statement)
      } catch {
        if isFirst {
          isUCI = false
          report(error.location, "not a UCI file: \(error.text)")
          return
        }
        report(error.location, error.text)
        breakSection()
      }
    }
  }

  /// libuci takes the first letter alone, too.
  private static func fullKeyword(_ text: String) -> String {
    keywords.first { $0 == text || (text.utf8.count == 1 && $0.first == text.first) } ?? text
  }

  private mutating func take(_ statement: UCIStatement) {
    switch Self.fullKeyword(statement.keyword.text) {
    case "package":
      if statement.arguments.count != 1 {
        report(statement.keyword.location, "`package` takes one name")
      }
    case "config": open(statement)
    case "option": add(statement, isList: false)
    case "list": add(statement, isList: true)
    default:
      let nearest = NearestName.of(statement.keyword.text, in: Self.keywords)
      // Not quoted unless it is a slip of a known word: it could be the tail of a broken secret.
      report(
        statement.keyword.location,
        nearest.map { "unknown statement; did you mean `\($0)`?" }
          ?? "unknown statement: a line begins with `config`, `option`, `list` or `package`")
      breakSection()
    }
  }

  private mutating func open(_ statement: UCIStatement) {
    current = nil
    isDiscarding = true
    guard let type = statement.arguments.first, !type.text.isEmpty else {
      report(statement.keyword.location, "`config` needs a section type")
      return
    }
    let name = statement.arguments.dropFirst().first.flatMap { $0.text.isEmpty ? nil : $0 }
    if let name, let first = sections.firstIndex(where: { $0.type == type.text && $0.name == name.text }) {
      let line = sections[first].location.line
      diagnostics.append(Diagnostic(.note, name.location, "goes on with \(sections[first].title) of line \(line)"))
      current = first
    } else {
      guard sections.count < UCILimits.sections else {
        report(type.location, "more than \(UCILimits.sections) sections: this one is not read")
        return
      }
      sections.append(
        UCISection(
          type: type.text, name: name?.text, location: statement.keyword.location,
          nameLocation: name?.location ?? type.location))
      current = sections.count - 1
    }
    isDiscarding = false
    if let name, !name.text.utf8.allSatisfy({ $0.isNameByte || $0 == 45 }) {
      report(name.location, "a section's name has letters, digits and underscores only")
      breakSection()
    } else if let name, name.text.utf8.contains(45) {
      diagnostics.append(Diagnostic(.note, name.location, "`uci` itself refuses hyphens in names"))
    }
    checkEnd(statement, allowed: 2)
  }

  private mutating func add(_ statement: UCIStatement, isList: Bool) {
    let keyword = isList ? "list" : "option"
    guard let current else {
      if !isDiscarding { report(statement.keyword.location, "`\(keyword)` before any `config` line") }
      return
    }
    guard let written = statement.arguments.first, !written.text.isEmpty else {
      report(statement.keyword.location, "`\(keyword)` needs a key and a value")
      breakSection()
      return
    }
    guard written.text.utf8.allSatisfy({ $0.isNameByte || $0 == 45 }) else {
      report(written.location, "a key has letters, digits and underscores only")
      breakSection()
      return
    }
    if written.text.utf8.contains(45) {
      let text = "the hyphens are read as underscores; `uci` itself refuses hyphens in names"
      diagnostics.append(Diagnostic(.note, written.location, text))
    }
    checkEnd(statement, allowed: 2)
    let key = String(decoding: written.text.utf8.map { $0 == 45 ? 95 : $0 }, as: UTF8.self)
    let value = statement.arguments.count > 1 ? statement.arguments[1] : UCIWord("", at: written.location)
    guard valueCount < UCILimits.values else {
      report(written.location, "more than \(UCILimits.values) values in one file: this one is not read")
      breakSection()
      return
    }
    valueCount += 1
    if let note = Self.put(key, value, at: written.location, isList: isList, into: &sections[current].options) {
      diagnostics.append(note)
    }
  }

  /// `option` replaces, `list` adds, also to what an `option` said (libuci turns that into a list).
  private static func put(
    _ key: String, _ value: UCIWord, at location: SourceLocation, isList: Bool, into options: inout [UCIOption]
  ) -> Diagnostic? {
    guard let index = options.firstIndex(where: { $0.key == key }) else {
      options.append(UCIOption(key: key, location: location, values: [value], isList: isList))
      return nil
    }
    if isList {
      options[index].values.append(value)
      options[index].isList = true
      return nil
    }
    let line = options[index].location.line
    options[index] = UCIOption(key: key, location: location, values: [value], isList: false)
    return Diagnostic(.note, location, "`\(key)` stands on line \(line) already; this one counts")
  }

  private mutating func checkEnd(_ statement: UCIStatement, allowed: Int) {
    guard statement.arguments.count > allowed else { return }
    report(
      statement.arguments[allowed].location, "too many words: a value with blanks in it stands between quotes")
    breakSection()
  }

  private mutating func breakSection() {
    if let current { sections[current].isBroken = true }
  }

  private mutating func report(_ location: SourceLocation, _ text: String) {
    diagnostics.append(Diagnostic(.error, location, text))
  }
}

extension UInt8 {
  /// What libuci allows in names.
  fileprivate var isNameByte: Bool {
    (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self) || self == 95
  }
}
