package import Base

/// The daemon's answer to one request.
package enum Reply: Hashable, Sendable {
  case done
  /// Done, and what follows from it.
  case said(String)
  case status(StatusReport)
  case explanation(Explanation)
  case refused(Refusal)

  package struct Refusal: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
      case badRequest = "bad_request"
      case unknownTunnel = "unknown_tunnel"
      /// The tunnel has no such remote.
      case unknownRemote = "unknown_remote"
      /// The tunnel's configuration has errors.
      case invalidTunnel = "invalid_tunnel"
      case notAllowed = "not_allowed"
      /// It makes no sense as the tunnel stands.
      case notNow = "not_now"
      case busy
      /// The device of the question is none of a LAN.
      case unknownDevice = "unknown_device"
    }

    package var code: Code
    package var text: String

    package init(_ code: Code, _ text: String) {
      self.code = code
      self.text = text
    }
  }

  package var json: JSONValue {
    switch self {
    case .done: .object([.init("ok", .bool(true))])
    case .said(let text): .object([.init("ok", .bool(true)), .init("text", .string(text))])
    case .status(let report): .object([.init("ok", .bool(true)), .init("status", report.json)])
    case .explanation(let explanation):
      .object([.init("ok", .bool(true)), .init("explanation", explanation.json)])
    case .refused(let refusal):
      .object([
        .init("ok", .bool(false)), .init("code", .string(refusal.code.rawValue)), .init("text", .string(refusal.text)),
      ])
    }
  }

  /// With its line end, ready to be sent.
  package var bytes: [UInt8] { Array((json.line + "\n").utf8) }

  /// - Returns: `nil` when the line is no reply.
  package static func read(_ line: some Collection<UInt8>) -> Reply? {
    guard let json = try? JSONReader.value(of: line), let isDone = json["ok"]?.truth else { return nil }
    guard isDone else {
      let code = json["code"]?.text.flatMap(Refusal.Code.init(rawValue:)) ?? .badRequest
      return .refused(Refusal(code, json["text"]?.text ?? "refused"))
    }
    if let explanation = json["explanation"] { return Explanation(explanation).map { .explanation($0) } }
    guard let status = json["status"] else { return json["text"]?.text.map { .said($0) } ?? .done }
    return StatusReport(status).map { .status($0) }
  }
}
