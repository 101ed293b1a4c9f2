import Base
import Profile
import Testing

@Suite("The lexer cuts text into option lines")
struct LexerTests {
  private func names(_ text: String) -> [String] { Samples.lex(text).lines.map(\.name) }
  private func arguments(_ text: String) -> [String]? { Samples.lex(text).lines.first?.arguments }
  private func problems(_ text: String) -> [String] { Samples.lex(text).diagnostics.map(\.text) }

  @Test("L-01: CR before LF is white space in options, tags and bodies")
  func crlf() throws {
    let (lines, diagnostics) = Samples.lex(
      "remote vpn.example.net 1194\r\nproto udp\r\n<ca>\r\nline one\r\n</ca>\r\ncipher AES-256-CBC\r\n")
    #expect(diagnostics.isEmpty)
    #expect(lines.map(\.name) == ["remote", "proto", "ca", "cipher"])
    #expect(lines[0].arguments == ["vpn.example.net", "1194"])
    #expect(lines[1].arguments == ["udp"])
    #expect(lines[2].body?.text == "line one\n")
  }

  @Test("L-03: a byte order mark counts for nothing, on the first line only")
  func byteOrderMark() {
    let (lines, diagnostics) = Lexer.lines(of: [0xef, 0xbb, 0xbf] + Array("client\ndev tun\n".utf8), file: "a")
    #expect(diagnostics.isEmpty)
    #expect(lines.map(\.name) == ["client", "dev"])
    #expect(problems("client\n\u{feff}dev tun\n").mention("U+FEFF"))
  }

  @Test("L-05: a bare CR ends a line")
  func oldMac() {
    #expect(names("# sample\rclient\rdev tun\rremote vpn.example.net 1194\r") == ["client", "dev", "remote"])
    #expect(Samples.lex("# a\rclient\rdev tun").lines.last?.location.line == 3)
  }

  @Test("L-06: the last line counts without a newline, a closing tag too")
  func noFinalNewline() {
    #expect(Samples.lex("reneg-sec 0\nverify-x509-name server name").lines.last?.arguments == ["server", "name"])
    let (lines, diagnostics) = Samples.lex("<key>\nabc\n</key>")
    #expect(lines.first?.body?.text == "abc\n")
    #expect(diagnostics.isEmpty)
  }

  @Test("L-08: any run of blanks and tabs separates, at the end of a line it means nothing")
  func blanks() {
    #expect(arguments("tls-version-min \t1.2") == ["1.2"])
    #expect(arguments("remote   vpn.example.net   502    tcp") == ["vpn.example.net", "502", "tcp"])
    #expect(arguments("dev tun \t ") == ["tun"])
  }

  @Test(
    "L-09: # and ; begin a comment where a word begins, and are text inside one",
    arguments: [
      ("remote vpn.example.net 443 # - our server and port", ["vpn.example.net", "443"]),
      ("data-ciphers AES-256-CBC  # legacy", ["AES-256-CBC"]),
      ("auth-user-pass ; ask", []),
      ("setenv UV_X password#1;2", ["UV_X", "password#1;2"]),
      (#"setenv UV_X "a#b" '; c'"#, ["UV_X", "a#b", "; c"]),
      ("setenv UV_X \\#x", nil),
    ] as [(String, [String]?)])
  func comments(line: String, expected: [String]?) {
    #expect(arguments(line) == expected)
  }

  @Test("L-11: blanks around tags do not matter, bodies stay as they are")
  func blanksAroundTags() {
    let (lines, diagnostics) = Samples.lex("  <ca>\n  -----BEGIN CERTIFICATE-----  \n  </ca> \ndev tun")
    #expect(diagnostics.isEmpty)
    #expect(lines.map(\.name) == ["ca", "dev"])
    #expect(lines.first?.body?.text == "  -----BEGIN CERTIFICATE-----  \n")
    #expect(Samples.lex("<ca> # the authority\nx\n</ca>\n").lines.first?.body?.text == "x\n")
  }

  @Test("L-12: lines of a connection block may be indented, and blocks may stand in it")
  func connectionBlocks() throws {
    let (lines, diagnostics) = Samples.lex(
      "<connection>\n    remote vpn1.example.net 1194 udp\n  <tls-crypt>\nkey\n  </tls-crypt>\n</connection>\ndev tun\n"
    )
    #expect(diagnostics.isEmpty)
    #expect(lines.map(\.name) == ["connection", "dev"])
    let block = try #require(lines.first?.block)
    #expect(block.map(\.name) == ["remote", "tls-crypt"])
    #expect(block[0].arguments == ["vpn1.example.net", "1194", "udp"])
    #expect(block[0].location.line == 2 && block[0].location.column == 5)
  }

  @Test(
    "L-14: what is no profile at all is said in one sentence",
    arguments: [
      ("<html>\n<head><title>404 Not Found</title>", "web page"),
      ("\n\n<!DOCTYPE html><p>", "web page"),
      ("", "empty"),
      (" \r\n\t\n", "empty"),
      ("# only a comment\n", "no option"),
      ("a\u{0}b", "binary"),
    ])
  func noProfile(text: String, expected: String) {
    let (lines, diagnostics) = Samples.lex(text)
    #expect(lines.isEmpty)
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.text.contains(expected) == true)
    #expect(diagnostics.first?.location.file == "home.ovpn")
  }

