import Base
import Profile
import Settings

/// How the names of the house are resolved at this moment: who answers each gateway's LANs, and whom the router itself asks.
struct NameWays {
  enum Answering {
    /// Not ours to say.
    case ordinary
    /// The router's own resolver, whomever a device asked.
    case router
    /// The resolvers of this tunnel, whomever a device asked.
    case tunnel(TunnelNetwork)
    /// Whom a device asks, through this tunnel: no resolver is known there.
    case asAsked(TunnelNetwork)
    /// Nobody: its tunnel is down, and the router's resolver speaks through another one.
    case refused

    /// True when what a device learns comes from the resolver that it finds in the house.
    var isByOwnResolver: Bool {
      switch self {
      case .ordinary, .router: true
      case .tunnel, .asAsked, .refused: false
      }
    }
  }

  enum Upstream {
    case ordinary
    /// Through this tunnel: to its resolvers, or to whom the router asks when it has none.
    case tunnel(TunnelNetwork)
    case refused
  }

  var answering: [TunnelName: Answering] = [:]
  /// Gateways none of whose queries may leave the house beside a tunnel.
  var enforced: Set<TunnelName> = []
  var upstream = Upstream.ordinary
  var service = NameService()
  /// Gateways whose policies by domain get their addresses from dnsmasq.
  var filled: Set<TunnelName> = []
  var warnings: [String] = []
  /// Resolvers of the uplink that the router may ask for the names of time servers, while its clock is unset.
  var clockResolvers: [IPAddress] = []
}

extension Situation {
  /// Servers of a tunnel for all names: its own, else `bootstrap_dns`, reached through it.
  func resolvers(of tunnel: TunnelNetwork) -> [Endpoint] {
    let own = tunnel.nameServers.filter(\.domains.isEmpty).flatMap(\.servers)
    let all = own.isEmpty ? settings.globals.bootstrapDNS.map { Endpoint(address: $0, port: 53) } : own
    return all.filter { tunnel.carries($0.address.family) }.uniqued()
  }

  func resolver(of tunnel: TunnelNetwork, _ family: AddressFamily) -> Endpoint? {
    resolvers(of: tunnel).first { $0.address.family == family }
  }

  /// - Parameters:
  ///   - facts: who answers on this router; `nil` = not known, and then nobody does.
  ///   - snapshot: for the router's addresses on its LANs.
  func nameWays(_ facts: ResolverFacts?, _ snapshot: Snapshot) -> NameWays {
    var ways = NameWays()
    let enforced = gateways.filter { gateway in
      gateway.settings.dns != .off && families.contains { gateway.coversEverything($0) }
    }
    ways.enforced = Set(enforced.map(\.settings.name))
    let leading = enforced.first { $0.active?.isLive ?? false } ?? enforced.first { $0.active?.isConfigured ?? false }
    if let tunnel = leading?.active, tunnel.isLive {
      ways.upstream = .tunnel(tunnel)
    } else if !enforced.isEmpty {
      ways.upstream = .refused
    }
    for gateway in gateways {
      let listener = answerer(of: gateway, facts, snapshot)
      ways.answering[gateway.settings.name] =
        ways.enforced.contains(gateway.settings.name)
        ? answering(gateway, hasListener: listener != nil, leading: leading) : .ordinary
      ways.warnings += nameWarnings(gateway, listener, facts, isEnforced: ways.enforced.contains(gateway.settings.name))
    }
    if let facts { tell(facts, snapshot, leading, &ways) }
    return ways
  }

  /// Opened for a time while no tunnel carries it: what the ruleset lets out then goes to the uplink's resolvers.
  private func asksUplink(_ gateway: GatewayNetwork) -> Bool {
    !openings.router.isEmpty && gateway.lan.contains(where: openings.lan.contains) && !(gateway.active?.isLive ?? false)
  }

  private func answering(
    _ gateway: GatewayNetwork, hasListener: Bool, leading: GatewayNetwork?
  ) -> NameWays.Answering {
    let live = gateway.active.flatMap { $0.isLive ? $0 : nil }
    // dnsmasq is one: it serves the first gateway; another whose tunnel is another asks its own.
    let isLed = leading?.active.map { $0.state.name == gateway.active?.state.name } ?? true
    if gateway.settings.dns != .hijack, hasListener, isLed { return .router }
    guard let live else { return hasListener && !isLed && (leading?.active?.isLive ?? false) ? .refused : .ordinary }
    return resolvers(of: live).isEmpty ? .asAsked(live) : .tunnel(live)
  }

