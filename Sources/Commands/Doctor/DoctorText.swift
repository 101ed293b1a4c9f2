import Base
package import Control

/// The report of `adit doctor`, for people and for programs.
package enum DoctorText {
  package static func render(_ findings: [Finding], isColoured: Bool = false) -> String {
    let width = findings.map(\.check.words.count).max() ?? 0
    let lines = findings.map { finding in
      let state = finding.state.rawValue
      let padded = state + String(repeating: " ", count: 7 - state.count)
      let colour = finding.state == .ok ? 32 : finding.state == .warning ? 33 : 31
      let word = isColoured ? "\u{1B}[\(colour)m\(padded)\u{1B}[0m" : padded
      let check = finding.check.words
      let remedy = finding.remedy.map { "; \($0)" } ?? ""
      return "\(word)  \(check)\(String(repeating: " ", count: width - check.count))  "
        + StatusText.printable(finding.text + remedy)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  package static func json(_ findings: [Finding]) -> JSONValue {
    .object([
      .init(
        "checks",
        .array(
          findings.map { finding in
            .object([
              .init("check", .string(finding.check.rawValue)), .init("state", .string(finding.state.rawValue)),
              .init("text", .string(finding.text)), .init("remedy", .text(finding.remedy)),
            ])
          })), .init("warnings", .integer(findings.count { $0.state == .warning })),
      .init("problems", .integer(findings.count { $0.state == .problem })),
    ])
  }
}

extension Finding.Check {
  var words: String { rawValue.split(separator: "_").joined(separator: " ") }
}
