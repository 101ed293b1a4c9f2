package import Control
import Profile

/// `adit check --options`: how every OpenVPN option is treated.
package enum OptionListing {
  package static var text: String {
    let width = min(40, OptionTable.all.map(\.synopsis.count).max() ?? 0)
    return OptionEntry.Topic.allCases.map { topic in
      let rows = OptionTable.all.filter { $0.topic == topic }.map { entry in
        let pad = String(repeating: " ", count: max(1, width - entry.synopsis.count))
        return "  \(entry.synopsis)\(pad) \(entry.className)" + (entry.explanation.map { ": \($0)" } ?? "")
      }
      return ([topic.rawValue] + rows).joined(separator: "\n")
    }.joined(separator: "\n\n") + "\n"
  }

  package static var json: JSONValue {
    .array(
      OptionTable.all.map { entry in
        .object([
          .init("name", .string(entry.name)), .init("usage", .string(entry.usage)),
          .init("topic", .string(entry.topic.rawValue)), .init("class", .string(entry.className)),
          .init("explanation", .text(entry.explanation)), .init("pushable", .bool(entry.isPushable)),
          .init("list", .bool(entry.isList)), .init("inline", .bool(entry.allowsInline)),
        ])
      })
  }
}
