import Base
import Glibc
import Testing

@Suite struct ReportTests {
  @Test("every fault has its line: a sentence, a remedy, an action") func faults() {
    for code in Fault.Code.allCases {
      #expect(Fault.Code.table[code] != nil, "\(code.rawValue)")
      #expect(!code.entry.sentence.hasSuffix("."), "\(code.rawValue)")
      #expect(code.entry.remedy.hasSuffix("."), "\(code.rawValue)")
      #expect(!code.entry.action.isEmpty, "\(code.rawValue)")
    }
    #expect(Fault(.tcpRefused, "203.0.113.9:443").sentence == "The server refuses the TCP connection: 203.0.113.9:443")
  }

  @Test("every note has its line, and fields fill it") func notes() {
    for code in Note.Code.allCases { #expect(Note.Code.table[code] != nil, "\(code.rawValue)") }
    #expect(Note(.connecting, "203.0.113.9:1194", "udp").sentence == "connecting to 203.0.113.9:1194 over udp")
    #expect(Note(.connecting).sentence == "connecting to  over ")
  }

  @Test("docs/ERRORS.md is made from the fault table") func errorsDocument() throws {
    let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/ERRORS.md"
    let expected = FaultDocument.text
    guard let file = fopen(path, "r") else {
      Issue.record("docs/ERRORS.md is missing")
      return
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var byte = fgetc(file)
    while byte != EOF {
      bytes.append(UInt8(byte))
      byte = fgetc(file)
    }
    #expect(String(decoding: bytes, as: UTF8.self) == expected, "write it anew: adit check --errors > docs/ERRORS.md")
  }

  @Test(
    "the nearest name is the one that was meant",
    arguments: [
      ("remtoe", "remote"), ("data-cipher", "data-ciphers"), ("kill_swich", "kill_switch"), ("zzz", nil),
    ] as [(String, String?)])
  func nearest(word: String, expected: String?) {
    #expect(NearestName.of(word, in: ["remote", "data-ciphers", "kill_switch", "route"]) == expected)
  }

  @Test("diagnostics print as compilers do") func diagnostics() {
    let location = SourceLocation(file: "home.ovpn", line: 3, column: 8)
    #expect(Diagnostic(.error, location, "no such option").description == "home.ovpn:3:8: error: no such option")
    #expect(SourceLocation(file: "home.ovpn").description == "home.ovpn")
  }
}