  private func answerer(
    of gateway: GatewayNetwork, _ facts: ResolverFacts?, _ snapshot: Snapshot
  ) -> ResolverFacts.Listener? {
    let devices = Set(gateway.lan)
    return facts?.listener(at: snapshot.addresses.filter { devices.contains($0.device) }.map(\.prefix.address))
  }

  // MARK: What the router's resolver is told

  private func tell(
    _ facts: ResolverFacts, _ snapshot: Snapshot, _ leading: GatewayNetwork?, _ ways: inout NameWays
  ) {
    guard !isArmedOnly else { return }
    let forwarders = forwarders(leading: leading?.active)
    let told = gateways.filter { [.auto, .dnsmasq].contains($0.settings.dns) }
    let listener = told.lazy.compactMap { answerer(of: $0, facts, snapshot) }.first { $0.program == .dnsmasq }
    if let listener, let dnsmasq = facts.dnsmasq[listener.process], let place = dnsmasq.place {
      let isEnforced = told.contains { ways.enforced.contains($0.settings.name) && !asksUplink($0) }
      // Before a server is known the ruleset refuses what dnsmasq asks, and it answers so at once: no restart for that.
      let hasServers = forwarders.contains { $0.domains.isEmpty }
      let asksTime = clockIsUnset && !dnsmasq.hasServers && !facts.uplink.isEmpty
      var service = NameService.Dnsmasq(place: place, isExclusive: isEnforced && (hasServers || asksTime))
      service.forwarders = service.isExclusive ? forwarders : forwarders.filter { !$0.domains.isEmpty }
      if dnsmasq.stopsRebinding { service.trusted = service.forwarders.flatMap { $0.domains }.uniqued() }
      if service.isExclusive, asksTime {
        let servers = facts.uplink.map { Endpoint(address: $0, port: 53) }
        service.forwarders.append(NameService.Forwarder(servers, for: Self.timeServers))
        ways.clockResolvers = facts.uplink
      }
      // While it waits for a server it answers nothing that a policy could concern.
      if dnsmasq.fillsSets, service.isExclusive || !isEnforced {
        let sets = DomainSets(settings.policyDomains)
        if NameService.Dnsmasq.takes(sets) { service.sets = sets }
      }
      if !service.sets.isEmpty {
        let served = told.map(\.settings.name).filter { ways.answering[$0]?.isByOwnResolver ?? false }
        ways.filled = Set(
          told.filter { answerer(of: $0, facts, snapshot)?.process == listener.process }.map(\.settings.name)
        ).intersection(served)
      }
      if service.isExclusive || !service.forwarders.isEmpty || !service.sets.isEmpty { ways.service.dnsmasq = service }
    }
    ways.service.links = links(facts)
  }

  /// Names of time servers as distributions set them; their subdomains are theirs too.
  private static let timeServers: [DomainName] =
    ["ntp.org", "time.cloudflare.com", "time.google.com", "ntp.ubuntu.com", "time.windows.com", "time.apple.com"]
    .compactMap { DomainName($0) }

  /// The leading tunnel's servers for all names, and every tunnel's for its own domains. Of a tunnel that reconnects they
  /// stay: the ruleset refuses meanwhile, and the cache lives on.
  private func forwarders(leading: TunnelNetwork?) -> [NameService.Forwarder] {
    var taken = Set<DomainName>()
    var result: [NameService.Forwarder] = []
    for tunnel in tunnels where tunnel.isConfigured && tunnel.fault == nil && !isSilent(tunnel) {
      for server in tunnel.nameServers {
        if tunnel.state.name == leading?.state.name, server.domains.isEmpty { continue }
        let domains = (server.domains.isEmpty ? tunnel.domains : server.domains).filter { taken.insert($0).inserted }
        if !domains.isEmpty { result.append(NameService.Forwarder(server.servers, for: domains)) }
      }
    }
    if let leading, leading.isConfigured {
      let servers = resolvers(of: leading)
      if !servers.isEmpty { result.insert(NameService.Forwarder(servers), at: 0) }
    }
    return result
  }

