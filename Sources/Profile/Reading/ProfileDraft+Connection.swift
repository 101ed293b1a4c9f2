import Base

extension ProfileDraft {
  mutating func applyConnection(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "client":
      saysClient = true
      saysTLSClient = true
    case "pull": saysClient = true
    case "tls-client": saysTLSClient = true
    case "remote": try readRemote(line)
    case "proto": scope.transport = line.text(0).flatMap(TransportWord.init)
    case "proto-force": forcedTransport = line.text(0).flatMap(Transport.init)
    case "port", "rport": scope.port = line.text(0).flatMap(PortNumber.of)
    case "lport": scope.localPort = UInt16(clamping: try line.number(0))
    case "local": try readLocal(line)
    case "nobind": saysNoBind = true
    case "float": profile.float = true
    case "remote-random": profile.remoteRandom = true
    case "remote-random-hostname": profile.remoteRandomHostname = true
    case "resolv-retry": try readResolveRetry(line)
    case "connect-retry":
      profile.connectRetry = .seconds(max(1, try line.number(0)))
      if line.arguments.count > 1 { profile.connectRetryMaximum = try line.seconds(1) }
      profile.connectRetryMaximum = max(profile.connectRetry, profile.connectRetryMaximum)
    case "connect-retry-max": try readRetryLimit(line)
    case "connect-timeout", "server-poll-timeout": scope.connectTimeout = try line.seconds(0)
    case "explicit-exit-notify": scope.explicitExitNotify = line.arguments.isEmpty ? 1 : try line.number(0)
    case "tun-mtu":
      scope.tunMTU = try line.number(0)
      if openBlock == nil { profile.tunnel.mtu = try line.number(0) }
    case "tun-mtu-max": scope.tunMTUMaximum = try line.number(0)
    case "max-packet-size": scope.maximumControlPacket = try line.number(0)
    case "mssfix":
      scope.mssFix = try mssFix(line)
      scope.mssFixFollowsFragment = line.arguments.isEmpty
    case "fragment":
      scope.fragment = FragmentLimit(size: try line.number(0), includesHeaders: line.text(1) != nil)
    case "rcvbuf": profile.receiveBuffer = try bufferSize(line)
    case "sndbuf": profile.sendBuffer = try bufferSize(line)
    case "persist-remote-ip": profile.persistRemoteIP = true
    case "key-direction": scope.keyDirection = .some(line.text(0).flatMap(Int.init))
    case "tls-auth":
      if line.arguments.count > 1 { scope.keyDirection = .some(Int(line.arguments[1])) }
      scope.tlsAuth = try wrapKey(line)
    case "tls-crypt": scope.tlsCrypt = try wrapKey(line)
    case "tls-crypt-v2": scope.tlsCryptV2 = try wrapKey(line)
    default: return false
    }
    return true
  }

  private mutating func readRemote(_ line: OptionLine) throws(OptionProblem) {
    let host = HostName.canonical(line.arguments[0])
    let word = line.text(2).flatMap(TransportWord.init)
    if let family = word?.family, let address = IPAddress(host), address.family != family {
      throw OptionProblem("`\(line.arguments[2])` does not fit the address \(host)", argument: 2)
    }
    scope.addresses.append(
      RemoteScope.Address(
        host: host, port: line.text(1).flatMap(PortNumber.of), transport: word, location: line.location))
  }

  private mutating func readLocal(_ line: OptionLine) throws(OptionProblem) {
    let text = line.arguments[0]
    if text != "*" {
      guard let address = IPAddress(text) else {
        throw OptionProblem("`local` needs an address of this router, not `\(text)`", argument: 0)
      }
      scope.localAddress = address
    }
    if let port = line.text(1).flatMap(PortNumber.of) { scope.localPort = port }
  }

  private mutating func readResolveRetry(_ line: OptionLine) throws(OptionProblem) {
    if line.text(0) == "infinite" {
      profile.resolveRetry = nil
      return
    }
    guard let seconds = line.text(0).flatMap({ Int(decimal: $0) }), seconds >= 0 else {
      throw OptionProblem("`resolv-retry` needs a number of seconds or `infinite`", argument: 0)
    }
    profile.resolveRetry = .seconds(seconds)
  }

  private mutating func readRetryLimit(_ line: OptionLine) throws(OptionProblem) {
    guard let count = line.text(0) == "unlimited" ? 0 : line.text(0).flatMap({ Int(decimal: $0) }), count >= 0 else {
      throw OptionProblem("`connect-retry-max` needs a number or `unlimited`", argument: 0)
    }
    // Inside a block it would count for that remote only; the rounds are counted over all of them.
    if openBlock == nil { profile.connectRetryLimit = count == 0 ? nil : count }
  }

  private func mssFix(_ line: OptionLine) throws(OptionProblem) -> MSSFix {
    guard !line.arguments.isEmpty else { return .standard }
    let size = try line.number(0)
    guard size > 0 else { return .off }
    return switch line.text(1) {
    case "mtu": .outer(size)
    case "fixed": .inner(size)
    default: .packet(size)
    }
  }

  /// 0 leaves the kernel's own size (cases O-31).
  private func bufferSize(_ line: OptionLine) throws(OptionProblem) -> Int? {
    let size = try line.number(0)
    return size > 0 ? size : nil
  }

  private mutating func wrapKey(_ line: OptionLine) throws(OptionProblem) -> RemoteScope.Key {
    let kind: KeyFile.Kind = line.name == "tls-crypt-v2" ? .tlsCryptV2Client : .staticKey
    let body = try KeyFile.checked(try line.content(), kind: kind, option: line.name)
    return RemoteScope.Key(body: body, location: line.location)
  }

  // MARK: Remotes at the end

  /// All scopes made remotes; blocks, when there are any, alone count (protocol.md section 13.3).
  mutating func finishRemotes() {
    var usable: [RemoteScope] = []
    for block in blocks {
      if block.addresses.isEmpty {
        report(
          .warning, block.location ?? SourceLocation(file: ""), "this <connection> block has no remote and is left out")
      } else {
        usable.append(block)
      }
    }
    if usable.isEmpty {
      usable = [globals]
    } else if let outside = globals.addresses.first {
      report(.note, outside.location, "remotes outside the <connection> blocks do not count")
    }
    var remotes: [Remote] = []
    for scope in usable {
      let filled = scope.filled(from: globals)
      if let conflict = filled.conflictingWrap {
        report(
          .error, conflict, "tls-auth, tls-crypt and tls-crypt-v2 exclude each other; keep the one the server uses")
      }
      remotes += filled.addresses.map(filled.remote(at:))
    }
    if let forcedTransport {
      remotes.removeAll { $0.transport != forcedTransport }
      if remotes.isEmpty, let location = location(of: "proto-force") {
        report(.error, location, "`proto-force` leaves no remote")
        return
      }
    }
    if let stream = remotes.first(where: { $0.fragment != nil && $0.transport == .tcp }) {
      report(
        .error, location(of: "fragment") ?? stream.location,
        "`fragment` is for UDP only, and the server \(stream.host) is reached over TCP; leave it out there")
    }
    if remotes.count > ProfileLimits.remotes {
      report(
        .warning, remotes[ProfileLimits.remotes].location,
        "\(remotes.count) remotes; only the first \(ProfileLimits.remotes) are used")
      remotes.removeSubrange(ProfileLimits.remotes...)
    }
    profile.remotes = remotes
    if saysNoBind {
      for index in profile.remotes.indices { profile.remotes[index].localPort = nil }
    }
  }
}
