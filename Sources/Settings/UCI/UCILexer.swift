import Base

/// Cuts UCI text into statements by libuci's rules.
///
/// Words are separated by white space; `'…'` takes everything literally, `"…"` and bare words know the backslash, which
/// makes the next character literal; quoted and bare parts that touch are one word. A quote may run over line ends. `#`
/// outside quotes begins a comment even inside a word, `;` ends a statement, a backslash before the line end joins lines.
struct UCILexer {
  struct Failure: Error {
    var location: SourceLocation
    var text: String
  }

  private let bytes: [UInt8]
  private let file: String
  private var position: Int
  private var line = 1
  private var lineStart: Int

  /// - Parameter text: any line ends; a byte order mark is skipped (cases L-03, L-05).
  init(_ text: [UInt8], file: String) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    bytes = Self.normalizedLineEnds(text.starts(with: mark) ? text[3...] : text[...])
    self.file = file
    position = 0
    lineStart = 0
  }

  /// The next statement, or `nil` at the end.
  ///
  /// After a failure the next call goes on behind the faulty line.
  mutating func next() throws(Failure) -> UCIStatement? {
    skipToStatement()
    guard position < bytes.count else { return nil }
    let keyword = readKeyword()
    var arguments: [UCIWord] = []
    while true {
      skipBlanks()
      guard let byte = current, byte != Byte.newline else { break }
      if byte == Byte.semicolon {
        position += 1
        break
      }
      if byte == Byte.hash {
        skipLine()
        break
      }
      let word = try readWord()
      if arguments.count < UCILimits.words { arguments.append(word) }
    }
    return UCIStatement(keyword: keyword, arguments: arguments)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var location: SourceLocation {
    SourceLocation(file: file, line: line, column: position - lineStart + 1)
  }

  private var isAtJoin: Bool {
    current == Byte.backslash && (position + 1 == bytes.count || bytes[position + 1] == Byte.newline)
  }

  private mutating func startLine() {
    line += 1
    lineStart = position
  }

  private mutating func skipLine() {
    while let byte = current, byte != Byte.newline { position += 1 }
  }

  private mutating func skipJoin() {
    position = min(position + 2, bytes.count)
    startLine()
  }

  /// Over blank lines, comments and stray semicolons.
  private mutating func skipToStatement() {
    while let byte = current {
      switch byte {
      case Byte.newline:
        position += 1
        startLine()
      case Byte.hash: skipLine()
      case Byte.semicolon: position += 1
      case _ where byte.isBlank: position += 1
      case _ where isAtJoin: skipJoin()
      default: return
      }
    }
  }

  private mutating func skipBlanks() {
    while let byte = current {
      if byte.isBlank {
        position += 1
      } else if isAtJoin {
        skipJoin()
      } else {
        return
      }
    }
  }

  /// Keywords know neither quotes nor escapes.
  private mutating func readKeyword() -> UCIWord {
    let start = position
    let place = location
    while let byte = current, !byte.isBlank, byte != Byte.newline { position += 1 }
    return UCIWord(String(decoding: bytes[start..<position], as: UTF8.self), at: place)
  }

  private mutating func readWord() throws(Failure) -> UCIWord {
    let place = location
    var text: [UInt8] = []
    scan: while let byte = current {
      switch byte {
      case Byte.apostrophe, Byte.quotation: try readQuoted(byte, into: &text)
      case Byte.newline, Byte.hash, Byte.semicolon: break scan
      case _ where byte.isBlank: break scan
      case _ where isAtJoin: skipJoin()
      case Byte.backslash:
        text.append(bytes[position + 1])
        position += 2
      default:
        text.append(byte)
        position += 1
      }
      if text.count > UCILimits.wordSize {
        skipLine()
        throw Failure(location: place, text: "a value of more than \(UCILimits.wordSize) bytes")
      }
    }
    return UCIWord(String(decoding: text, as: UTF8.self), at: place)
  }

  private mutating func readQuoted(_ quote: UInt8, into text: inout [UInt8]) throws(Failure) {
    let open = (place: location, position: position, line: line, lineStart: lineStart)
    position += 1
    while let byte = current {
      if byte == quote {
        position += 1
        return
      }
      if byte == Byte.backslash, quote == Byte.quotation {
        position += 1
        if current == Byte.newline {
          position += 1
          startLine()
          continue
        }
      }
      guard let literal = current else { break }
      text.append(literal)
      position += 1
      if literal == Byte.newline {
        startLine()
        // libuci would read on to the next quote and turn the rest of the file inside out; a line that begins a new
        // statement says that the quote was forgotten.
        if startsStatement { break }
      }
    }
    (position, line, lineStart) = (open.position, open.line, open.lineStart)
    skipLine()
    throw Failure(location: open.place, text: "the quote that opens here is never closed")
  }

  private var startsStatement: Bool {
    var rest = bytes[position...]
    rest = rest.drop { $0.isBlank }
    return ["config", "option", "list", "package"].contains { word in
      rest.starts(with: word.utf8) && (rest.dropFirst(word.utf8.count).first?.isBlank ?? false)
    }
  }

  private static func normalizedLineEnds(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard text.contains(Byte.carriageReturn) else { return Array(text) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var previous: UInt8 = 0
    for byte in text {
      if byte == Byte.newline, previous == Byte.carriageReturn {
        previous = byte
        continue
      }
      result.append(byte == Byte.carriageReturn ? Byte.newline : byte)
      previous = byte
    }
    return result
  }
}

private enum Byte {
  static let newline: UInt8 = 10
  static let carriageReturn: UInt8 = 13
  static let quotation: UInt8 = 34
  static let hash: UInt8 = 35
  static let apostrophe: UInt8 = 39
  static let semicolon: UInt8 = 59
  static let backslash: UInt8 = 92
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 32 || self == 9 || self == 11 || self == 12 }
}