  /// Tunnels in which nobody needs to look for the addresses of policies' domains: dnsmasq has them for all their gateways.
  var unwatchedTunnels: Set<TunnelName> {
    let others = gateways.filter { !names.filled.contains($0.settings.name) }.flatMap(\.settings.tunnels)
    let filled = gateways.filter { names.filled.contains($0.settings.name) }.flatMap(\.settings.tunnels)
    return Set(filled).subtracting(others)
  }

  /// True when every gateway of the tunnel says `dns 'off'`.
  private func isSilent(_ tunnel: TunnelNetwork) -> Bool {
    let serving = gateways.filter { gateway in gateway.tunnels.contains { $0.state.name == tunnel.state.name } }
    return !serving.isEmpty && serving.allSatisfy { $0.settings.dns == .off }
  }

  private func links(_ facts: ResolverFacts) -> [NameService.LinkResolvers] {
    var seen = Set<DeviceName>()
    return gateways.compactMap { gateway in
      let program: NameService.LinkResolvers.Program
      switch gateway.settings.dns {
      case .resolved where facts.hasResolvectl: program = .resolved
      case .resolvconf where facts.hasResolvconf: program = .resolvconf
      default: return nil
      }
      guard let tunnel = gateway.active, tunnel.isConfigured, tunnel.fault == nil, tunnel.state.wantsDevice else {
        return nil
      }
      let takesAll = families.contains { gateway.coversEverything($0) }
      let forAll = resolvers(of: tunnel)
      let ofDomains = tunnel.nameServers.filter { !$0.domains.isEmpty }
      let servers = takesAll ? forAll + ofDomains.flatMap(\.servers) : tunnel.nameServers.flatMap(\.servers)
      guard !servers.isEmpty, seen.insert(tunnel.state.device).inserted else { return nil }
      return NameService.LinkResolvers(
        program: program, device: tunnel.state.device, servers: servers.uniqued(),
        domains: (tunnel.domains + ofDomains.flatMap(\.domains)).uniqued(), takesAll: takesAll && !forAll.isEmpty)
    }
  }

  // MARK: Words

  private func nameWarnings(
    _ gateway: GatewayNetwork, _ listener: ResolverFacts.Listener?, _ facts: ResolverFacts?, isEnforced: Bool
  ) -> [String] {
    guard let facts, gateway.settings.dns != .off else { return [] }
    let name = gateway.settings.name
    var result: [String] = []
    let dnsmasq = listener.flatMap { facts.dnsmasq[$0.process] }
    let instead = "queries are led to the tunnel's resolver on their way out instead"
    switch gateway.settings.dns {
    case .dnsmasq where listener?.program != .dnsmasq:
      result.append("\(name): no dnsmasq answers its LANs; \(instead)")
    case .auto, .dnsmasq:
      if let trouble = dnsmasq?.trouble { result.append("\(name): \(trouble); \(instead)") }
    case .resolved where !facts.hasResolvectl: result.append("\(name): resolvectl is not installed; \(instead)")
    case .resolvconf where !facts.hasResolvconf: result.append("\(name): resolvconf is not installed; \(instead)")
    default: break
    }
    guard isEnforced, let tunnel = gateway.active, tunnel.isLive else { return result }
    if tunnel.nameServers.allSatisfy({ !$0.domains.isEmpty }) {
      let fallback =
        resolvers(of: tunnel).isEmpty
        ? "names are asked of whoever is asked now, through the tunnel; `bootstrap_dns` would name a better one"
        : "`bootstrap_dns` is asked through the tunnel"
      result.append("\(name): the server of \(tunnel.state.name) gave no resolver; \(fallback)")
    } else if listener == nil, gateway.settings.dns != .hijack, !gateway.lan.isEmpty {
      result.append(
        "\(name): nothing on this router answers its LANs' queries; the tunnel's resolver knows no names of the LAN")
    }
    return result
  }
}

extension TunnelNetwork {
  /// True while data may flow through it.
  var isLive: Bool { isConfigured && fault == nil && state.isUp && state.wantsDevice }
}
