package import Base

/// A file that a line of a profile names.
package struct FileReference: Hashable, Sendable {
  package var option: String
  package var path: String
  /// Of the argument.
  package var location: SourceLocation
  /// Holds a secret: its mode is worth a look (cases S-07).
  package var isSecret: Bool
}

extension OptionLine {
  /// The file this line wants read; `nil` when there is none or its content is in already.
  package var fileReference: FileReference? {
    guard body == nil, let index = OptionTable.entry(named: name)?.fileArgument, arguments.indices.contains(index)
    else {
      return nil
    }
    // Words, not files: OpenVPN asks on the terminal then.
    if name == "auth-user-pass", ["stdin", "username-only"].contains(arguments[index]) { return nil }
    return FileReference(
      option: name, path: arguments[index], location: location(ofArgument: index),
      isSecret: ["key", "pkcs12", "tls-auth", "tls-crypt", "tls-crypt-v2", "auth-user-pass", "askpass"].contains(name))
  }

  /// The line with its file's content in place; arguments stay, so that messages can name the file.
  package func inlined(_ content: [UInt8]) -> OptionLine {
    var line = self
    var bytes = name == "pkcs12" ? Self.base64Text(content) : Self.plainLines(content)
    line.body = SecretBytes(wiping: &bytes)
    return line
  }

  /// A PKCS#12 file is binary; a block of text cannot hold it as it is.
  private static func base64Text(_ content: [UInt8]) -> [UInt8] {
    if Base64.bytes(content) != nil { return plainLines(content) }
    var text = Array(Base64.text(content).utf8)
    defer { text.wipe() }
    var lines: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 64) {
      lines += text[start..<min(start + 64, text.count)]
      lines.append(10)
    }
    return lines
  }

  /// As the lexer leaves a block: no byte order mark, every line ended by LF.
  private static func plainLines(_ content: [UInt8]) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(content.count + 1)
    var previous: UInt8 = 0
    for byte in content[(content.starts(with: WholeText.byteOrderMark) ? 3 : 0)...] {
      if byte == 13 || byte == 10 && previous != 13 { lines.append(10) } else if byte != 10 { lines.append(byte) }
      previous = byte
    }
    if let last = lines.last, last != 10 { lines.append(10) }
    return lines
  }
}

extension Profile {
  /// All files that `lines` want read, those of `<connection>` blocks too.
  package static func fileReferences(in lines: [OptionLine]) -> [FileReference] {
    lines.flatMap { line in line.block.map(fileReferences(in:)) ?? line.fileReference.map { [$0] } ?? [] }
  }

  /// Replaces every file reference by the file's content, and every `config` by the lines of that file.
  ///
  /// - Parameter read: gives a file's bytes, or one sentence that says why not.
  /// - Returns: the lines, with what could not be read left as it was and reported; parse those with `.mayBeUnread`.
  package static func inliningFiles(
    in lines: [OptionLine], read: (FileReference) -> Result<[UInt8], FileProblem>
  ) -> (lines: [OptionLine], diagnostics: [Diagnostic]) {
    var run = Inlining()
    let result = run.inlined(lines, depth: 0, read: read)
    return (result, run.findings.all)
  }
}

/// Why a file could not be read, as a sentence.
package struct FileProblem: Error {
  package var text: String

  package init(_ text: String) { self.text = text }
}

private struct Inlining {
  typealias Reader = (FileReference) -> Result<[UInt8], FileProblem>

  private(set) var findings = Findings()
  private var lineCount = 0

  mutating func inlined(_ lines: [OptionLine], depth: Int, read: Reader) -> [OptionLine] {
    var result: [OptionLine] = []
    for line in lines {
      lineCount += 1
      if let block = line.block {
        var line = line
        line.block = inlined(block, depth: depth, read: read)
        result.append(line)
      } else if let reference = line.fileReference {
        result += inlined(line, reference, depth: depth, read: read)
      } else {
        result.append(line)
      }
    }
    return result
  }

  private mutating func inlined(
    _ line: OptionLine, _ reference: FileReference, depth: Int, read: Reader
  ) -> [OptionLine] {
    if line.name == "config", depth >= ProfileLimits.includeDepth || lineCount > ProfileLimits.optionLines {
      fail(reference, "files name each other more than \(ProfileLimits.includeDepth) deep, or without end")
      return [line]
    }
    switch read(reference) {
    case .failure(let problem):
      fail(reference, "the file `\(reference.path)` cannot be read: \(problem.text)")
      return [line]
    case .success(var content):
      defer { content.wipe() }
      guard line.name == "config" else {
        guard content.count <= ProfileLimits.blockBytes else {
          fail(reference, "the file `\(reference.path)` is larger than \(ProfileLimits.blockBytes >> 10) KiB")
          return [line]
        }
        return [line.inlined(content)]
      }
      let (lines, problems) = Lexer.lines(of: content, file: reference.path)
      for problem in problems { findings.add(problem) }
      return inlined(lines, depth: depth + 1, read: read)
    }
  }

  private mutating func fail(_ reference: FileReference, _ text: String) {
    findings.add(Diagnostic(.error, reference.location, text))
  }
}
