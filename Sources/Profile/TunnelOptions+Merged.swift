extension TunnelOptions {
  /// What a profile says, with what the server pushed laid over it: single values are replaced, lists and flags add up,
  /// the profile's own first; a pushed `dns server` replaces the local one of the same number (protocol.md 13.7).
  package static func merged(local: TunnelOptions, pushed: TunnelOptions) -> TunnelOptions {
    var result = local
    result.topology = pushed.topology ?? local.topology
    result.ipv4 = pushed.ipv4 ?? local.ipv4
    result.ipv6 = pushed.ipv6 ?? local.ipv6
    result.routeGateway = pushed.routeGateway ?? local.routeGateway
    result.routeGatewayIPv6 = pushed.routeGatewayIPv6 ?? local.routeGatewayIPv6
    result.routeMetric = pushed.routeMetric ?? local.routeMetric
    result.mtu = pushed.mtu ?? local.mtu
    result.routes += pushed.routes
    result.blockIPv6 = local.blockIPv6 || pushed.blockIPv6
    if let theirs = pushed.redirectGateway { result.redirectGateway = local.redirectGateway?.union(theirs) ?? theirs }
    result.dns = local.dns.overlaid(with: pushed.dns)
    return result
  }
}

extension RedirectGateway {
  fileprivate func union(_ other: RedirectGateway) -> RedirectGateway {
    var result = self
    result.redirectsDefault = redirectsDefault || other.redirectsDefault
    // `!ipv4` is a flag too: said once, it counts.
    result.ipv4 = ipv4 && other.ipv4
    result.ipv6 = ipv6 || other.ipv6
    result.def1 = def1 || other.def1
    result.local = local || other.local
    result.autolocal = autolocal || other.autolocal
    result.bypassDHCP = bypassDHCP || other.bypassDHCP
    result.bypassDNS = bypassDNS || other.bypassDNS
    result.blockLocal = blockLocal || other.blockLocal
    return result
  }
}

extension DNSOptions {
  fileprivate func overlaid(with other: DNSOptions) -> DNSOptions {
    var result = self
    result.servers.removeAll { server in other.servers.contains { $0.priority == server.priority } }
    result.servers = (result.servers + other.servers).sorted { $0.priority < $1.priority }
    result.searchDomains += other.searchDomains.filter { !searchDomains.contains($0) }
    result.addresses += other.addresses.filter { !addresses.contains($0) }
    return result
  }
}
