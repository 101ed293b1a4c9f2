/// docs/ERRORS.md, made from the fault table.
package enum FaultDocument {
  package static var text: String {
    var result = """
      # Errors

      What `adit status`, the log and `adit connect` may name as the reason, made from the table in
      `Sources/Base/Report/FaultTable.swift` by `adit check --errors`. The code is `last_error.code` in `adit status --json`.

      One thing rests on the other, in this order of layers:

      \(Fault.Layer.allCases.map { "`\($0.rawValue)`" }.joined(separator: " → "))

      The first that fails is named, as `layer` in `adit status --json`; how it is known stands in `evidence`. Nothing behind it is
      blamed: while the line is dead the server is not.

      """
    for blame in Fault.Blame.allCases {
      result +=
        "\n## \(title(blame))\n\n| code | layer | what happened | what you can do | what Adit does |\n|---|---|---|---|---|\n"
      for code in Fault.Code.allCases where code.entry.blame == blame {
        let entry = code.entry
        result +=
          "| `\(code.rawValue)` | `\(code.layer.rawValue)` | \(Fault(code).sentence) | \(entry.remedy) | \(entry.action) |\n"
      }
    }
    return result
  }

  private static func title(_ blame: Fault.Blame) -> String {
    switch blame {
    case .network: "The line or the server's address"
    case .handshake: "The handshake with the server"
    case .authentication: "The login"
    case .configuration: "The configuration"
    case .server: "The server's own wish"
    case .router: "This router"
    }
  }
}
