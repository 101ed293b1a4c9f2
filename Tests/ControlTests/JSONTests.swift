import Control
import Testing

@Suite("JSON") struct JSONTests {
  private func read(_ text: String) -> JSONValue? { try? JSONReader.value(of: text.utf8) }

  @Test("what is written is read back")
  func roundTrip() {
    let value = JSONValue.object([
      .init("a", .array([.null, .bool(true), .bool(false), .number(-7), .number(.max)])),
      .init("text", .string("quote \" backslash \\ line\n tab\t bell\u{7} del\u{7F} é 😀")), .init("empty", .object([])),
    ])
    #expect(read(value.line) == value)
    #expect(!value.line.contains("\n") && !value.line.utf8.contains(127))
  }

  @Test("blanks and escapes of other writers are read")
  func foreign() {
    #expect(read(" { \"a\" : [ 1 , \"\\u00e9\\uD83D\\uDE00\\/\" ] } \n")?["a"] == .array([.number(1), .string("é😀/")]))
  }

  @Test(
    "whatever is no JSON of ours is refused",
    arguments: [
      "", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "1.5", "1e3", "nul", "\"a", "\"\\x\"", "\"\\ud800\"",
      "\"\\uzzzz\"",
      "\"\\u12", "1 2", "-", "99999999999999999999", "\"\u{1}\"", String(repeating: "[", count: 17),
    ])
  func refused(text: String) { #expect(read(text) == nil) }

  @Test("every prefix and every flipped byte of a reply ends in a value or a failure")
  func hostile() {
    let bytes = Array(Reply.status(.sample).json.line.utf8)
    for count in 0..<bytes.count { #expect((try? JSONReader.value(of: bytes.prefix(count))) == nil) }
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 0x55
      _ = Reply.read(flipped)
      _ = Request.read(flipped)
    }
  }
}
