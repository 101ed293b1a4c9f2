import Base

/// One walk through one file.
struct LexerRun {
  private let text: [UInt8]
  private let file: String
  private var position: Int
  private var lineNumber = 0
  private var optionCount = 0
  private(set) var lines: [OptionLine] = []
  private(set) var findings = Findings()

  /// A line of the file: where it stands, blanks at both ends left out.
  private struct Line {
    var range: Range<Int>
    var trimmed: Range<Int>
    var number: Int

    var column: Int { trimmed.lowerBound - range.lowerBound + 1 }
  }

  private struct Tag {
    var name: String
    var isClosing: Bool
  }

  init(text: [UInt8], file: String) {
    self.text = text
    self.file = file
    position = text.starts(with: WholeText.byteOrderMark) ? 3 : 0
  }

  mutating func readAll() {
    while !findings.isFull, let line = nextLine() {
      if let option = read(line, inConnection: false) { lines.append(option) }
    }
    if lines.isEmpty, findings.all.isEmpty {
      findings.add(Diagnostic(.error, SourceLocation(file: file), "not an OpenVPN profile: no option in it"))
    }
  }

  // MARK: Lines

  /// LF, CRLF and a bare CR all end a line (cases L-01, L-05).
  private mutating func nextLine() -> Line? {
    guard position < text.count else { return nil }
    let start = position
    var end = start
    while end < text.count, text[end] != 10, text[end] != 13 { end += 1 }
    position = end
    if position < text.count {
      position += text[position] == 13 && position + 1 < text.count && text[position + 1] == 10 ? 2 : 1
    }
    lineNumber += 1
    var trimmed = start..<end
    while let first = trimmed.first, Words.isBlank(text[first]) { trimmed = trimmed.dropFirst() }
    while let last = trimmed.last, Words.isBlank(text[last]) { trimmed = trimmed.dropLast() }
    return Line(range: start..<end, trimmed: trimmed, number: lineNumber)
  }

  private func location(_ line: Line, column: Int? = nil) -> SourceLocation {
    SourceLocation(file: file, line: line.number, column: column ?? line.column)
  }

  private mutating func fail(_ line: Line, column: Int? = nil, _ problem: String) {
    findings.add(Diagnostic(.error, location(line, column: column), problem))
  }

  private mutating func read(_ line: Line, inConnection: Bool) -> OptionLine? {
    guard let first = line.trimmed.first, text[first] != UInt8(ascii: "#"), text[first] != UInt8(ascii: ";") else {
      return nil
    }
    optionCount += 1
    if optionCount > ProfileLimits.optionLines {
      fail(line, "more than \(ProfileLimits.optionLines) lines of options; the rest is not read")
      position = text.count
      return nil
    }
    if text[first] == UInt8(ascii: "<"), let tag = tag(of: line) {
      return readBlock(tag, at: line, inConnection: inConnection)
    }
    if text[line.trimmed].starts(with: Array("-----".utf8)) {
      skipPEM(from: line)
      return nil
    }
    return readOption(line)
  }

  private mutating func readOption(_ line: Line) -> OptionLine? {
    guard line.range.count <= ProfileLimits.lineBytes else {
      fail(line, "longer than \(ProfileLimits.lineBytes) bytes: not an option")
      return nil
    }
    switch Words.of(text[line.range]) {
    case .failure(let problem):
      fail(line, column: problem.column, problem.text)
      return nil
    case .success(let words):
      guard let first = words.first else { return nil }
      let name = first.text.hasPrefix("--") ? String(first.text.dropFirst(2)) : first.text
      guard !name.isEmpty else {
        fail(line, "an option without a name")
        return nil
      }
      if let odd = name.unicodeScalars.first(where: { !$0.isASCII || $0.value < 32 || $0.value == 127 }) {
        fail(
          line,
          "the character U+\(odd.hexadecimal) has no place in an option's name; copying from a web page often brings it"
        )
        return nil
      }
      return OptionLine(
        name: name, arguments: words.dropFirst().map(\.text), location: location(line, column: first.column),
        argumentColumns: words.dropFirst().map(\.column))
    }
  }

  /// PEM that somebody pasted without its tag: one error, not one for every line of it (cases L-20).
  private mutating func skipPEM(from line: Line) {
    fail(line, "PEM data outside an inline block; it belongs between <ca> and </ca>, <cert>, <key> or the like")
    guard text[line.trimmed].starts(with: Array("-----BEGIN ".utf8)) else { return }
    let mark = (position, lineNumber)
    while let next = nextLine() {
      if text[next.trimmed].starts(with: Array("-----END ".utf8)) { return }
      if let first = next.trimmed.first, text[first] == UInt8(ascii: "<") { break }
    }
    (position, lineNumber) = mark
  }

