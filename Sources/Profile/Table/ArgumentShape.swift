import Base

/// What one argument must look like. Whatever depends on other arguments is checked where the option is read.
enum ArgumentShape: Sendable {
  case text
  case file
  case host
  case port
  case transport
  case number(ClosedRange<Int>)
  case word([String])
  case ipv4
  case digest
  case tlsVersion

  /// Seconds as OpenVPN takes them, up to a year.
  static let seconds = ArgumentShape.number(0...31_536_000)

  /// - Returns: what is wrong, `nil` when nothing is.
  func problem(with text: String) -> String? {
    switch self {
    case .text: nil
    case .file: text.isEmpty ? "an empty file name" : nil
    case .host: HostName.problem(with: text)
    case .port: PortNumber.of(text) == nil ? "`\(text)` is not a port (1 to 65535)" : nil
    case .transport: transportProblem(text)
    case .number(let range): numberProblem(text, range)
    case .word(let words): words.contains(text) ? nil : unknownWord(text, words)
    case .ipv4: IPv4Address(text) == nil ? "`\(text)` is not an IPv4 address" : nil
    case .digest: Digest(name: text) == nil && text.lowercased() != "none" ? AlgorithmNames.digestProblem(text) : nil
    case .tlsVersion: TLSVersion(name: text) == nil ? "`\(text)` is not a TLS version (1.0, 1.1, 1.2 or 1.3)" : nil
    }
  }

  private func transportProblem(_ text: String) -> String? {
    if TransportWord(text) != nil { return nil }
    if text.hasPrefix("tcp"), text.hasSuffix("-server") {
      return "`\(text)` is a server's word: this is a server profile"
    }
    return unknownWord(text, TransportWord.all)
  }

  private func numberProblem(_ text: String, _ range: ClosedRange<Int>) -> String? {
    guard let number = Int(decimal: text) else { return "`\(text)` is not a number" }
    if range.contains(number) { return nil }
    return range.upperBound == .max
      ? "\(number) is too small; at least \(range.lowerBound)"
      : "\(number) is out of range (\(range.lowerBound) to \(range.upperBound))"
  }

  private func unknownWord(_ text: String, _ words: [String]) -> String {
    let near = NearestName.of(text, in: words)
    return "`\(text)` is not one of \(words.joined(separator: ", "))" + (near.map { "; did you mean `\($0)`?" } ?? "")
  }
}

extension Int {
  /// Digits only, perhaps with a minus sign: no blanks, no plus, no units.
  init?(decimal text: some StringProtocol) {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard (1...19).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(text)
  }
}

/// A port, or one of the service names that profiles use for one.
enum PortNumber {
  private static let services: [String: UInt16] = [
    "openvpn": 1194, "http": 80, "https": 443, "domain": 53, "http-alt": 8080,
  ]

  static func of(_ text: String) -> UInt16? {
    if let port = services[text] { return port }
    guard let number = Int(decimal: text), (1...65_535).contains(number) else { return nil }
    return UInt16(number)
  }
}

/// `udp4`, `tcp-client`…: a transport, and the family when it names one.
struct TransportWord: Hashable, Sendable {
  static let all = [
    "udp", "udp4", "udp6", "tcp", "tcp4", "tcp6", "tcp-client", "tcp4-client", "tcp6-client",
  ]

  var transport: Transport
  var family: AddressFamily?

  init?(_ text: String) {
    guard Self.all.contains(text) else { return nil }
    transport = text.hasPrefix("udp") ? .udp : .tcp
    let suffix = text.dropFirst(3).first
    family = suffix == "4" ? .ipv4 : suffix == "6" ? .ipv6 : nil
  }
}

enum HostName {
  /// Brackets around an IPv6 literal are taken off (cases O-06).
  static func canonical(_ text: String) -> String {
    text.hasPrefix("[") && text.hasSuffix("]") && IPAddress(text) != nil ? String(text.dropFirst().dropLast()) : text
  }

  static func problem(with text: String) -> String? {
    if text.isEmpty { return "an empty host name" }
    if IPAddress(text) != nil { return nil }
    if !text.utf8.allSatisfy({ $0 < 128 }) { return "the host name must be in ASCII (its xn-- form)" }
    if text.contains(":") { return "`\(text)` is no IPv6 address; a port is a word of its own: host port proto" }
    guard DomainName(text) != nil else { return "`\(text)` is neither a host name nor an address" }
    return text.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 } ? "`\(text)` is not an IPv4 address" : nil
  }
}
