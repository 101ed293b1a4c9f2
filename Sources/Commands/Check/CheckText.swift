import Base
import Control
import TLS

/// A check report for people.
package enum CheckText {
  package static func render(_ report: CheckReport, isColoured: Bool = false) -> String {
    var lines = report.diagnostics.map { line($0, isColoured: isColoured) }
    for tunnel in report.tunnels { lines += [""] + self.lines(tunnel) }
    for gateway in report.gateways { lines += [""] + self.lines(gateway) }
    lines += ["", summary(report)]
    return lines.drop { $0.isEmpty }.joined(separator: "\n") + "\n"
  }

  /// The form that editors jump by: `file:line:column: severity: text`.
  static func line(_ diagnostic: Diagnostic, isColoured: Bool) -> String {
    let text = StatusText.printable(diagnostic.text)
    let severity = diagnostic.severity.rawValue
    guard isColoured else { return "\(diagnostic.location): \(severity): \(text)" }
    let colour = diagnostic.severity == .error ? 31 : diagnostic.severity == .warning ? 33 : 36
    return "\(diagnostic.location): \u{1B}[\(colour)m\(severity)\u{1B}[0m: \(text)"
  }

  private static func summary(_ report: CheckReport) -> String {
    let counts = [(report.count(.error), "error"), (report.count(.warning), "warning"), (report.count(.note), "note")]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    return words.isEmpty ? "no problems" : words.joined(separator: ", ")
  }

  private static func row(_ title: String, _ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return "  \(title)" + String(repeating: " ", count: max(1, 14 - title.count)) + StatusText.printable(text)
  }

  private static func lines(_ tunnel: TunnelFacts) -> [String] {
    let state =
      !tunnel.isValid ? "has errors and will not start" : tunnel.isEnabled ? "ready" : "ready, but not enabled"
    let servers = tunnel.servers.map { "\($0.host) port \($0.port) over \($0.proto)" }
    var rows = [
      row("profile", tunnel.profilePath), row("device", tunnel.device),
      row(servers.count > 1 ? "servers" : "server", servers.first),
    ]
    rows += servers.dropFirst().prefix(mostServers - 1).map { row("", $0) }
    if servers.count > mostServers { rows.append(row("", "and \(servers.count - mostServers) more")) }
    if tunnel.isValid {
      let login = tunnel.login + [tunnel.logsInAlone ? "by itself" : "somebody must type"]
      rows += [
        row("login", login.joined(separator: ", ")),
        row("server check", tunnel.serverChecks.isEmpty ? "none" : tunnel.serverChecks.joined(separator: ", ")),
        row("control", tunnel.control), row("ciphers", tunnel.ciphers.joined(separator: " ")),
        row("TLS", tunnel.minimumTLS.map { "\($0) or newer" }), row("certificate", tunnel.certificate.map(words)),
      ]
      rows += tunnel.authorities.prefix(mostServers).map { row("authority", words($0)) }
    }
    return ["tunnel \(tunnel.name): \(state)"] + rows.compactMap { $0 }
  }

  /// Provider profiles list hundreds.
  private static let mostServers = 8

  private static func words(_ facts: CertificateFacts) -> String {
    let dates = [facts.notBefore.map { "from \($0.rfc3339)" }, facts.notAfter.map { "until \($0.rfc3339)" }]
    return "\(facts.subject), \(facts.keyType) \(facts.keyBits) bits, valid "
      + dates.compactMap { $0 }.joined(separator: " ")
  }

  private static func lines(_ gateway: CheckReport.Gateway) -> [String] {
    let state = gateway.isValid ? "ready" : "has errors: its LAN stays closed"
    let rows = [
      row("LAN", gateway.lan.joined(separator: " ")),
      row("through", gateway.tunnels.joined(separator: ", else ")),
      row("scope", gateway.scope == "all" ? "the LAN and the router itself" : "the LAN"),
      row("kill switch", gateway.killSwitch),
    ]
    return ["gateway \(gateway.name): \(state)"] + rows.compactMap { $0 }
  }
}
