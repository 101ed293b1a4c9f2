import Base
import Control
import Settings

/// The way out: uplink, servers, resolvers, and the daemon's own word.
extension Doctor {
  var uplink: [Finding] {
    let ways = AddressFamily.allCases.compactMap { family in facts.uplinks[family].map { (family, $0) } }
    guard !ways.isEmpty else {
      return [
        Finding(
          .uplink, .problem, "there is no way out: no default route for our own packets",
          remedy: "bring up the WAN; `ip route show default` must say something")
      ]
    }
    return ways.map { family, path in
      let gateway = path.gateway.map { " by \($0)" } ?? ""
      let link = facts.snapshot.link(named: path.device)
      if let link, !link.isUp || !link.hasCarrier {
        return Finding(
          .uplink, .problem, "\(family.name) leaves by \(path.device)\(gateway), which has no carrier",
          remedy: "look at the cable or the modem")
      }
      if let mtu = link?.mtu, mtu < 1280 {
        return Finding(
          .uplink, .warning, "\(family.name) leaves by \(path.device)\(gateway), whose MTU is only \(mtu)",
          remedy: "IPv6 needs 1280 (RFC 8200 section 5), and every tunnel inside gets less")
      }
      let mtu = link.map { ", MTU \($0.mtu)" } ?? ""
      return Finding(.uplink, .ok, "\(family.name) leaves by \(path.device)\(gateway)\(mtu)")
    }
  }

  /// One line a tunnel: of a provider's hundred servers one reachable is enough.
  var servers: [Finding] {
    let tunnels = facts.settings.tunnels.filter(\.isEnabled)
    guard !tunnels.isEmpty else { return [Finding(.server, .warning, "no tunnel is enabled")] }
    return tunnels.map { tunnel in
      if let status = facts.daemon?.tunnels.first(where: { $0.name == tunnel.name.text }) { return word(of: status) }
      let servers = facts.servers.filter { $0.tunnel == tunnel.name }
      guard let first = servers.first else {
        return Finding(
          .server, .problem, "\(tunnel.name): no server is known, since the section or the profile has errors",
          remedy: "`adit check` says them")
      }
      let known = servers.filter { $0.address != nil }
      guard !known.isEmpty else {
        return Finding(.server, .ok, "\(tunnel.name): \(first.host) is looked up when it connects")
      }
      if let reachable = known.first(where: { $0.path != nil }), let path = reachable.path {
        return Finding(.server, .ok, "\(tunnel.name): \(reachable.host) is reached by \(path.device)")
      }
      guard known.count == servers.count else {
        return Finding(
          .server, .warning, "\(tunnel.name): no route leads to \(known[0].host), but other servers are named",
          remedy: "bring up the uplink for it, or leave that server out of the profile")
      }
      return Finding(
        .server, .problem, "\(tunnel.name): no route leads to its server \(known[0].host)",
        remedy: "bring up the uplink; `ip route get \(known[0].host)` must say something")
    }
  }

  private func word(of status: TunnelStatus) -> Finding {
    let name = status.name
    switch status.status {
    case .connected where status.lastError == nil:
      let host = status.remote.address ?? status.remote.host
      return Finding(.server, .ok, "\(name): connected" + (host.map { " to \($0)" } ?? ""))
    case .disconnected where status.lastError == nil, .disconnecting:
      return Finding(.server, .ok, "\(name): \(status.status.rawValue), as asked")
    default:
      let words = status.lastError.map { ": \($0.line)" } ?? ""
      let known = status.evidence.isEmpty ? "" : "; known from \(status.evidence.joined(separator: ", "))"
      let state: Finding.State =
        status.status == .invalid || (status.lastError?.isFatal ?? false) ? .problem : .warning
      return Finding(
        .server, state, "\(name): \(status.status.rawValue)\(words)\(known)",
        remedy: status.lastError.flatMap { Fault.Code(rawValue: $0.code)?.entry.remedy }.map(Self.withoutStop))
    }
  }

  /// How large the packets inside may be.
  var sizes: [Finding] {
    let known = (facts.daemon?.tunnels ?? []).compactMap { tunnel in
      tunnel.status == .connected ? tunnel.mtu.map { (tunnel.name, $0) } : nil
    }
    guard !known.isEmpty else {
      return [Finding(.mtu, .ok, "what a tunnel's path takes is measured when it connects")]
    }
    return known.map { name, mtu in
      guard mtu < 1280 else { return Finding(.mtu, .ok, "\(name): packets of up to \(mtu) bytes pass inside") }
      return Finding(
        .mtu, .warning, "\(name): packets of only up to \(mtu) bytes pass inside, too few for IPv6",
        remedy: "a link on the way is narrow: try another uplink, or a remote over TCP, which cuts its packets itself")
    }
  }

  private static func withoutStop(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

  var resolvers: [Finding] {
    guard facts.resolvers.isEmpty else {
      let list = facts.resolvers.map(\.address.description).joined(separator: ", ")
      guard !facts.resolvers.allSatisfy({ facts.silentResolvers.contains($0.address) }) else {
        return [
          Finding(
            .resolvers, .warning, "names of servers are looked up at \(list), and there is no answer",
            remedy: Self.withoutStop(Fault.Code.resolverSilent.entry.remedy))
        ]
      }
      return [Finding(.resolvers, .ok, "names of servers are looked up at \(list)")]
    }
    guard facts.servers.contains(where: { $0.address == nil }) else {
      return [Finding(.resolvers, .ok, "no resolver of the uplink is known, and no server needs one")]
    }
    return [
      Finding(
        .resolvers, .problem, "no resolver of the uplink is known, and servers are given by name",
        remedy: "set `list bootstrap_dns` in `globals` to a resolver that the uplink reaches")
    ]
  }

  /// The last of the chain of what a tunnel rests on.
  private var insideNames: [Finding] {
    facts.innerResolvers.map { resolver in
      guard !resolver.answers else {
        return Finding(.dns, .ok, "\(resolver.tunnel): the resolver \(resolver.address) inside the tunnel answers")
      }
      let fault = Fault(.innerResolverSilent, "\(resolver.address) inside the tunnel")
      return Finding(
        .dns, .warning, "\(resolver.tunnel): \(fault.sentence)", remedy: Self.withoutStop(fault.code.entry.remedy))
    }
  }

  /// Who answers the LAN's own queries, and whether those can who are asked inside.
  var nameService: [Finding] { houseNames + insideNames }

  private var houseNames: [Finding] {
    guard !facts.nameServers.isEmpty else {
      return [
        Finding(
          .dns, .ok,
          "nobody listens on port 53 here: the LAN's queries are sent on to the tunnel's resolver as they are")
      ]
    }
    let programs = Set(facts.nameServers.map { $0.program ?? "a program that cannot be named" }).sorted()
    let onlyInside = facts.nameServers.allSatisfy(\.address.isLoopback)
    let place = onlyInside ? "on port 53 of the loopback only, which no device of the LAN reaches" : "on port 53"
    return [Finding(.dns, .ok, "\(programs.joined(separator: ", ")) listens \(place)")]
  }

  var daemon: [Finding] {
    if facts.daemon != nil { return [Finding(.daemon, .ok, "a daemon runs")] }
    if let failure = facts.daemonFailure {
      return [Finding(.daemon, .problem, "the daemon cannot be asked: \(failure)", remedy: "restart it")]
    }
    return [
      Finding(
        .daemon, .ok,
        facts.hasTable
          ? "no daemon runs, and the LANs of the gateways are closed: armed" : "no daemon runs, and nothing is armed")
    ]
  }
}
