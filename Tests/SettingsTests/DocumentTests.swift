import Foundation
import Settings
import Testing

@Suite("Documents") struct DocumentTests {
  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")

  private func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
  }

  @Test("docs/CONFIGURATION.md is made from the schema")
  func configuration() throws {
    #expect(
      try read("docs/CONFIGURATION.md") == ConfigurationDocument.text,
      "write it anew: adit check --keys > docs/CONFIGURATION.md")
  }

  @Test("the sample configuration has no error, as it stands and with every comment taken off")
  func sample() throws {
    let text = try read("etc/adit/gateway")
    let plain = parse(text)
    #expect(plain.diagnostics.isEmpty)
    #expect(plain.settings.tunnels.map(\.name.text) == ["home"] && plain.settings.gateways.count == 1)
    let full = parse(text.replacing("\n#\t", with: "\n\t").replacing("\n#config", with: "\nconfig"))
    #expect(full.errors.isEmpty)
    #expect(full.settings.gateways.first?.excluded.count == 1)
    #expect(full.settings.policies.map(\.reading) == [.whole])
  }

  @Test("every key of every section is read by its kind: nonsense in it is an error, or any text will do")
  func everyKey() {
    for section in Schema.sections {
      for key in section.keys {
        let parsed = parse("config \(section.type) 'x'\n\(key.isList ? "list" : "option") \(key.name) '\u{1} ?'\n")
        let isText = if case .text = key.kind { true } else if case .file = key.kind { true } else { false }
        let isRefused = parsed.errors.contains { $0.hasPrefix("gateway:2:") }
        #expect(
          isRefused != isText || key.name.hasSuffix("name") || key.name == "password", "\(section.type).\(key.name)")
      }
    }
  }
}
