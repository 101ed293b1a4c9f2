import Base

/// Reads typed values out of one section by the schema, and collects what is wrong with them.
struct SectionReader {
  let section: UCISection
  let schema: Schema.Section
  private(set) var diagnostics: [Diagnostic] = []
  /// True once anything in the section could not be read as meant.
  private(set) var isBroken: Bool

  init(_ section: UCISection, _ schema: Schema.Section) {
    self.section = section
    self.schema = schema
    isBroken = section.isBroken
  }

  var keyLocations: KeyLocations {
    section.options.reduce(into: KeyLocations()) { $0[$1.key] = $1.location }
  }

  mutating func fail(_ location: SourceLocation, _ text: String) {
    diagnostics.append(Diagnostic(.error, location, text))
    isBroken = true
  }

  mutating func warn(_ location: SourceLocation, _ text: String) {
    diagnostics.append(Diagnostic(.warning, location, text))
  }

  mutating func note(_ location: SourceLocation, _ text: String) {
    diagnostics.append(Diagnostic(.note, location, text))
  }

  /// An error that leaves the section in force.
  mutating func complain(_ location: SourceLocation, _ text: String) {
    diagnostics.append(Diagnostic(.error, location, text))
  }

  /// Reports keys that neither the schema nor `others` know, with the nearest that they do.
  mutating func checkKeys() {
    for option in section.options {
      guard let key = schema.key(named: option.key) else {
        failUnknown(option, among: schema.keys.map(\.name))
        continue
      }
      check(option, against: key)
    }
  }

  mutating func check(_ option: UCIOption, against key: Schema.Key) {
    if !key.isList, option.values.count > 1 {
      fail(option.location, "`\(key.name)` takes one value, not a list")
    }
    guard schema.isActedOn else { return }
    if !key.isActedOn { note(option.location, "`\(key.name)` is not yet acted on") }
  }

  mutating func failUnknown(_ option: UCIOption, among names: [String]) {
    let nearest = NearestName.of(option.key, in: names)
    fail(option.location, "\(section.type) has no key `\(option.key)`" + Self.hint(nearest))
  }

  static func hint(_ nearest: String?) -> String { nearest.map { "; did you mean `\($0)`?" } ?? "" }

  /// The values of a key, empty ones left out: an empty value is UCI's way to say "not set".
  func words(_ key: String) -> [UCIWord] {
    guard let option = section[key], let kind = schema.key(named: key)?.kind else { return [] }
    let words = kind.splitsAtBlanks ? option.values.flatMap(\.blankSeparated) : option.values
    return words.filter { !$0.text.isEmpty }
  }

  /// The value of a key that takes one.
  mutating func word(_ key: String) -> UCIWord? {
    let words = words(key)
    if words.count > 1, section[key]?.values.count == 1 { failValue(words[0], of: key) }
    return words.last
  }

  mutating func failValue(_ word: UCIWord, of key: String) {
    let expected = schema.key(named: key)?.kind.description ?? "something else"
    fail(word.location, "`\(key)` must be \(expected)")
  }

  // MARK: Kinds

  mutating func text(_ key: String) -> String? { word(key)?.text }

  mutating func flag(_ key: String) -> Bool? {
    guard let word = word(key) else { return nil }
    guard let value = Truth.value(of: word.text) else {
      failValue(word, of: key)
      return nil
    }
    return value
  }

  mutating func choice<Choice: RawRepresentable<String>>(_ key: String, as type: Choice.Type) -> Choice? {
    guard let word = word(key) else { return nil }
    guard let value = Choice(rawValue: word.text) else {
      failChoice(word, of: key)
      return nil
    }
    return value
  }

  mutating func failChoice(_ word: UCIWord, of key: String) { fail(word.location, choiceText(word, of: key)) }

  func choiceText(_ word: UCIWord, of key: String) -> String {
    guard case .word(let words)? = schema.key(named: key)?.kind else { return "`\(key)` has no such value" }
    let nearest = NearestName.of(word.text, in: words)
    return "`\(key)` must be one of \(words.joined(separator: ", "))" + Self.hint(nearest)
  }

  mutating func number(_ key: String) -> Int? {
    guard let word = word(key), case .number(let range)? = schema.key(named: key)?.kind else { return nil }
    guard let value = Int(word.text), range.contains(value) else {
      failValue(word, of: key)
      return nil
    }
    return value
  }

  /// One value by an initializer that may refuse.
  mutating func value<Value>(_ key: String, _ make: (String) -> Value?) -> Value? {
    guard let word = word(key) else { return nil }
    guard let value = make(word.text) else {
      failValue(word, of: key)
      return nil
    }
    return value
  }

  /// All values by an initializer that may refuse; the good ones are kept.
  mutating func values<Value>(_ key: String, _ make: (String) -> Value?) -> [Value] {
    var result: [Value] = []
    for word in words(key) {
      if let value = make(word.text) {
        result.append(value)
      } else {
        failValue(word, of: key)
      }
    }
    return result
  }
}

extension UCIWord {
  /// The parts between blanks, each at its own column as long as no quote inside moved it.
  var blankSeparated: [UCIWord] {
    guard text.utf8.contains(where: { $0 == 32 || $0 == 9 || $0 == 10 }) else { return [self] }
    return text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }).map {
      UCIWord(String($0), at: location)
    }
  }
}

/// UCI's words for yes and no (cases U-04), in any letter case.
package enum Truth {
  package static let yes = ["1", "on", "true", "yes", "enabled"]
  package static let no = ["0", "off", "false", "no", "disabled"]

  package static func value(of text: String) -> Bool? {
    let word = text.lowercased()
    return yes.contains(word) ? true : no.contains(word) ? false : nil
  }
}
