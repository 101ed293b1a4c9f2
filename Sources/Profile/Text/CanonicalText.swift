package import Base

extension Profile {
  /// `lines` as one text without file references: what the engine gets instead of the user's files.
  ///
  /// Lexed and parsed again it makes an equal profile. Options that the table does not know are left out; `parse` has
  /// either refused them or been told to pass over them.
  package static func canonicalText(of lines: [OptionLine]) -> SecretBytes {
    var text: [UInt8] = []
    append(lines, to: &text)
    return SecretBytes(wiping: &text)
  }

  private static func append(_ lines: [OptionLine], to text: inout [UInt8]) {
    for line in lines where OptionTable.entry(named: line.name) != nil {
      if let block = line.block {
        text += "<connection>\n".utf8
        append(block, to: &text)
        text += "</connection>\n".utf8
      } else if let body = line.body {
        // The same variable in OpenVPN, so writing it in front changes nothing.
        if line.name == "tls-auth", line.arguments.count > 1 {
          append(["key-direction", line.arguments[1]], to: &text)
        }
        append(body, tag: line.name, to: &text)
      } else {
        append([line.name] + line.arguments, to: &text)
      }
    }
  }

  private static func append(_ body: SecretBytes, tag: String, to text: inout [UInt8]) {
    var bytes = body.exposed
    defer { bytes.wipe() }
    text += "<\(tag)>\n".utf8
    text += bytes
    if let last = bytes.last, last != 10 { text.append(10) }
    text += "</\(tag)>\n".utf8
  }

  private static func append(_ words: [String], to text: inout [UInt8]) {
    text += words.map(quoted).joined(separator: " ").utf8
    text.append(10)
  }

  private static func quoted(_ word: String) -> String {
    let isPlain =
      word.utf8.first.map { ![35, 39, 59, 34].contains($0) } == true
      && word.utf8.allSatisfy { !Words.isBlank($0) && $0 != UInt8(ascii: "\\") }
    if isPlain { return word }
    var result = "\""
    for character in word.unicodeScalars {
      if character == "\\" || character == "\"" { result += "\\" }
      result.unicodeScalars.append(character)
    }
    return result + "\""
  }
}