  // MARK: Blocks

  /// `<name>` or `</name>`, perhaps with a comment behind; `nil` for anything else.
  private func tag(of line: Line) -> Tag? {
    guard text[line.trimmed].first == UInt8(ascii: "<"),
      let close = text[line.trimmed].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    var inner = text[line.trimmed.lowerBound + 1..<close]
    let rest = text[close + 1..<line.trimmed.upperBound].drop(while: Words.isBlank)
    guard rest.isEmpty || rest.first == UInt8(ascii: "#") || rest.first == UInt8(ascii: ";") else { return nil }
    let isClosing = inner.first == UInt8(ascii: "/")
    if isClosing { inner = inner.dropFirst() }
    let name = inner.drop(while: Words.isBlank)
    guard !name.isEmpty, name.allSatisfy({ (33...126).contains($0) }) else { return nil }
    return Tag(name: String(decoding: name, as: UTF8.self), isClosing: isClosing)
  }

  private mutating func readBlock(_ tag: Tag, at line: Line, inConnection: Bool) -> OptionLine? {
    if tag.isClosing {
      fail(line, "</\(tag.name)> closes a block that was never opened")
      return nil
    }
    if tag.name == "connection" {
      guard !inConnection else {
        fail(line, "a <connection> block inside a <connection> block")
        return nil
      }
      return readConnection(at: line)
    }
    guard let entry = OptionTable.entry(named: tag.name), entry.allowsInline else {
      failUnknown(tag, at: line)
      return nil
    }
    guard let body = readBody(of: tag, at: line) else { return nil }
    return OptionLine(name: tag.name, body: body, location: location(line))
  }

  private mutating func failUnknown(_ tag: Tag, at line: Line) {
    if let entry = OptionTable.entry(named: tag.name) {
      fail(line, "`\(entry.name)` is an option on a line of its own, not a block")
    } else {
      let near = NearestName.of(tag.name, in: OptionTable.inlineNames)
      fail(line, "unknown block <\(tag.name)>" + (near.map { "; did you mean <\($0)>?" } ?? ""))
    }
    // Its body is left out only when its end is certain: a web page's tag must not swallow the options behind it.
    let mark = (position, lineNumber)
    while let next = nextLine(), position - mark.0 <= ProfileLimits.blockBytes {
      guard let first = next.trimmed.first, text[first] == UInt8(ascii: "<"), let other = self.tag(of: next) else {
        continue
      }
      if other.isClosing, other.name == tag.name { return }
      break
    }
    (position, lineNumber) = mark
  }

  /// Lines to the end tag, without carriage returns, each ended by a newline.
  private mutating func readBody(of tag: Tag, at line: Line) -> SecretBytes? {
    let end = Array("</\(tag.name)>".utf8)
    let mark = (position, lineNumber)
    var body: [UInt8] = []
    defer { body.wipe() }
    var nextBlock: (Int, Int)?
    var before = mark
    while let next = nextLine() {
      if text[next.trimmed].starts(with: end) {
        guard body.count <= ProfileLimits.blockBytes else {
          fail(line, "the block <\(tag.name)> is larger than \(ProfileLimits.blockBytes >> 10) KiB")
          return nil
        }
        return SecretBytes(body)
      }
      if nextBlock == nil, let other = self.tag(of: next), !other.isClosing, opensBlock(other.name) {
        nextBlock = before
      }
      if body.count <= ProfileLimits.blockBytes {
        body += text[next.range]
        body.append(10)
      }
      before = (position, lineNumber)
    }
    fail(line, "the block <\(tag.name)> has no end: </\(tag.name)> is missing")
    // Go on at the next block, so that one missing end does not hide what is wrong behind it.
    (position, lineNumber) = nextBlock ?? (text.count, lineNumber)
    return nil
  }

  private func opensBlock(_ name: String) -> Bool {
    name == "connection" || OptionTable.entry(named: name)?.allowsInline == true
  }

  private mutating func readConnection(at line: Line) -> OptionLine? {
    var block: [OptionLine] = []
    while !findings.isFull {
      let before = (position, lineNumber)
      guard let next = nextLine() else { break }
      if text[next.trimmed].starts(with: Array("</connection>".utf8)) {
        return OptionLine(name: "connection", block: block, location: location(line))
      }
      if let tag = tag(of: next), !tag.isClosing, tag.name == "connection" {
        (position, lineNumber) = before
        break
      }
      if let option = read(next, inConnection: true) { block.append(option) }
    }
    fail(line, "the block <connection> has no end: </connection> is missing")
    return OptionLine(name: "connection", block: block, location: location(line))
  }
}

extension Unicode.Scalar {
  /// At least four digits, as code points are written.
  fileprivate var hexadecimal: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
