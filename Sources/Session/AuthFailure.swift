internal import Base
package import Exchange

/// What AUTH_FAILED says (protocol.md section 11.6, H-12).
package enum AuthFailure: Hashable, Sendable {
  case refused(String)
  case temporary(String, backoff: Duration?, advance: EndReport.Advance?)
  case sessionExpired(String)
  case challenge(String)
  case noSharedCipher(String)

  /// - Parameter text: what stands behind `AUTH_FAILED,`.
  package init(_ text: String) {
    if text == "TEMP" || text.hasPrefix("TEMP[") || text.hasPrefix("TEMP:") {
      self = Self.temporary(text.dropFirst(4))
    } else if text.hasPrefix("SESSION") {
      self = .sessionExpired(String(text.dropFirst(7).drop { $0 == ":" || $0 == " " }))
    } else if text.hasPrefix("CRV1:") {
      // CRV1:flags:state:user:question; only the question is for people.
      let parts = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
      self = .challenge(parts.count == 5 ? String(parts[4]) : "")
    } else if text.hasPrefix("Data channel cipher negotiation failed") {
      self = .noSharedCipher(text)
    } else {
      self = .refused(text)
    }
  }

  private static func temporary(_ text: Substring) -> AuthFailure {
    var backoff: Duration?
    var advance: EndReport.Advance?
    var rest = text
    if text.first == "[", let close = text.firstIndex(of: "]") {
      for flag in text[text.index(after: text.startIndex)..<close].split(separator: ",") {
        let words = flag.split(separator: " ")
        guard words.count == 2 else { continue }
        switch (words[0], words[1]) {
        case ("backoff", let seconds): backoff = Int(seconds).map { .seconds(min(max($0, 0), 86_400)) }
        case ("advance", "no"): advance = .stay
        case ("advance", "addr"): advance = .nextAddress
        case ("advance", "remote"): advance = .nextRemote
        default: continue
        }
      }
      rest = text[text.index(after: close)...]
    }
    return .temporary(String(rest.drop { $0 == ":" || $0 == " " }), backoff: backoff, advance: advance)
  }

  /// How the session ends.
  ///
  /// - Parameter usedToken: a refusal of a token is not a refusal of the password; the token goes, the password is tried.
  package func ending(usedToken: Bool, wasUp: Bool) -> EndReport {
    switch self {
    case .temporary(let text, let backoff, let advance):
      return EndReport(
        fault: Fault(.authTemporary, text.nonEmpty), retryAfter: backoff, advance: advance ?? .stay, wasUp: wasUp)
    case .sessionExpired(let text):
      return EndReport(fault: Fault(.authTokenExpired, text.nonEmpty), keepsToken: false, wasUp: wasUp)
    case .challenge(let text):
      return EndReport(fault: Fault(.authChallenge, text.nonEmpty), keepsToken: false, wasUp: wasUp)
    case .noSharedCipher(let text):
      return EndReport(fault: Fault(.cipherRefused, text.nonEmpty), wasUp: wasUp)
    case .refused(let text):
      let code: Fault.Code = usedToken ? .authTokenExpired : .authFailed
      return EndReport(fault: Fault(code, text.nonEmpty), keepsToken: false, wasUp: wasUp)
    }
  }
}

extension String {
  var nonEmpty: String? { isEmpty ? nil : self }
}
