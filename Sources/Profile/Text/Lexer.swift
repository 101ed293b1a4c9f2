package import Base

/// Text of a profile to option lines. Every problem is a diagnostic, and reading goes on to the end.
package enum Lexer {
  /// - Returns: all lines that could be read, in file order, and what is wrong with the others.
  package static func lines(of text: [UInt8], file: String) -> (lines: [OptionLine], diagnostics: [Diagnostic]) {
    if let problem = WholeText.problem(of: text) {
      return ([], [Diagnostic(.error, SourceLocation(file: file), problem)])
    }
    var run = LexerRun(text: text, file: file)
    run.readAll()
    return (run.lines, run.findings.all)
  }

  /// The words of one line, as a pushed option or a settings value carries it. A comment ends it.
  package static func words(of text: String) -> Result<[String], Diagnostic> {
    words(of: text, at: SourceLocation(file: ""))
  }

  /// - Parameter location: where `text` begins, for the diagnostic.
  package static func words(of text: String, at location: SourceLocation) -> Result<[String], Diagnostic> {
    let bytes = Array(text.utf8)
    guard bytes.count <= ProfileLimits.lineBytes else {
      return .failure(Diagnostic(.error, location, "longer than \(ProfileLimits.lineBytes) bytes"))
    }
    switch Words.of(bytes[...]) {
    case .success(let words): return .success(words.map(\.text))
    case .failure(let problem):
      var place = location
      place.column = max(location.column, 1) + problem.column - 1
      return .failure(Diagnostic(.error, place, problem.text))
    }
  }
}

extension Diagnostic: Error {}

/// What makes a whole file no profile at all.
enum WholeText {
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  static func problem(of text: [UInt8]) -> String? {
    if text.count > ProfileLimits.fileBytes { return "larger than \(ProfileLimits.fileBytes >> 20) MiB: not a profile" }
    if text.starts(with: [0xff, 0xfe]) || text.starts(with: [0xfe, 0xff]) || looksLikeUTF16(text) {
      return "not an OpenVPN profile as it stands: the text is UTF-16; save it as UTF-8"
    }
    if text.contains(0) { return "not an OpenVPN profile: a binary file" }
    let start = text.starts(with: byteOrderMark) ? 3 : 0
    guard let first = text[start...].firstIndex(where: { !Words.isBlank($0) }) else {
      return "not an OpenVPN profile: the file is empty"
    }
    let opening = String(decoding: text[first...].prefix(15), as: UTF8.self).lowercased()
    if ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"].contains(where: opening.hasPrefix) {
      return "not an OpenVPN profile: a web page; the download failed or needs a login"
    }
    return nil
  }

  /// Without a mark: every other byte of the first words is zero.
  private static func looksLikeUTF16(_ text: [UInt8]) -> Bool {
    guard text.count >= 8 else { return false }
    let even = (0..<4).allSatisfy { text[$0 * 2] == 0 && text[$0 * 2 + 1] != 0 }
    let odd = (0..<4).allSatisfy { text[$0 * 2 + 1] == 0 && text[$0 * 2] != 0 }
    return even || odd
  }
}

/// Diagnostics of one file, bounded.
struct Findings {
  private(set) var all: [Diagnostic] = []
  private(set) var isFull = false

  mutating func add(_ diagnostic: Diagnostic) {
    guard all.count < ProfileLimits.diagnostics else {
      if !isFull {
        isFull = true
        all.append(Diagnostic(.error, diagnostic.location, "too many problems; the rest is not listed"))
      }
      return
    }
    all.append(diagnostic)
  }
}
