/// What a command asks of the running daemon over `STATE-DIR/control.sock`: one line of JSON, answered by one line.
package enum Request: Hashable, Sendable {
  /// `nil` = all tunnels, gateways, uplink.
  case status(tunnel: String?)
  case up(tunnel: String)
  case down(tunnel: String)
  case reconnect(tunnel: String, after: Duration?)
  /// - `span`: how long; `nil` = until `resume`.
  case pause(tunnel: String, span: Duration?)
  /// What the owner asked for at run time is over: the configuration decides again.
  case resume(tunnel: String)
  /// - `remote`: its number, host, `host:port` or `host:port/proto`; `default` = the profile's order.
  case use(tunnel: String, remote: String)
  case explain(ExplainQuestion)

  /// Bytes of a request, line end included.
  package static let largest = 4_096
  /// A day: longer is a slip of the unit.
  package static let longestDelay: Int64 = 86_400
  /// A host's name, a port and a protocol.
  private static let longestRemote = 300

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
    case .pause(let tunnel, let span):
      .object([
        .init("do", .string("pause")), .init("tunnel", .string(tunnel)),
        .init("for", .integer(span.map(\.components.seconds))),
      ])
    case .resume(let tunnel): .object([.init("do", .string("resume")), .init("tunnel", .string(tunnel))])
    case .use(let tunnel, let remote):
      .object([.init("do", .string("use")), .init("tunnel", .string(tunnel)), .init("remote", .string(remote))])
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
      return span("after", in: json, from: 0).map { .reconnect(tunnel: tunnel, after: $0) }
    case ("pause", let tunnel?):
      return span("for", in: json, from: 1).map { .pause(tunnel: tunnel, span: $0) }
    case ("resume", let tunnel?): return .success(.resume(tunnel: tunnel))
    case ("use", let tunnel?):
      guard let remote = json["remote"]?.text, remote.utf8.count <= longestRemote else {
        return .failure(Reply.Refusal(.badRequest, "`remote` must name one"))
      }
      return .success(.use(tunnel: tunnel, remote: remote))
    default: return .failure(Reply.Refusal(.badRequest, "an unknown request"))
    }
  }

  /// Whole seconds; `nil` when the key is not there.
  private static func span(
    _ key: String, in json: JSONValue, from least: Int64
  ) -> Result<Duration?, Reply.Refusal> {
    guard let seconds = json[key]?.integer else { return .success(nil) }
    guard (least...longestDelay).contains(seconds) else {
      return .failure(Reply.Refusal(.badRequest, "`\(key)` must be from \(least) to \(longestDelay) seconds"))
    }
    return .success(.seconds(seconds))
  }
}
