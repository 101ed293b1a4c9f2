/// What matters to us in dnsmasq's command line and configuration files (dnsmasq(8)).
package struct DnsmasqOptions: Hashable, Sendable {
  package struct Directory: Hashable, Sendable {
    package var path: String
    /// `*.conf`: only names that end so; `.bak`: none that end so.
    package var filters: [String]

    package func reads(_ name: String) -> Bool {
      if name.hasPrefix(".") || name.hasSuffix("~") || (name.hasPrefix("#") && name.hasSuffix("#")) { return false }
      let wanted = filters.filter { $0.hasPrefix("*") }.map { $0.dropFirst() }
      let unwanted = filters.filter { !$0.hasPrefix("*") }
      return !unwanted.contains { name.hasSuffix($0) } && (wanted.isEmpty || wanted.contains { name.hasSuffix($0) })
    }
  }

  /// `nil` when the command line names none: then it is /etc/dnsmasq.conf.
  package var mainFile: String?
  package var files: [String] = []
  package var directories: [Directory] = []
  /// It knows one such file only; a second is an error at its start.
  package var serversFile: String?
  /// A server for all names is set in the configuration itself.
  package var hasServers = false
  package var stopsRebinding = false

  package init() {}

  /// - Parameter arguments: without the program's name.
  package mutating func read(arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word.count > 1 else { continue }
      if word.hasPrefix("--") {
        let option = word.dropFirst(2)
        if option.contains("=") {
          take(option, isCommandLine: true)
        } else if Self.takesValue(String(option)), let value = rest.popFirst() {
          take("\(option)=\(value)"[...], isCommandLine: true)
        } else {
          take(option, isCommandLine: true)
        }
        continue
      }
      // Flags may stand together; the first letter that takes a value ends them.
      var letters = word.dropFirst()
      while let letter = letters.popFirst() {
        guard Self.lettersWithValue.contains(letter) else { continue }
        let value = letters.isEmpty ? rest.popFirst() ?? "" : String(letters)
        if let name = Self.names[letter] { take("\(name)=\(value)"[...], isCommandLine: true) }
        break
      }
    }
  }

  package mutating func read(text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let trimmed = line.trimmed
      if !trimmed.isEmpty, !trimmed.hasPrefix("#") { take(trimmed, isCommandLine: false) }
    }
  }

  private static let names: [Character: String] = ["7": "conf-dir", "C": "conf-file", "S": "server"]
  /// Of dnsmasq's option string.
  private static let lettersWithValue = Set("rmpclsitugaxSCATHQIBFGOMXVUjPJWY2467803")
  /// Long options whose value may be the next word; of the others none begins like one that matters.
  private static func takesValue(_ name: String) -> Bool {
    ["conf-dir", "conf-file", "server", "servers-file"].contains(name)
  }

  private mutating func take(_ option: Substring, isCommandLine: Bool) {
    let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? parts[1].trimmed : ""
    switch parts[0].trimmed {
    case "conf-file":
      if isCommandLine { mainFile = String(value) } else { files.append(String(value)) }
    case "conf-dir":
      let words = value.split(separator: ",").map { String($0.trimmed) }
      guard let path = words.first else { return }
      let bare = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
      directories.append(Directory(path: bare, filters: Array(words.dropFirst())))
    case "servers-file": serversFile = String(value)
    // `/domain/address` serves some names only, and those are the owner's wish.
    case "server", "local": if !value.hasPrefix("/"), !value.isEmpty { hasServers = true }
    case "stop-dns-rebind": stopsRebinding = true
    default: break
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? start.prefix(0)
  }
}
