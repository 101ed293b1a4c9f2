/// The help of the whole and of each command, from the one table.
package enum HelpText {
  package static var overview: String {
    let verbs = CommandTable.verbs.map {
      ([$0.name, $0.operands].filter { !$0.isEmpty }.joined(separator: " "), $0.summary)
    }
    return """
      usage: adit COMMAND [OPTION]...

      An OpenVPN gateway for home routers.

      commands:
      \(columns(verbs))

      options of every command:
      \(columns(CommandTable.common.map { ($0.synopsis, $0.summary) }))

      `adit COMMAND --help` says more. Exit codes: 0 ok, 64 usage, 65 bad input, 69 not available, 77 no permission,
      78 bad configuration, 1 anything else.

      """
  }

  package static func of(_ verb: Verb) -> String {
    var paragraphs = [usage(of: verb), "\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst())."]
    paragraphs += verb.details.isEmpty ? [] : [verb.details.joined(separator: "\n")]
    let options = verb.options + CommandTable.common
    paragraphs.append("options:\n" + columns(options.map { ($0.synopsis, $0.summary) }))
    return paragraphs.joined(separator: "\n\n") + "\n"
  }

  package static func usage(of verb: Verb) -> String {
    let options = verb.options.map { "[\($0.synopsis)]" + ($0.isRepeatable ? "..." : "") }
    return (["usage: adit \(verb.name)"] + options + [verb.operands]).filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }.joined(
      separator: "\n")
  }
}
