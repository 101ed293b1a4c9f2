import Base
import Profile

/// OpenVPN options as UCI keys: underscores for dashes, `list` for repeated lines.
enum OpenVPNKey {
  /// What one key becomes.
  struct Reading {
    var lines: [OptionLine] = []
    /// A flag set to no: the profile's own must go.
    var withdrawn: String?
    var diagnostics: [Diagnostic] = []
  }

  /// The option's name for a key, or `nil` when OpenVPN has none.
  static func optionName(of key: String) -> String? {
    let name = String(decoding: key.utf8.map { $0 == 95 ? 45 : $0 }, as: UTF8.self)
    return OptionTable.entry(named: name) == nil ? nil : name
  }

  /// Every option that is of use, as a key, to find what a typo meant.
  static var keys: [String] {
    OptionTable.all.compactMap { entry in
      if case .refused = entry.treatment { return nil }
      return String(decoding: entry.name.utf8.map { $0 == 45 ? 95 : $0 }, as: UTF8.self)
    }
  }

  /// Options whose lines a UCI list joins with colons into one (OpenWrt's own habit, cases U-03).
  private static let colonLists: Set = ["data-ciphers", "ncp-ciphers", "tls-cipher", "tls-ciphersuites", "tls-groups"]

  /// Options whose whole value is one file name, so that blanks in it need no second pair of quotes (cases L-18).
  private static let wholeFiles: Set = [
    "ca", "capath", "cert", "key", "extra-certs", "pkcs12", "askpass", "auth-user-pass", "tls-crypt", "tls-crypt-v2",
    "dh",
  ]

  static func read(_ option: UCIOption, as name: String) -> Reading {
    var reading = Reading()
    let values = option.values.filter { !$0.text.isEmpty }
    guard let last = values.last else { return reading }
    if let bad = values.first(where: { $0.text.utf8.contains { $0 < 32 && $0 != 9 || $0 == 127 } }) {
      reading.diagnostics.append(
        Diagnostic(.error, bad.location, "`\(option.key)` must not contain line ends or control characters"))
      return reading
    }
    if isFlag(name) {
      switch Truth.value(of: last.text) {
      case true?: reading.lines = [OptionLine(name: name, location: option.location)]
      case false?: reading.withdrawn = name
      case nil:
        reading.diagnostics.append(
          Diagnostic(.error, last.location, "`\(option.key)` must be \(Schema.Kind.flag.description)"))
      }
    } else if colonLists.contains(name) {
      let joined = values.flatMap(\.blankSeparated).map(\.text).joined(separator: ":")
      reading.lines = [OptionLine(name: name, arguments: [joined], location: values[0].location)]
    } else {
      for value in values { readLine(value, name, into: &reading) }
    }
    return reading
  }

  private static func isFlag(_ name: String) -> Bool {
    OptionTable.entry(named: name).map { $0.arity == 0...0 } ?? false
  }

  private static func readLine(_ value: UCIWord, _ name: String, into reading: inout Reading) {
    if name == "compress", value.text == "frames_only" {
      reading.lines.append(OptionLine(name: name, location: value.location))
    } else if wholeFiles.contains(name), let first = value.text.utf8.first, first != 34, first != 39 {
      reading.lines.append(OptionLine(name: name, arguments: [value.text], location: value.location))
    } else {
      switch Lexer.words(of: value.text, at: value.location) {
      case .success(let words):
        reading.lines.append(OptionLine(name: name, arguments: words, location: value.location))
      case .failure(let problem): reading.diagnostics.append(problem)
      }
    }
  }
}
