internal import Base

/// A text message of the server inside TLS (protocol.md section 11.2).
package enum ServerMessage: Hashable, Sendable {
  /// The whole text, `PUSH_REPLY` included.
  case pushReply(String)
  case authFailed(AuthFailure)
  /// Seconds the server will wait.
  case authPending(timeout: Int?)
  /// `INFO` and `INFO_PRE`, without the word.
  case info(String)
  case restart(RestartWish)
  case halt(RestartWish)
  case exit
  case other(String)

  package init(_ text: String) {
    let (word, rest) = Self.split(text)
    switch word {
    case "PUSH_REPLY": self = .pushReply(text)
    case "AUTH_FAILED": self = .authFailed(AuthFailure(rest))
    case "AUTH_PENDING": self = .authPending(timeout: Self.timeout(in: rest))
    case "INFO", "INFO_PRE": self = .info(rest)
    case "RESTART": self = .restart(RestartWish(rest))
    case "HALT": self = .halt(RestartWish(rest))
    case "EXIT": self = .exit
    default: self = .other(text)
    }
  }

  /// The messages of one TLS record: split at NUL, the end of the record ends the last one too.
  ///
  /// SoftEther repeats its PUSH_REPLY without NUL. A message with control characters inside is dropped.
  package static func texts(in record: some Collection<UInt8>) -> [String] {
    record.split(separator: 0).compactMap { part in
      var bytes = Array(part)
      while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
      guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static func split(_ text: String) -> (word: String, rest: String) {
    guard let comma = text.firstIndex(of: ",") else { return (text, "") }
    return (String(text[..<comma]), String(text[text.index(after: comma)...]))
  }

  private static func timeout(in rest: String) -> Int? {
    for item in rest.split(separator: ",") {
      let words = item.split(separator: " ")
      if words.count == 2, words[0] == "timeout" { return Int(words[1]).map { min(max($0, 0), 86_400) } }
    }
    return nil
  }
}

/// What RESTART and HALT say: `[flags]reason` (protocol.md section 11.8).
package struct RestartWish: Hashable, Sendable {
  /// `P`: credentials and token stay good.
  package var keepsToken = false
  /// `N`: go to the next remote.
  package var nextRemote = false
  package var reason = ""

  package init(_ text: String) {
    reason = text
    guard text.first == "[", let close = text.firstIndex(of: "]") else { return }
    let flags = text[text.index(after: text.startIndex)..<close]
    keepsToken = flags.contains("P")
    nextRemote = flags.contains("N")
    reason = String(text[text.index(after: close)...].drop { $0 == ":" || $0 == " " })
  }
}
