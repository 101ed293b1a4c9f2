package import Base
import Control

/// An explanation for people.
package enum ExplainText {
  package static func render(_ explanation: Explanation, isLong: Bool = false) -> String {
    var lines = [explanation.situation]
    for answer in explanation.answers { lines += [""] + self.lines(answer, isLong: isLong) }
    if !explanation.withTunnels.isEmpty {
      lines += ["", "with a daemon and every tunnel up:"]
      for answer in explanation.withTunnels { lines += [""] + self.lines(answer, isLong: isLong) }
    }
    return lines.map(StatusText.printable).joined(separator: "\n") + "\n"
  }

  private static func lines(_ answer: Explanation.Answer, isLong: Bool) -> [String] {
    let family = answer.family.name
    let source =
      answer.input.map { input in
        (answer.source ?? "a device without a known address") + " on \(input)" + (answer.mac.map { " (\($0))" } ?? "")
      } ?? "the router itself" + (answer.source.map { " (\($0))" } ?? "")
    let port = "\(answer.transport.uppercased()) port \(answer.port)"
    var lines = [
      "\(family) from \(source) to \(answer.destination), \(port):",
      "  \(way(answer)): \(answer.reason)" + (answer.place.map { " (\($0))" } ?? ""),
    ]
    if let diverted = answer.diverted { lines.append("  it is sent to \(diverted) instead") }
    if let dns = answer.dns { lines.append("  \(dns)") }
    lines += answer.remarks.map { "  \($0)" }
    if isLong { lines += answer.steps.map { "    \($0)" } }
    return lines
  }

  private static func way(_ answer: Explanation.Answer) -> String {
    let hop = answer.gateway.map { " by \($0)" } ?? ""
    switch answer.way {
    case .tunnel: return "tunnel \(answer.tunnel ?? "?") (\(answer.output ?? "?"))"
    case .wan: return "wan (\(answer.output ?? "?")\(hop))"
    case .lan: return "LAN (\(answer.output ?? "?")\(hop))"
    case .router: return "the router answers"
    case .blocked: return "blocked, and answered with \(answer.refusal ?? "nothing")"
    }
  }
}
