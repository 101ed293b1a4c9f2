import Foundation
import IO
import Testing

@Suite("The program's own pages")
struct ProgramMemoryTests {
  @Test("code that only the start needed leaves memory, and what is asked for again is there")
  func forget() throws {
    let before = try Self.mappedCode()
    ProgramMemory.forgetHandshake()
    let after = try Self.mappedCode()
    #expect(before > 0)
    #expect(after < before)
  }

  /// KiB of the program's code that are mapped.
  private static func mappedCode() throws -> Int {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let maps = try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
    var isCode = false
    var sum = 0
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.contains("-"), words.count >= 5, words[1].count == 4 {
        isCode = words[1] == "r-xp" && line.hasSuffix(program)
      }
      if isCode, words.first == "Rss:", words.count > 1 { sum += Int(words[1]) ?? 0 }
    }
    return sum
  }
}
