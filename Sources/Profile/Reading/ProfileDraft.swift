import Base

/// A profile while its lines are read.
package struct ProfileDraft {
  var profile = Profile()
  var findings = Findings()
  /// Remotes and their defaults outside blocks.
  var globals = RemoteScope()
  var blocks: [RemoteScope] = []
  /// The scope that connection options go to: an index into `blocks`, or the globals.
  private(set) var openBlock: Int?
  let files: Profile.FileExpectation

  /// The last line of each option that was taken.
  private(set) var seen: [String: OptionLine] = [:]
  private var noted: Set<String> = []
  private var ignorable: Set<String> = []
  private var ignoresUnknown: Bool
  /// Set while a `setenv opt` line is read: what is wrong there is only warned about.
  private var isLenient = false
  /// Options whose file another room could not read and has reported.
  private(set) var unread: Set<String> = []

  // Gathered for the checks at the end.
  var saysClient = false
  var saysTLSClient = false
  var saysNoBind = false
  var forcedTransport: Transport?
  var deviceType: String?
  var deviceWord: String?
  var namesDataCiphers = false
  var isNegotiationDisabled = false
  var compatibility: CompatibilityVersion?
  var allowCompressionWord: String?
  var askpassLine: OptionLine?
  var clientCertificateIsOptional = false

  package init(ignoringUnknown: Bool, files: Profile.FileExpectation) {
    ignoresUnknown = ignoringUnknown
    self.files = files
  }

  var scope: RemoteScope {
    get { openBlock.map { blocks[$0] } ?? globals }
    set {
      if let openBlock { blocks[openBlock] = newValue } else { globals = newValue }
    }
  }

  func isGiven(_ name: String) -> Bool { seen[name] != nil }

  /// Where `name` was given last, or the whole file.
  func location(of name: String) -> SourceLocation? { seen[name]?.location }

  // MARK: Findings

  mutating func report(_ severity: Diagnostic.Severity, _ location: SourceLocation, _ text: String) {
    findings.add(Diagnostic(isLenient && severity == .error ? .warning : severity, location, text))
  }

  mutating func warn(_ line: OptionLine, _ text: String, argument: Int? = nil) {
    report(.warning, argument.map(line.location(ofArgument:)) ?? line.location, text)
  }

  mutating func note(_ line: OptionLine, _ text: String) { report(.note, line.location, text) }

  // MARK: Lines

  mutating func read(_ lines: [OptionLine]) {
    for line in lines where !findings.isFull { read(line) }
  }

  mutating func read(_ line: OptionLine) {
    guard let entry = OptionTable.entry(named: line.name) else {
      reportUnknown(line)
      return
    }
    do {
      try take(line, as: entry)
    } catch {
      report(.error, error.argument.map(line.location(ofArgument:)) ?? line.location, error.text)
    }
  }

  private mutating func reportUnknown(_ line: OptionLine) {
    let text = "unknown option `\(line.name)`" + OptionTable.hint(for: line.name)
    if ignorable.contains(line.name) {
      note(line, "`\(line.name)` is unknown and left out, as `ignore-unknown-option` asks")
    } else if ignoresUnknown {
      warn(line, text + " (left out)")
    } else {
      report(.error, line.location, text)
    }
  }

  private mutating func take(_ line: OptionLine, as entry: OptionEntry) throws(OptionProblem) {
    if openBlock != nil, !entry.isAllowedInConnection {
      throw OptionProblem("`\(entry.name)` may not stand inside a <connection> block")
    }
    switch entry.treatment {
    case .refused(let why): throw OptionProblem("`\(entry.name)` is refused: \(why)")
    case .harmless(let why): return noteOnce(.note, line, "`\(entry.name)` has no effect here: \(why)")
    case .harmlessWithWarning(let why): return noteOnce(.warning, line, "`\(entry.name)` has no effect here: \(why)")
    case .honouredDifferently(let how): noteOnce(.note, line, "`\(entry.name)`: \(how)")
    case .honoured: break
    }
    try entry.check(line)
    if entry.fileArgument != nil, line.body == nil, !line.arguments.isEmpty, files == .mayBeUnread {
      unread.insert(entry.name)
      return
    }
    noteChange(line, entry)
    seen[line.name] = line
    _ = try apply(line)
  }

  /// A scalar that gets another value: the last one counts (cases L-24).
  private mutating func noteChange(_ line: OptionLine, _ entry: OptionEntry) {
    guard !entry.isList, openBlock == nil, let before = seen[line.name] else { return }
    if before.arguments != line.arguments || before.body != line.body {
      note(line, "`\(line.name)` was given before in line \(before.location.line); this one counts")
    }
  }

  private mutating func noteOnce(_ severity: Diagnostic.Severity, _ line: OptionLine, _ text: String) {
    if noted.insert(line.name).inserted { report(severity, line.location, text) }
  }

  /// - Returns: false when no topic knows the option; a test asks this for every honoured row of the table.
  package mutating func apply(_ line: OptionLine) throws(OptionProblem) -> Bool {
    if try applyConnection(line) { return true }
    if try applyTimers(line) { return true }
    if try applyCiphers(line) { return true }
    if try applyTLS(line) { return true }
    if try applyIdentity(line) { return true }
    if try applyServerChecks(line) { return true }
    if try applyTunnel(line) { return true }
    return try applyMeta(line)
  }

  // MARK: Options about options

  private mutating func applyMeta(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "connection":
      readBlock(line)
    case "config":
      throw OptionProblem("the file `\(line.text(0) ?? "")` was not read", argument: 0)
    case "ignore-unknown-option":
      ignorable.formUnion(line.arguments)
    case "setenv":
      try readEnvironment(line)
    case "mode":
      guard line.text(0) == "p2p" else {
        throw OptionProblem("`mode \(line.text(0) ?? "")` is refused: \(OptionTable.serverProfile)")
      }
    // Only a server's message can mean these; a profile may carry them without harm.
    case "key-derivation", "protocol-flags", "peer-id", "push-continuation", "auth-token", "auth-token-user":
      warn(line, "`\(line.name)` is something only a server says; it has no effect in a profile")
    default:
      return false
    }
    return true
  }

  private mutating func readBlock(_ line: OptionLine) {
    guard openBlock == nil else { return }
    var scope = RemoteScope()
    scope.location = line.location
    blocks.append(scope)
    openBlock = blocks.count - 1
    read(line.block ?? [])
    openBlock = nil
  }

  private mutating func readEnvironment(_ line: OptionLine) throws(OptionProblem) {
    let name = line.arguments[0]
    let value = line.text(1)
    switch name {
    case "opt":
      try readOptional(line)
    case "FORWARD_COMPATIBLE":
      if value == "1" { ignoresUnknown = true }
    case "PUSH_PEER_INFO":
      profile.pushPeerInfo = true
    case "REMOTE_RANDOM_HOSTNAME":
      profile.remoteRandomHostname = true
    case "SERVER_POLL_TIMEOUT":
      guard let value, let seconds = Int(decimal: value), (1...86_400).contains(seconds) else {
        throw OptionProblem("`setenv SERVER_POLL_TIMEOUT` needs a number of seconds", argument: 1)
      }
      globals.connectTimeout = .seconds(seconds)
    case "GENERIC_CONFIG":
      throw OptionProblem("the server marks this profile as a generic one that must not be used; ask for your own")
    case "CLIENT_CERT":
      clientCertificateIsOptional = value == "0"
    case _ where name.hasPrefix("UV_") || name.hasPrefix("IV_"):
      guard
        name.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 }
        )
      else {
        throw OptionProblem("`\(name)` may only have letters, digits and `_`", argument: 0)
      }
      profile.peerInfo.removeAll { $0.name == name }
      profile.peerInfo.append(NameValue(name, value ?? ""))
    default:
      note(line, "`setenv \(name)` has no effect here: there is no script to see it")
    }
  }

  /// `setenv opt X …`: X counts when it is known and right, else it is only warned about.
  private mutating func readOptional(_ line: OptionLine) throws(OptionProblem) {
    guard line.arguments.count > 1 else { throw OptionProblem("`setenv opt` lacks the option", argument: 0) }
    var inner = line
    inner.name = line.arguments[1].hasPrefix("--") ? String(line.arguments[1].dropFirst(2)) : line.arguments[1]
    inner.arguments = Array(line.arguments.dropFirst(2))
    inner.argumentColumns = Array(line.argumentColumns.dropFirst(2))
    inner.location = line.location(ofArgument: 1)
    guard OptionTable.entry(named: inner.name) != nil else {
      note(line, "`\(inner.name)` is unknown and left out, as `setenv opt` asks")
      return
    }
    isLenient = true
    read(inner)
    isLenient = false
  }
}