  @Test("L-14: UTF-16 is named, with and without its mark")
  func utf16() {
    let little: [UInt8] = "client".utf8.reduce(into: []) { $0 += [$1, 0] }
    let big: [UInt8] = "client".utf8.reduce(into: []) { $0 += [0, $1] }
    let texts: [[UInt8]] = [[0xff, 0xfe] + little, little, [0xfe, 0xff] + big, big]
    for text in texts {
      #expect(Lexer.lines(of: text, file: "a").diagnostics.first?.text.contains("UTF-16") == true)
    }
  }

  @Test("L-14: <html> in the middle does not swallow the options behind it")
  func htmlInside() {
    let (lines, diagnostics) = Samples.lex("client\n<html>\ndev tun\n<ca>\nx\n</ca>\n")
    #expect(lines.map(\.name) == ["client", "dev", "ca"])
    #expect(diagnostics.map(\.text).mention("unknown block <html>"))
  }

  @Test("An unknown block is one error with the nearest name, and its body is passed over")
  func unknownBlock() {
    let (lines, diagnostics) = Samples.lex("<tls-cript>\nabc def\n</tls-cript>\ndev tun\n")
    #expect(lines.map(\.name) == ["dev"])
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.text.contains("did you mean <tls-crypt>?") == true)
  }

  @Test("A line of a block that begins with `>` is one of its lines", arguments: [">", ">>", "> a", "a>", "<>", "</>"])
  func angleInBlock(line: String) throws {
    let (lines, diagnostics) = Samples.lex("<ca>\n\(line)\n</ca>\n")
    #expect(diagnostics.isEmpty)
    #expect(lines.first?.body?.text == line + "\n")
  }

  @Test("A damaged profile never traps")
  func damaged() {
    let whole = Array((Samples.base + "<cert>\nabc\n</cert>\n<connection>\nremote a 1 udp\n</connection>\n").utf8)
    let marks = Array("<>/ \n\r\"'\\#;-\t\0".utf8)
    var state: UInt64 = 7
    func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for _ in 0..<1_000 {
      var bytes = whole
      for _ in 0...below(8) {
        let at = below(bytes.count)
        switch below(3) {
        case 0: bytes[at] = UInt8(below(256))
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + 20))
        default: bytes.insert(marks[below(marks.count)], at: at)
        }
      }
      _ = Profile.parse(Lexer.lines(of: bytes, file: "damaged").lines)
    }
  }

  @Test("A block without its end is one error at its tag, and the next block is still read")
  func missingEnd() {
    let (lines, diagnostics) = Samples.lex("dev tun\n<ca>\nabc\n<cert>\nxyz\n</cert>\n")
    #expect(lines.map(\.name) == ["dev", "cert"])
    #expect(diagnostics.map(\.description) == ["home.ovpn:2:1: error: the block <ca> has no end: </ca> is missing"])
    #expect(Samples.lex("<connection>\nremote a.example\n").diagnostics.map(\.text).mention("</connection> is missing"))
  }

  @Test("A stray end tag and a connection block inside another are errors at their place")
  func strayTags() {
    #expect(Samples.lex("dev tun\n</ca>\nclient\n").diagnostics.first?.location.line == 2)
    #expect(names("dev tun\n</ca>\nclient\n") == ["dev", "client"])
    let nested = Samples.lex("<connection>\nremote a.example\n<connection>\nremote b.example\n</connection>\n")
    #expect(nested.lines.count == 2)
    #expect(nested.diagnostics.count == 1)
  }

  @Test("L-17: double quotes take escapes, single quotes none, an empty pair is an empty word")
  func quotes() {
    #expect(arguments(#"verify-x509-name "Example Server cert" name"#) == ["Example Server cert", "name"])
    #expect(arguments("verify-x509-name '*.vpn.example.com' name") == ["*.vpn.example.com", "name"])
    #expect(arguments(#"pull-filter ignore "dhcp-option DNS""#) == ["ignore", "dhcp-option DNS"])
    #expect(arguments(#"setenv UV_X """#) == ["UV_X", ""])
    #expect(arguments(#"setenv UV_X "a \"b\" \\c" 'd\e' f\ g"#) == ["UV_X", #"a "b" \c"#, #"d\e"#, "f g"])
    #expect(arguments(#"setenv UV_X it's a"b"#) == ["UV_X", "it's", #"a"b"#])
  }

  @Test("L-17: an open quote and a bad backslash are errors of that line only")
  func badQuotes() {
    let (lines, diagnostics) = Samples.lex("dev \"tun\ncd C:\\vpn\nclient\n")
    #expect(lines.map(\.name) == ["client"])
    #expect(
      diagnostics.map(\.location) == [
        Base.SourceLocation(file: "home.ovpn", line: 1, column: 5),
        Base.SourceLocation(file: "home.ovpn", line: 2, column: 6),
      ])
    #expect(problems("dev tun\\").mention("backslash"))
  }

  @Test("L-18: a quoted file name with blanks is one argument")
  func namesWithBlanks() {
    #expect(arguments(#"ca "/etc/vpn/my keys/ca.crt""#) == ["/etc/vpn/my keys/ca.crt"])
  }

  @Test("L-20: leading dashes are taken off; PEM outside a block is named, once")
  func dashes() {
    #expect(names("--cipher AES-256-GCM") == ["cipher"])
    let (lines, diagnostics) = Samples.lex(
      "dev tun\n-----BEGIN CERTIFICATE-----\nMIIB\nMIIC\n-----END CERTIFICATE-----\nclient\n")
    #expect(lines.map(\.name) == ["dev", "client"])
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.text.contains("PEM data outside an inline block") == true)
    #expect(names("-----BEGIN CERTIFICATE-----\nMIIB\n<ca>\nx\n</ca>\n").contains("ca"))
  }

  @Test("L-23: a long line is taken whole; beyond the limits it is refused, never cut")
  func longLines() {
    let long = String(repeating: "A", count: 2_000)
    #expect(arguments("tls-cipher " + long) == [long])
    let tooLong = Samples.lex("tls-cipher " + String(repeating: "B", count: ProfileLimits.lineBytes) + "\ndev tun\n")
    #expect(tooLong.lines.map(\.name) == ["dev"])
    #expect(tooLong.diagnostics.count == 1)
    let words = Array(repeating: "w", count: 20)
    #expect(arguments("echo " + words.joined(separator: " ")) == words)
    #expect(
      problems("echo " + Array(repeating: "w", count: ProfileLimits.words).joined(separator: " ")).mention("words"))
  }

  @Test("Limits: block, file, lines and the list of problems are bounded")
  func limits() {
    let big = String(repeating: "x", count: ProfileLimits.blockBytes + 1)
    #expect(problems("<ca>\n\(big)\n</ca>\ndev tun\n").mention("larger than"))
    #expect(Lexer.lines(of: Array(repeating: 65, count: ProfileLimits.fileBytes + 1), file: "a").diagnostics.count == 1)
    #expect(problems(String(repeating: "nobind\n", count: ProfileLimits.optionLines + 1)).mention("more than"))
    let noise = Samples.lex(String(repeating: "\"\n", count: 5_000))
    #expect(noise.diagnostics.count == ProfileLimits.diagnostics + 1)
  }

  @Test("A no-break space in an option's name is named")
  func noBreakSpace() {
    #expect(problems("remote\u{a0}vpn.example.net").mention("U+00A0"))
  }

  @Test("Columns point at options and arguments")
  func columns() {
    let line = Samples.lex("  remote  vpn.example.net 1194").lines.first
    #expect(line?.location.column == 3)
    #expect(line?.argumentColumns == [11, 27])
  }

  @Test("words(of:) reads one pushed item or settings value")
  func words() throws {
    #expect(try Lexer.words(of: #"route 10.0.0.0 "255.0.0.0" # c"#).get() == ["route", "10.0.0.0", "255.0.0.0"])
    let place = Base.SourceLocation(file: "f", line: 3, column: 10)
    guard case .failure(let problem) = Lexer.words(of: #"a "b"#, at: place) else { throw CancellationError() }
    #expect(problem.location.column == 12)
  }

  @Test("Random bytes never trap")
  func noise() {
    var state: UInt64 = 7
    for _ in 0..<2_000 {
      let bytes = (0..<80).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Array("<>/ca \n\r\"'\\#;-\t\u{e9}x".utf8)[Int(state >> 33) % 18]
      }
      _ = Lexer.lines(of: bytes, file: "noise")
    }
  }
}
