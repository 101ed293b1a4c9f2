package import Base

/// A list of policy entries in a file of its own: one entry a line, `#` begins a comment.
package struct PolicyList: Sendable {
  /// As many entries as nft loads into one set within a second.
  package static let entryLimit = 65_536
  /// More of one file's mistakes help nobody.
  static let diagnosticLimit = 20

  package private(set) var matches: [PolicySettings.Match] = []
  package private(set) var diagnostics: [Diagnostic] = []
  /// True when every entry could be read.
  package var isWhole: Bool { diagnostics.isEmpty }

  private let file: String
  private let end: PolicySettings.End
  private var mistakes = 0

  /// - Parameter end: which end of a connection the entries describe.
  package init(text: [UInt8], file: String, for end: PolicySettings.End) {
    self.file = file
    self.end = end
    var number = 0
    for line in text.split(separator: 10, omittingEmptySubsequences: false) {
      number += 1
      let content = line.prefix { $0 != UInt8(ascii: "#") }
      guard let start = content.firstIndex(where: { !Self.isBlank($0) }) else { continue }
      let word = content[start...].prefix { !Self.isBlank($0) }
      let column = start - line.startIndex + 1
      guard matches.count < Self.entryLimit else {
        fail(number, column, "more than \(Self.entryLimit) entries: the rest is not read")
        break
      }
      if let rest = content[word.endIndex...].firstIndex(where: { !Self.isBlank($0) }) {
        fail(number, rest - line.startIndex + 1, "one entry a line")
      } else {
        add(String(decoding: word, as: UTF8.self), number, column)
      }
    }
    if mistakes > Self.diagnosticLimit {
      diagnostics.append(
        Diagnostic(
          .error, SourceLocation(file: file), "\(mistakes - Self.diagnosticLimit) more entries cannot be read"))
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

  // Quotes nothing: the wrong file may hold a secret.
  private mutating func add(_ word: String, _ line: Int, _ column: Int) {
    if word.hasPrefix("!") { return fail(line, column, "an entry cannot be negated; `!file:` negates the whole list") }
    guard let match = PolicySettings.Match(word[...]) else {
      return fail(
        line, column, "not an address, a prefix, \(end == .source ? "a MAC address or @DEVICE" : "or a domain")")
    }
    if case .list = match { return fail(line, column, "a list cannot name another list") }
    if let reason = match.misplaced(in: end) { return fail(line, column, "this list \(reason)") }
    matches.append(match)
  }

  private mutating func fail(_ line: Int, _ column: Int, _ text: String) {
    mistakes += 1
    guard mistakes <= Self.diagnosticLimit else { return }
    diagnostics.append(Diagnostic(.error, SourceLocation(file: file, line: line, column: column), text))
  }
}
