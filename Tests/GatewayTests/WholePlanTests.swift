import Base
import Foundation
import Gateway
import Testing

/// The whole desired state of each situation, as text in Plans/: links, addresses, routes, rules, sysctls, then the firewall table.
///
/// After a change that is meant, `ADIT_RECORD_PLANS=1 swift test --filter WholePlanTests` writes them anew, and the difference is
/// read before it is kept.
@Suite("Whole plans")
struct WholePlanTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Plans")
  private static let records = ProcessInfo.processInfo.environment["ADIT_RECORD_PLANS"] != nil

  private static func file(_ name: String) -> URL {
    let letters = name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }
    let words = String(letters).split(separator: "-").joined(separator: "-")
    return folder.appendingPathComponent(words + ".txt")
  }

  @Test("is what its file says", arguments: WholePlans.all.map(\.name))
  func whole(name: String) throws {
    let situation = try #require(WholePlans.all.first { $0.name == name })
    let text = try situation.plan().wholeText
    let file = Self.file(name)
    if Self.records { try text.write(to: file, atomically: true, encoding: .utf8) }
    let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = zip(text.split(separator: "\n"), expected.split(separator: "\n"))
    let first = lines.first { $0 != $1 }
    #expect(
      text == expected,
      "if it is meant, record it anew; first difference: \(first.map { "`\($0)`, expected `\($1)`" } ?? "one is longer")"
    )
  }

  @Test("Each situation has one file, and each file a situation")
  func files() throws {
    let names = Set(WholePlans.all.map { Self.file($0.name).lastPathComponent })
    #expect(names.count == WholePlans.all.count && names.count >= 25)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) == names)
  }

  @Test("Each applied twice changes nothing the second time")
  func twice() throws {
    for situation in WholePlans.all {
      let plan = try situation.plan()
      var system = PretendSystem(try situation.house().snapshot)
      system.apply(Difference.steps(from: system.installed, to: plan))
      #expect(system.refusals.isEmpty, "\(situation.name)")
      #expect(Difference.steps(from: system.installed, to: plan).isEmpty, "\(situation.name)")
    }
  }
}

extension NetworkPlan {
  /// Without the digest at the end, which changes with every letter.
  fileprivate var wholeText: String {
    var lines = (ruleset ?? "no table").split(separator: "\n", omittingEmptySubsequences: false)
    if let digest = lines.firstIndex(where: { $0.hasPrefix("\tchain text_") }) {
      lines.removeSubrange(digest...(digest + 1))
    }
    return text + "\n\n" + lines.joined(separator: "\n")
  }
}
