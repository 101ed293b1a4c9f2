package import Base

extension PushedOptions {
  /// `PUSH_REPLY,route …,ping 10` to its items. Commas cannot be escaped (protocol.md section 11.4).
  package static func items(ofReply text: String) -> [String] {
    var rest = text[...]
    if rest.hasPrefix("PUSH_REPLY") { rest = rest.dropFirst("PUSH_REPLY".count) }
    return rest.split(separator: ",").compactMap { item in
      let trimmed = Array(item.utf8)[...].trimmingBlanks
      return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    }
  }

  /// The value of `push-continuation` among `items`: 2 = more parts follow, 1 = last part, `nil` = complete.
  ///
  /// Cheap enough for every part; `parse` takes the items of all parts together.
  package static func continuation(of items: [String]) -> Int? {
    for item in items where item.hasPrefix("push-continuation ") {
      if let value = Int(decimal: item.dropFirst("push-continuation ".count)), value > 0 { return value }
    }
    return nil
  }

  /// - Parameter items: of one message or of all parts together, in order, as the server wrote them.
  /// - Returns: what is taken, with notes about what is not; or the fault that ends the session.
  package static func parse(_ items: [String], profile: Profile) -> Result<(PushedOptions, [Note]), Fault> {
    var reader = PushReader(profile: profile)
    do throws(Fault) {
      try reader.read(items)
    } catch {
      return .failure(error)
    }
    return .success((reader.pushed, reader.notes))
  }
}

/// One walk through pushed items. Whatever a server writes ends in a value, a note or a named fault.
struct PushReader {
  private let profile: Profile
  private(set) var pushed = PushedOptions()
  private(set) var notes: [Note] = []

  /// Notes of one push; a server must not fill the log.
  private static let mostNotes = 100
  /// Of a server's words in a note.
  private static let longestQuote = 120

  init(profile: Profile) { self.profile = profile }

  mutating func read(_ items: [String]) throws(Fault) {
    guard items.count <= ProfileLimits.pushedItems else {
      throw Fault(.pushInvalid, "more than \(ProfileLimits.pushedItems) options")
    }
    guard items.reduce(0, { $0 + $1.utf8.count + 1 }) <= ProfileLimits.pushedBytes else {
      throw Fault(.pushInvalid, "more than \(ProfileLimits.pushedBytes >> 10) KiB of options")
    }
    for item in items { try read(item) }
    if pushed.continuation != 2 {
      for problem in pushed.tunnel.dns.dropUnusableServers() { add(Note(.pushOptionIgnored, "dns", problem)) }
    }
  }

  private mutating func read(_ item: String) throws(Fault) {
    switch profile.pullFilters.first(where: { item.utf8.starts(with: $0.prefix.utf8) })?.action {
    case .ignore: return ignore(item, "pull-filter leaves it out")
    case .reject: throw Fault(.pushRejected, Self.quoted(item))
    case .accept, nil: break
    }
    let words: [String]
    switch Lexer.words(of: item) {
    case .success(let value): words = value
    case .failure(let problem): return ignore(item, problem.text)
    }
    guard let name = words.first else { return }
    guard let entry = OptionTable.entry(named: name) else {
      add(Note(.pushOptionUnknown, Self.quoted(item)))
      return
    }
    switch entry.push {
    case .no: return ignore(item, "a server may not set it")
    case .unlessNoPull where profile.routeNoPull: return ignore(item, "route-nopull")
    case .unlessNoPull, .yes: break
    }
    if case .harmless = entry.treatment { return ignore(item, "it has no effect here") }
    let line = OptionLine(name: name, arguments: Array(words.dropFirst()), location: SourceLocation(file: ""))
    do throws(OptionProblem) {
      try entry.check(line)
    } catch {
      if ["peer-id", "cipher", "key-derivation", "protocol-flags"].contains(name) {
        throw Fault(.pushInvalid, Self.quoted(item))
      }
      return ignore(item, error.text)
    }
    try take(line, item)
  }

  private mutating func take(_ line: OptionLine, _ item: String) throws(Fault) {
    if try takeNegotiation(line) {
      keep(item, line)
      return
    }
    do throws(OptionProblem) {
      var warnings: [String] = []
      var isTaken = try takeTimer(line)
      if !isTaken { isTaken = try takeLogin(line) }
      if !isTaken { isTaken = try pushed.tunnel.read(line, isPushed: true, warnings: &warnings) }
      guard isTaken else { return ignore(item, "it has no effect here") }
      for warning in warnings { add(Note(.pushOptionIgnored, Self.quoted(item), warning)) }
      keep(item, line)
    } catch {
      ignore(item, error.text)
    }
  }

  /// Tokens stay out of the list: it goes from process to process.
  private mutating func keep(_ item: String, _ line: OptionLine) {
    if !line.name.hasPrefix("auth-token") { pushed.items.append(item) }
  }

