import Base
package import Control

/// What was proved, and how it is told.
package struct ProveReport: Hashable, Sendable {
  /// Every probe of one client in one state of the router.
  package struct Round: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
      case asItIs = "as_it_is"
      case down
      case flushed
      case upAgain = "up_again"

      var words: String {
        switch self {
        case .asItIs: "as it is"
        case .down: "with the tunnel put down"
        case .flushed: "while the firewall is flushed"
        case .upAgain: "with the tunnel up again"
        }
      }
    }

    package var gateway: String
    package var state: State
    /// How the gateway is: `home connected`, `armed, no daemon`.
    package var situation: String
    /// Where the client stands: `br-lan, 192.168.1.250`.
    package var client: String
    package var results: [ProbeResult]

    package init(gateway: String, state: State, situation: String, client: String, results: [ProbeResult]) {
      self.gateway = gateway
      self.state = state
      self.situation = situation
      self.client = client
      self.results = results
    }
  }

  package var rounds: [Round] = []
  /// What else went wrong, or limits what was proved, in sentences.
  package var remarks: [String] = []
  /// Ours to answer for: the firewall did not come back.
  package var hasFailed = false

  package init() {}

  private var results: [ProbeResult] { rounds.flatMap(\.results) }
  var hasLeaks: Bool { !leaks.isEmpty }
  private var leaks: [ProbeResult] { results.filter { $0.verdict == .leak } }

  package var exitCode: ExitCode {
    if hasFailed || !leaks.isEmpty { return .failure }
    return results.contains { $0.verdict == .pass } ? .ok : .unavailable
  }

  package var verdict: String {
    let sent = results.filter { $0.verdict != .unsent }
    if !leaks.isEmpty {
      let devices = Set(leaks.flatMap(\.clear.keys)).sorted().map(\.text).joined(separator: ", ")
      return "LEAK: \(leaks.count) of \(sent.count) probes left the router in clear, by \(devices)"
    }
    if sent.isEmpty { return "nothing is proved: no probe reached the router" }
    return hasFailed ? "FAILED: see above" : "no leak: none of \(sent.count) probes left the router in clear"
  }

  package var text: String { rounds.map(\.text).joined() + end }

  /// What follows the rounds.
  package var end: String { (remarks.map { "note: \($0)" } + [verdict]).joined(separator: "\n") + "\n" }

  package var json: JSONValue {
    .object([
      .init("verdict", .string(exitCode == .ok ? "pass" : leaks.isEmpty ? "unproved" : "leak")),
      .init("text", .string(verdict)), .init("remarks", .array(remarks.map { .string($0) })),
      .init("rounds", .array(rounds.map(Self.json))),
    ])
  }

  private static func json(_ round: Round) -> JSONValue {
    .object([
      .init("gateway", .string(round.gateway)), .init("state", .string(round.state.rawValue)),
      .init("situation", .string(round.situation)), .init("client", .string(round.client)),
      .init("probes", .array(round.results.map(json))),
    ])
  }

  private static func json(_ result: ProbeResult) -> JSONValue {
    .object([
      .init("probe", .string(result.probe.kind.rawValue)),
      .init("family", .number(Int64(result.probe.family.rawValue))),
      .init("to", .string(result.probe.destination.description)),
      .init("port", result.probe.kind.port.map { .number(Int64($0)) } ?? .null),
      .init("result", .string(result.verdict.rawValue)), .init("clear", json(result.clear)),
      .init("inside", json(result.inside)), .init("answer", result.answer.map { .string($0.words) } ?? .null),
    ])
  }

  private static func json(_ packets: [DeviceName: Int]) -> JSONValue {
    .object(packets.sorted { $0.key < $1.key }.map { .init($0.key.text, .number(Int64($0.value))) })
  }
}

extension ProveReport.Round {
  package var text: String {
    var lines = ["\(gateway), \(state.words) (\(situation)): a client at \(client)"]
    let width = Probe.Kind.allCases.map(\.words.count).max() ?? 0
    for result in results {
      let words = result.probe.kind.words
      let padding = String(repeating: " ", count: width - words.count)
      let word =
        switch result.verdict {
        case .pass: "pass  "
        case .leak: "LEAK  "
        case .unsent: "unsent"
        }
      let family = result.probe.family.name
      lines.append("  \(word)  \(family)  \(words)\(padding)  \(Self.outcome(result))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func outcome(_ result: ProbeResult) -> String {
    if !result.clear.isEmpty {
      return result.clear.sorted { $0.key < $1.key }
        .map { "\($0.value) packet\($0.value == 1 ? "" : "s") in clear on \($0.key)" }.joined(separator: ", ")
    }
    if !result.inside.isEmpty {
      return "inside \(result.inside.keys.sorted().map(\.text).joined(separator: ", "))"
    }
    if let answer = result.answer { return answer.words }
    return result.reachedRouter ? "stopped without an answer" : "did not reach the router"
  }
}
