/// What a command asks of the running daemon over `STATE-DIR/control.sock`: one line of JSON, answered by one line.
package enum Request: Hashable, Sendable {
  /// `nil` = all tunnels, gateways, uplink.
  case status(tunnel: String?)
  case up(tunnel: String)
  case down(tunnel: String)
  case reconnect(tunnel: String, after: Duration?)
  case explain(ExplainQuestion)

  /// Bytes of a request, line end included.
  package static let largest = 4_096
  /// A day: longer is a slip of the unit.
  package static let longestDelay: Int64 = 86_400

  package var json: JSONValue {
    switch self {
    case .status(let tunnel): .object([.init("do", .string("status")), .init("tunnel", .text(tunnel))])
    case .up(let tunnel): .object([.init("do", .string("up")), .init("tunnel", .string(tunnel))])
    case .down(let tunnel): .object([.init("do", .string("down")), .init("tunnel", .string(tunnel))])
    case .reconnect(let tunnel, let after):
      .object([
        .init("do", .string("reconnect")), .init("tunnel", .string(tunnel)),
        .init("after", .integer(after.map(\.components.seconds))),
      ])
    case .explain(let question): question.json
    }
  }

  /// With its line end, ready to be sent.
  package var bytes: [UInt8] { Array((json.line + "\n").utf8) }

  /// - Parameter line: without its line end.
  package static func read(_ line: some Collection<UInt8>) -> Result<Request, Reply.Refusal> {
    guard line.count <= largest, let json = try? JSONReader.value(of: line), let verb = json["do"]?.text else {
      return .failure(Reply.Refusal(.badRequest, "not a request"))
    }
    if verb == ExplainQuestion.verb {
      return ExplainQuestion(json).map { .success(.explain($0)) }
        ?? .failure(Reply.Refusal(.badRequest, "an unclear question"))
    }
    let tunnel = json["tunnel"]?.text
    switch (verb, tunnel) {
    case ("status", _): return .success(.status(tunnel: tunnel))
    case ("up", let tunnel?): return .success(.up(tunnel: tunnel))
    case ("down", let tunnel?): return .success(.down(tunnel: tunnel))
    case ("reconnect", let tunnel?):
      guard let after = json["after"]?.integer else { return .success(.reconnect(tunnel: tunnel, after: nil)) }
      guard (0...longestDelay).contains(after) else {
        return .failure(Reply.Refusal(.badRequest, "`after` must be from 0 to \(longestDelay) seconds"))
      }
      return .success(.reconnect(tunnel: tunnel, after: .seconds(after)))
    default: return .failure(Reply.Refusal(.badRequest, "an unknown request"))
    }
  }
}
