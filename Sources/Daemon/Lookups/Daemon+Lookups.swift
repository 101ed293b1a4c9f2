internal import Base
internal import ConfigDirectory
internal import Exchange
internal import Gateway
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

/// Servers' names: hosts(5) first, then DNS by the uplink's own resolvers, then what is remembered.
extension Daemon {
  func resolve(_ attempt: Attempt, _ question: String, _ family: AddressFamily?, of tunnel: TunnelRun, at now: Instant)
  {
    let way = beginPath(of: tunnel, to: nil, at: now)
    let resolvers = uplinkResolvers(by: way)
    // The longest, for one remote's name may end another's.
    let hosts = tunnel.loaded.profile?.remotes.map(\.host).filter { question == $0 || question.hasSuffix("." + $0) }
    let host = hosts?.max { $0.utf8.count < $1.utf8.count } ?? question
    var lookup = Lookup(
      attempt: attempt, question: question, host: host, family: family, resolvers: resolvers, began: now,
      looksAt: now + Lookup.interval)
    let written = HostsFile.addresses(of: question, family: family)
    if !written.isEmpty {
      (lookup.isTold, lookup.isHeard, lookup.isFound) = (true, true, true)
      tunnel.lookup = lookup
      log.log(.info, "\(question) has the address \(written[0]) in \(HostsFile.path)", of: tunnel.name.text, at: now)
      tell(tunnel, .path(way), at: now)
      tell(tunnel, .resolved(attempt, addresses: written, fault: nil), at: now)
      return
    }
    tunnel.lookup = lookup
    ask(lookup, of: tunnel, at: now)
    tell(tunnel, .path(way), at: now)
  }

  private func ask(_ lookup: Lookup, of tunnel: TunnelRun, at now: Instant) {
    send(
      .resolve(
        ResolveOrder(
          attempt: lookup.attempt, host: lookup.question, family: lookup.family, resolvers: lookup.resolvers)),
      to: tunnel, at: now)
  }

  /// Those of the uplink, never a tunnel's.
  func uplinkResolvers(by path: Path?) -> [Endpoint] {
    let pushed = runs.compactMap { $0.pushed?.tunnel.dns }.flatMap { dns in
      dns.addresses + dns.servers.flatMap { $0.addresses.map(\.address) }
    }
    return UplinkResolvers.find(bootstrap: settings.globals.bootstrapDNS, pushed: pushed, by: path)
  }

  /// What an engine says of the name: only of the one that it was asked for, and once.
  func take(
    _ attempt: Attempt, _ question: String, _ addresses: [IPAddress], _ fault: Fault?, of tunnel: TunnelRun,
    at now: Instant
  ) {
    guard var lookup = tunnel.lookup, lookup.attempt == attempt, lookup.question == question, !lookup.isHeard else {
      return
    }
    lookup.isHeard = true
    lookup.isFound = !addresses.isEmpty
    tunnel.lookup = lookup
    if let first = addresses.first {
      let more = addresses.count > 1 ? " and \(addresses.count - 1) more" : ""
      log.log(Note(.resolved, question, first.description + more), of: tunnel.name.text, at: now)
      tunnel.saysRemembered = true
      serverAddresses.keep { $0.found(addresses, of: lookup.host, for: tunnel.name, at: Clock.wallTime) }
    }
    guard !lookup.isTold else { return }
    if addresses.isEmpty, tellRemembered(lookup, fault, of: tunnel, at: now) { return }
    tunnel.lookup?.isTold = true
    let reason = Self.reason(fault).map { "\(question): \($0.rawValue)" } ?? question
    tell(tunnel, .resolved(attempt, addresses: addresses, fault: fault.map { Fault($0.code, reason) }), at: now)
  }

  /// The engine's words are a stranger's: only those that are ours are said again.
  private static func reason(_ fault: Fault?) -> Resolver.Failure? {
    Resolver.Failure.allCases.first { fault?.detail?.hasSuffix($0.rawValue) ?? false }
  }

  /// - Returns: false when nothing is remembered.
  private func tellRemembered(_ lookup: Lookup, _ fault: Fault?, of tunnel: TunnelRun, at now: Instant) -> Bool {
    guard let entry = serverAddresses.memory.entry(of: lookup.host, for: tunnel.name, family: lookup.family) else {
      return false
    }
    tunnel.lookup?.isTold = true
    if tunnel.saysRemembered {
      tunnel.saysRemembered = false
      let isDenied = [.noSuchName, .noAddress].contains(Self.reason(fault))
      log.log(
        Note(
          .remembered, isDenied ? "DNS knows no address of \(lookup.question)" : "DNS does not answer",
          LocalClock.text(entry.time, now: Clock.wallTime)), of: tunnel.name.text, at: now)
    }
    tell(tunnel, .resolved(lookup.attempt, addresses: entry.addresses, fault: nil), at: now)
    return true
  }

  /// The server's address carries a session: the next time without DNS begins with it.
  func rememberServer(of tunnel: TunnelRun) {
    guard let remote = tunnel.supervisor.remote, let remotes = tunnel.loaded.profile?.remotes,
      remotes.indices.contains(remote.index)
    else { return }
    let host = remotes[remote.index].host
    guard IPAddress(host) == nil else { return }
    serverAddresses.keep { $0.worked(remote.endpoint.address, of: host, for: tunnel.name, at: Clock.wallTime) }
  }

  var nextLookupWake: Instant? { runs.compactMap(lookupWake).min() }

  private func lookupWake(_ tunnel: TunnelRun) -> Instant? {
    guard let lookup = tunnel.lookup, !lookup.isFound, !tunnel.supervisor.isIdle, !tunnel.supervisor.isUp else {
      return nil
    }
    let isRemembered =
      !lookup.isTold && serverAddresses.memory.entry(of: lookup.host, for: tunnel.name, family: lookup.family) != nil
    return isRemembered ? min(lookup.looksAt, lookup.began + Lookup.patience) : lookup.looksAt
  }

  func followLookups(at now: Instant) {
    for tunnel in runs {
      guard let due = lookupWake(tunnel), due <= now, let lookup = tunnel.lookup else { continue }
      if !lookup.isTold, now >= lookup.began + Lookup.patience,
        tellRemembered(lookup, nil, of: tunnel, at: now)
      {
        continue
      }
      tunnel.lookup?.looksAt = now + Lookup.interval
      let resolvers = uplinkResolvers(by: anyPath)
      guard resolvers != lookup.resolvers else { continue }
      tunnel.lookup?.resolvers = resolvers
      log.log(.info, "the uplink has other resolvers: asking again", of: tunnel.name.text, at: now)
      if !lookup.isHeard, let fresh = tunnel.lookup {
        ask(fresh, of: tunnel, at: now)
      } else if tunnel.supervisor.lastFailure?.fault.code.entry.blame == .network {
        // Ends the pause; that after a refused login is another remote's, and stays.
        tell(tunnel, .up, at: now)
      }
    }
  }
}
