import Base
import Settings
import Testing

@Suite("UCI text") struct UCITests {
  private func document(_ text: String) -> UCIDocument { UCIDocument(text: Array(text.utf8), file: "f") }

  private func values(_ text: String) throws -> [String] {
    let section = try #require(document("config a 'b'\n" + text).sections.first)
    return section.options.flatMap { $0.values.map(\.text) }
  }

  private func errors(_ text: String) -> [String] {
    document(text).diagnostics.filter { $0.severity == .error }.map(\.description)
  }

  @Test("a section has a type, a name and its keys in order")
  func section() throws {
    let document = document("config tunnel 'home'\n\toption device 'tun0'\n\tlist remote 'a'\n\tlist remote 'b'\n")
    #expect(document.diagnostics.isEmpty)
    let section = try #require(document.sections.first)
    #expect(section.type == "tunnel" && section.name == "home")
    #expect(section.options.map(\.key) == ["device", "remote"])
    #expect(section["remote"]?.values.map(\.text) == ["a", "b"])
    #expect(section["remote"]?.values.last?.location == SourceLocation(file: "f", line: 4, column: 14))
  }

  @Test(
    "U-04: quotes and bare parts that touch are one word",
    arguments: [
      (#"option k 'it'\''s'"#, "it's"), (#"option k "a b"'c d'e"#, "a bc de"),
      (#"option k "say \"x\" \\ \n""#, #"say "x" \ n"#),
      (#"option k 'no \ escape'"#, #"no \ escape"#), (#"option k a\ b"#, "a b"), (#"option "k" v"#, "v"),
      ("option\tk\t\t'v'   ", "v"), ("option k ''", ""), ("option k", ""),
    ])
  func words(text: String, value: String) throws { #expect(try values(text) == [value]) }

  @Test(
    "a number sign outside quotes begins a comment, even inside a word",
    arguments: [("option k v # c", "v"), ("option k v#c", "v"), ("option k 'v#c'", "v#c")])
  func comments(text: String, value: String) throws { #expect(try values(text) == [value]) }

  @Test("a semicolon ends a statement and a backslash joins lines")
  func joins() throws {
    #expect(try values("option a 1; option b 2;option c 3") == ["1", "2", "3"])
    #expect(try values("option a \\\n  one\noption b t\\\nwo") == ["one", "two"])
  }

  @Test("a quote may run over line ends, and what follows keeps its line")
  func multiline() throws {
    let document = document("config a\noption k 'one\ntwo'\noption l x y\n")
    #expect(document.sections[0]["k"]?.values[0].text == "one\ntwo")
    #expect(document.diagnostics.map(\.location.line) == [4])
  }

  @Test("CRLF, bare CR and a byte order mark are read (L-01, L-03, L-05)")
  func lineEnds() {
    for text in ["config a\r\noption k 'v'\r\n", "config a\roption k 'v'\r", "\u{FEFF}config a\noption k 'v'"] {
      let document = document(text)
      #expect(document.diagnostics.isEmpty)
      #expect(document.sections.first?["k"]?.values.map(\.text) == ["v"])
    }
  }

  @Test("the first letter of a keyword is enough, as for uci")
  func letters() {
    let document = document("p x\nc tunnel home\no a 1\nl b 2\n")
    #expect(document.diagnostics.isEmpty)
    #expect(document.sections.first?.options.map(\.key) == ["a", "b"])
  }

  @Test("the last option counts, and a list adds to it")
  func repeated() throws {
    let document = document("config a\noption k 1\noption k 2\nlist k 3\n")
    #expect(document.sections[0]["k"]?.values.map(\.text) == ["2", "3"])
    #expect(document.diagnostics.map(\.description) == ["f:3:8: note: `k` stands on line 2 already; this one counts"])
  }

  @Test("two sections of one name are one")
  func merged() {
    let document = document("config a 'x'\noption k 1\nconfig b\nconfig a 'x'\noption l 2\n")
    #expect(document.sections.count == 2)
    #expect(document.sections[0].options.map(\.key) == ["k", "l"])
  }

  @Test("U-01: a hyphen is read as an underscore, with a note")
  func hyphen() {
    let document = document("config tunnel 'a'\noption auth-user-pass 'x'\n")
    #expect(document.sections[0]["auth_user_pass"] != nil)
    #expect(
      document.diagnostics.map(\.description) == [
        "f:2:8: note: the hyphens are read as underscores; `uci` itself refuses hyphens in names"
      ])
  }

  @Test("a quote that is never closed breaks its section only")
  func unclosed() {
    let document = document("config a 'x'\noption k 'v\n\toption l 'w'\nconfig b 'y'\noption m \"z\n")
    #expect(
      document.diagnostics.map(\.description) == [
        "f:2:10: error: the quote that opens here is never closed",
        "f:5:10: error: the quote that opens here is never closed",
      ])
    #expect(document.sections.map(\.isBroken) == [true, true])
    #expect(document.sections[0]["l"]?.values.first?.text == "w")
  }

  @Test("every other fault has its place, and reading goes on")
  func faults() {
    #expect(
      errors("config a\noption k a b\n") == [
        "f:2:12: error: too many words: a value with blanks in it stands between quotes"
      ])
    #expect(errors("config\noption k 1\n") == ["f:1:1: error: `config` needs a section type"])
    #expect(errors("package x\noption k 1\n") == ["f:2:1: error: `option` before any `config` line"])
    #expect(errors("config a\noption\n") == ["f:2:1: error: `option` needs a key and a value"])
    #expect(errors("config a\noption k.x 1\n") == ["f:2:8: error: a key has letters, digits and underscores only"])
    #expect(errors("config a 'b c'\n") == ["f:1:10: error: a section's name has letters, digits and underscores only"])
    #expect(errors("config a\noptoin k 1\n") == ["f:2:1: error: unknown statement; did you mean `option`?"])
  }

  @Test("a file that begins with something else is one error that quotes nothing")
  func notUCI() {
    for text in ["s3cr3t-user\ns3cr3t-pass\n", "client\ndev tun\n", "'config' a\n", "option s3cr3t 1\n", "\0config"] {
      let document = document(text)
      #expect(!document.isUCI)
      #expect(document.diagnostics.count == 1)
      #expect(document.diagnostics.allSatisfy { !$0.text.contains("s3cr3t") && !$0.text.contains("client") })
    }
    #expect(document("# nothing\n\n").isUCI)
  }

  @Test("limits are named")
  func limits() {
    let large = UCIDocument(text: Array(repeating: 35, count: UCILimits.fileSize + 1), file: "f")
    #expect(large.diagnostics.map(\.text) == ["more than 1048576 bytes: not a configuration file"])
    let sections = String(repeating: "config a\n", count: UCILimits.sections + 1)
    #expect(errors(sections).count == 1)
    let word = "config a\noption k '" + String(repeating: "x", count: UCILimits.wordSize + 1) + "'\noption l 1\n"
    #expect(errors(word) == ["f:2:10: error: a value of more than 65536 bytes"])
    #expect(document(word).sections[0]["l"] != nil)
    let values = "config a\n" + String(repeating: "list k v\n", count: UCILimits.values + 1)
    #expect(errors(values).count == 1)
  }

  @Test("any bytes end in a value, never in a trap")
  func anything() {
    let pieces = ["config", " a", "'", "\"", "\\", "\n", "option", " k", "\r", "#", ";", "\t", "\u{FEFF}", "é"]
    var state: UInt64 = 1
    for _ in 0..<3_000 {
      var text = "config a\n"
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      #expect(document(text).isUCI)
    }
  }
}
