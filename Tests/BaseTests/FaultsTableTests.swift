import Base
import Glibc
import Testing

@Suite("docs/FAULTS.md, the faults that are run for real") struct FaultsTableTests {
  private struct Row {
    var name: String
    var words: String
    var code: String
    var layer: String
  }

  private static let top = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

  private static func text(_ path: String) throws -> String {
    let file = try #require(fopen("\(top)/\(path)", "r"), "\(path) is missing")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func rows() throws -> [Row] {
    try text("docs/FAULTS.md").split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { cell in
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      guard cells.count == 6, cells[0].hasPrefix("`") else { return nil }
      func bare(_ cell: String) -> String { cell.filter { $0 != "`" } }
      return Row(name: bare(cells[0]), words: cells[2], code: bare(cells[3]), layer: bare(cells[4]))
    }
  }

  @Test("every row has a code, its layer and the words of the fault table") func rows() throws {
    let rows = try Self.rows()
    #expect(rows.count >= 20)
    #expect(Set(rows.map(\.name)).count == rows.count)
    for row in rows {
      let code = try #require(Fault.Code(rawValue: row.code), "\(row.name)")
      #expect(code.layer.rawValue == row.layer, "\(row.name)")
      // Up to what differs from one occurrence to another.
      let fixed = code.entry.sentence.prefix { $0 != "{" }
      #expect(row.words.hasPrefix(fixed), "\(row.name)")
    }
  }

  @Test("every row is run by a case, and every layer but DNS inside has one") func cases() throws {
    let names = ["way", "name", "server", "ports", "tls", "login", "data"]
    let run = try names.map { try Self.text("Tests/Namespaces/cases/blame-\($0).sh") }.joined(separator: "\n")
    let words = Set(run.split { !($0.isLetter || $0 == "-") }.map(String.init))
    let rows = try Self.rows()
    for row in rows { #expect(words.contains(row.name), "no case runs \(row.name)") }
    #expect(Set(rows.map(\.layer)).union(["dns"]) == Set(Fault.Layer.allCases.map(\.rawValue)))
  }
}