  // MARK: What both ends must agree on

  private mutating func takeNegotiation(_ line: OptionLine) throws(Fault) -> Bool {
    let value = line.text(0) ?? ""
    switch line.name {
    case "peer-id": pushed.peerID = Int(decimal: value).map { $0 < 0 ? 0xff_ffff : UInt32(clamping: $0) }
    case "cipher": pushed.cipher = try cipher(value)
    case "key-derivation":
      guard value == "tls-ekm" else { throw Fault(.pushInvalid, "key-derivation \(Self.quoted(value))") }
      pushed.exportsKeys = true
    case "protocol-flags":
      for flag in line.arguments { try takeFlag(flag) }
    case "comp-lzo", "compress":
      let framing = CompressionFraming(option: line.name, mode: line.text(0))
      guard let framing, !framing.compresses || profile.allowsCompression else {
        throw Fault(.compressionRefused, line.name + (value.isEmpty ? "" : " " + Self.quoted(value)))
      }
      pushed.compression = framing
    case "push-continuation": pushed.continuation = Int(decimal: value).flatMap { $0 > 0 ? $0 : nil }
    case "tun-mtu": takeMTU(Int(decimal: value) ?? 0)
    default: return false
    }
    return true
  }

  private func cipher(_ name: String) throws(Fault) -> DataCipher {
    guard let cipher = DataCipher(name: name) else {
      throw Fault(name.lowercased() == "none" ? .cipherRefused : .cipherUnsupported, Self.quoted(name))
    }
    guard profile.dataCiphers.contains(cipher) || profile.dataCipherFallback == cipher else {
      throw Fault(.cipherRefused, cipher.rawValue)
    }
    return cipher
  }

  private mutating func takeFlag(_ flag: String) throws(Fault) {
    switch flag {
    case "tls-ekm": pushed.exportsKeys = true
    case "cc-exit": pushed.controlChannelExit = true
    case "dyn-tls-crypt": pushed.dynamicTLSCrypt = true
    case "aead-epoch": pushed.epochDataFormat = true
    default: throw Fault(.pushInvalid, "protocol-flags \(Self.quoted(flag))")
    }
  }

  /// Above what our buffers were made for it is clipped (cases P-16).
  private mutating func takeMTU(_ size: Int) {
    let largest = profile.remotes.map(\.tunMTUMaximum).max() ?? 1_600
    if size > largest {
      add(Note(.pushOptionIgnored, "tun-mtu \(size)", "\(largest) is the most that `tun-mtu-max` allows"))
    }
    pushed.tunnel.mtu = min(size, largest)
  }

  // MARK: The rest

  private mutating func takeTimer(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "ping": pushed.ping = try line.seconds(0)
    case "ping-restart", "ping-exit": pushed.pingRestart = try line.seconds(0)
    case "keepalive":
      pushed.ping = try line.seconds(0)
      pushed.pingRestart = try line.seconds(1)
    case "inactive":
      pushed.inactive = try line.seconds(0)
      pushed.inactiveBytes = line.arguments.count > 1 ? UInt64(clamping: try line.number(1)) : 0
    case "session-timeout": pushed.sessionTimeout = try line.seconds(0)
    case "explicit-exit-notify": pushed.explicitExitNotify = line.arguments.isEmpty ? 1 : try line.number(0)
    default: return false
    }
    return true
  }

  private mutating func takeLogin(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "auth": pushed.auth = Digest(name: line.arguments[0])
    case "auth-token":
      guard (1...ProfileLimits.credentialBytes).contains(line.arguments[0].utf8.count) else {
        throw OptionProblem("the token is empty or too long")
      }
      pushed.authToken = SecretBytes(Array(line.arguments[0].utf8))
    case "auth-token-user":
      guard let bytes = Base64.bytes(line.arguments[0]), bytes.count <= ProfileLimits.credentialBytes,
        let user = String(validating: bytes, as: UTF8.self), !user.isEmpty
      else { throw OptionProblem("the user name is not base64 text") }
      pushed.authTokenUser = user
    case "block-outside-dns", "rcvbuf", "sndbuf", "auth-nocache": break
    default: return false
    }
    return true
  }

  // MARK: Notes

  private mutating func ignore(_ item: String, _ why: String) {
    // Whatever a broken token line is, it may hold the token.
    let shown = item.hasPrefix("auth-token") ? "auth-token" : Self.quoted(item)
    add(Note(.pushOptionIgnored, shown, why))
  }

  private mutating func add(_ note: Note) {
    if notes.count < Self.mostNotes { notes.append(note) }
  }

  /// Words of a stranger: short, and without control characters.
  private static func quoted(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(longestQuote) {
      result.unicodeScalars.append(scalar.value < 32 || (127..<160).contains(scalar.value) ? "?" : scalar)
    }
    return text.unicodeScalars.count > longestQuote ? result + "…" : result
  }
}
