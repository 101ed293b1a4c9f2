/// Cuts one line into words by the rules of protocol.md section 13.1.
///
/// Quotes count only where a word begins, and the closing quote ends the word, as in OpenVPN: `pass"word` is one plain
/// word, `"a b"c` is two.
struct Words {
  struct Word {
    var text: String
    /// From 1, in bytes from the start of the line.
    var column: Int
  }

  struct Problem: Error {
    var column: Int
    var text: String
  }

  private let line: ArraySlice<UInt8>
  private var position: Int

  private init(_ line: ArraySlice<UInt8>) {
    self.line = line
    position = line.startIndex
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  /// - Parameter line: without its line end.
  static func of(_ line: ArraySlice<UInt8>) -> Result<[Word], Problem> {
    var reader = Words(line)
    var words: [Word] = []
    do throws(Problem) {
      while let word = try reader.next() {
        guard words.count < ProfileLimits.words else {
          throw Problem(column: word.column, text: "more than \(ProfileLimits.words) words on one line")
        }
        words.append(word)
      }
    } catch {
      return .failure(error)
    }
    return .success(words)
  }

  private var column: Int { position - line.startIndex + 1 }

  private mutating func next() throws(Problem) -> Word? {
    while position < line.endIndex, Words.isBlank(line[position]) { position += 1 }
    guard position < line.endIndex else { return nil }
    let start = column
    var bytes: [UInt8] = []
    switch line[position] {
    case UInt8(ascii: "#"), UInt8(ascii: ";"): return nil
    case UInt8(ascii: "\""): try readQuoted(UInt8(ascii: "\""), into: &bytes)
    case UInt8(ascii: "'"): try readQuoted(UInt8(ascii: "'"), into: &bytes)
    default:
      while position < line.endIndex, !Words.isBlank(line[position]) { bytes.append(try readByte()) }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(column: start, text: "this word is not UTF-8 text; save the file as UTF-8")
    }
    return Word(text: text, column: start)
  }

  private mutating func readQuoted(_ quote: UInt8, into bytes: inout [UInt8]) throws(Problem) {
    let start = column
    position += 1
    while position < line.endIndex {
      if line[position] == quote {
        position += 1
        return
      }
      if quote == UInt8(ascii: "'") {
        bytes.append(line[position])
        position += 1
      } else {
        bytes.append(try readByte())
      }
    }
    throw Problem(column: start, text: "the quote that opens here is never closed")
  }

  /// One byte, or the byte that a backslash protects.
  private mutating func readByte() throws(Problem) -> UInt8 {
    let byte = line[position]
    let start = column
    position += 1
    guard byte == UInt8(ascii: "\\") else { return byte }
    guard position < line.endIndex, [UInt8(ascii: "\\"), UInt8(ascii: "\""), 32, 9].contains(line[position]) else {
      throw Problem(
        column: start, text: #"a backslash may only stand before \, " or a blank; write \\ for the character itself"#)
    }
    defer { position += 1 }
    return line[position]
  }
}
