import Base
import Control
import Settings

/// Words of the command line to a `Command`.
package struct CommandLineParser {
  private var verb: Verb?
  private var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// - Parameter words: without the program's name.
  package static func parse(_ words: [String]) -> Result<Command, UsageError> {
    var parser = CommandLineParser()
    do {
      try parser.read(words)
      return .success(try parser.command())
    } catch {
      return .failure(error)
    }
  }

  // MARK: Words

  private mutating func read(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    var endsOptions = false
    while let word = rest.popFirst() {
      if !endsOptions, word == "--" {
        endsOptions = true
      } else if !endsOptions, word.hasPrefix("-"), word != "-" {
        try readOption(word, &rest)
      } else if verb == nil {
        try readVerb(word)
      } else {
        operands.append(word)
      }
    }
  }

  private mutating func readVerb(_ word: String) throws(UsageError) {
    guard let found = CommandTable.verb(named: word) else {
      throw failure("unknown command `\(word)`" + hint(word, CommandTable.verbs.map(\.name)))
    }
    verb = found
  }

  private mutating func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let aliases = ["-h": "--help", "-?": "--help"]
    let name = aliases[parts[0]] ?? parts[0]
    if name == "--version", verb == nil {
      verb = CommandTable.verb(named: "version")
      return
    }
    let options = (verb?.options ?? []) + CommandTable.common
    guard let option = options.first(where: { $0.name == name }) else {
      throw failure("unknown option `\(name)`" + hint(name, options.map(\.name)))
    }
    guard let placeholder = option.value else {
      if parts.count > 1 { throw failure("`\(name)` takes no value") }
      values[name] = [""]
      return
    }
    // The next option is no value of this one.
    let isMissing = parts.count == 1 && options.contains { $0.name == rest.first }
    guard !isMissing, let value = parts.count > 1 ? parts[1] : rest.popFirst(), !value.isEmpty else {
      throw failure("`\(name)` needs a value: \(placeholder)")
    }
    if values[name] != nil, !option.isRepeatable { throw failure("`\(name)` is given twice") }
    values[name, default: []].append(value)
  }

  private func failure(_ text: String) -> UsageError { UsageError(text: text, verb: verb?.name) }

  private func hint(_ word: String, _ names: [String]) -> String {
    NearestName.of(word, in: names).map { "; did you mean `\($0)`?" } ?? ""
  }

  // MARK: Meaning

  private func has(_ option: String) -> Bool { values[option] != nil }
  private func value(_ option: String) -> String? { values[option]?.last }
  private var stateDirectory: String { value("--state-dir") ?? DaemonOptions.standardStateDirectory }

  private func command() throws(UsageError) -> Command {
    guard let verb else {
      if has("--help") { return .help(verb: nil) }
      throw failure("a command is missing")
    }
    if has("--help") { return .help(verb: verb.name) }
    guard verb.operandCount.contains(operands.count) else {
      throw failure(
        operands.count < verb.operandCount.lowerBound
          ? "\(verb.operands) is missing" : "too many words: `\(operands[verb.operandCount.upperBound])`")
    }
    switch verb.name {
    case "run": return .run(daemonOptions(connect: nil))
    case "connect": return .run(daemonOptions(connect: try connectRequest()))
    case "check": return .check(try checkRequest())
    case "plan":
      return .plan(
        PlanRequest(
          configPath: value("--config"), stateDirectory: stateDirectory, tunnel: operands.first,
          asDifference: has("--diff")))
    case "status": return .status(tunnel: operands.first, asJSON: has("--json"), stateDirectory: stateDirectory)
    case "up": return .tell(.up(tunnel: operands[0]), stateDirectory: stateDirectory)
    case "down": return .tell(.down(tunnel: operands[0]), stateDirectory: stateDirectory)
    case "pause": return .tell(.pause(tunnel: operands[0], span: try span()), stateDirectory: stateDirectory)
    case "resume": return .tell(.resume(tunnel: operands[0]), stateDirectory: stateDirectory)
    case "use": return .tell(.use(tunnel: operands[0], remote: operands[1]), stateDirectory: stateDirectory)
    case "reconnect":
      return .tell(.reconnect(tunnel: operands[0], after: try delay()), stateDirectory: stateDirectory)
    case "arm": return .arm(configPath: value("--config"), stateDirectory: stateDirectory)
    case "disarm": return .disarm(span: try span(), configPath: value("--config"), stateDirectory: stateDirectory)
    case "pass": return .pass(try passRequest())
    case "cleanup": return .cleanup(configPath: value("--config"), stateDirectory: stateDirectory)
    case "explain": return .explain(try explainRequest())
    case "doctor":
      return .doctor(configPath: value("--config"), stateDirectory: stateDirectory, asJSON: has("--json"))
    case "prove": return .prove(try proveRequest())
    case "version": return .version(asJSON: has("--json"))
    default: return .help(verb: try helpTopic())
    }
  }

  private func daemonOptions(connect: ConnectRequest?) -> DaemonOptions {
    DaemonOptions(
      configPath: value("--config"), stateDirectory: stateDirectory, usesSyslog: has("--syslog"), connect: connect)
  }

  private func connectRequest() throws(UsageError) -> ConnectRequest {
    let lan = values["--lan"] ?? []
    if let wrong = lan.first(where: { DeviceName($0) == nil }) { throw failure("`\(wrong)` is no device name") }
    return ConnectRequest(
      profilePath: operands[0], credentialsPath: value("--auth-user-pass"), lan: lan, options: values["--set"] ?? [])
  }

  private func checkRequest() throws(UsageError) -> CheckRequest {
    var request = CheckRequest()
    request.configPath = value("--config")
    request.profiles = operands
    request.credentialsPath = value("--auth-user-pass")
    request.options = values["--set"] ?? []
    request.table = CheckRequest.Table.allCases.first { has("--\($0.rawValue)") }
    request.asJSON = has("--json")
    if operands.isEmpty, let option = ["--auth-user-pass", "--set"].first(where: has) {
      throw failure("`\(option)` goes with a PROFILE")
    }
    return request
  }

  private func proveRequest() throws(UsageError) -> ProveRequest {
    var request = ProveRequest(configPath: value("--config"), stateDirectory: stateDirectory)
    request.gateway = operands.first
    request.putsDown = has("--down")
    request.asJSON = has("--json")
    request.destinations = try addresses("--to")
    request.addresses = try addresses("--address")
    return request
  }

  /// At most one of each family.
  private func addresses(_ option: String) throws(UsageError) -> [IPAddress] {
    var addresses: [IPAddress] = []
    for text in values[option] ?? [] {
      guard let address = IPAddress(text) else { throw failure("`\(text)` is no address") }
      guard !addresses.contains(where: { $0.family == address.family }) else {
        throw failure("`\(option)` is given twice for one family")
      }
      addresses.append(address)
    }
    return addresses
  }

  private func passRequest() throws(UsageError) -> PassRequest {
    guard let operand = operands.first else {
      if let option = ["--via", "--for", "--end"].first(where: has) {
        throw failure("`\(option)` goes with an ADDRESS")
      }
      return PassRequest(asJSON: has("--json"))
    }
    guard let address = IPAddress(operand) else {
      throw failure("`\(operand)` is no IPv4 or IPv6 address; a pass is for one address")
    }
    if has("--json") { throw failure("`--json` goes with the list, without an ADDRESS") }
    if let way = value("--via"), way != "wan" {
      throw failure("a pass goes by `wan` alone; a `policy` section sends a device into a tunnel")
    }
    if has("--end") {
      if has("--for") { throw failure("`--end` and `--for` exclude each other") }
      return PassRequest(.end(address))
    }
    return PassRequest(.begin(address, try span() ?? PassRequest.standardSpan))
  }

  /// How long an exception holds.
  private func span() throws(UsageError) -> Duration? {
    guard let text = value("--for") else { return nil }
    guard let span = DurationText.parse(text), span >= .seconds(1) else {
      throw failure("`--for` must be a time such as 90s, 30m or 2h, from a second to a day")
    }
    return span
  }

  private func explainRequest() throws(UsageError) -> ExplainRequest {
    var question = ExplainQuestion(source: operands[0], destination: operands.count > 1 ? operands[1] : nil)
    if let text = value("--proto") {
      guard ["tcp", "udp"].contains(text) else { throw failure("`--proto` is tcp or udp") }
      question.transport = text
    }
    if let text = value("--port") {
      guard let port = UInt16(text), port > 0 else { throw failure("`--port` must be a number from 1 to 65535") }
      question.port = port
    }
    return ExplainRequest(
      configPath: value("--config"), stateDirectory: stateDirectory, question: question, asJSON: has("--json"),
      isLong: has("--long"))
  }

  private func delay() throws(UsageError) -> Duration? {
    guard let text = value("--after") else { return nil }
    if text == "0" { return .zero }
    guard let delay = DurationText.parse(text), delay.components.attoseconds == 0 else {
      throw failure("`--after` must be a time such as 90, 90s or 2m, at most a day")
    }
    return delay
  }

  private func helpTopic() throws(UsageError) -> String? {
    guard let topic = operands.first else { return nil }
    guard CommandTable.verb(named: topic) != nil else {
      throw failure("unknown command `\(topic)`" + hint(topic, CommandTable.verbs.map(\.name)))
    }
    return topic
  }
}
