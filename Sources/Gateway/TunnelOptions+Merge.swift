import Profile

extension TunnelOptions {
  /// The profile's own words with the push laid over them: single values are replaced, lists grow.
  static func merged(local: TunnelOptions, pushed: TunnelOptions?) -> TunnelOptions {
    guard let pushed else { return local }
    var result = local
    result.topology = pushed.topology ?? local.topology
    result.ipv4 = pushed.ipv4 ?? local.ipv4
    result.ipv6 = pushed.ipv6 ?? local.ipv6
    result.routeGateway = pushed.routeGateway ?? local.routeGateway
    result.routeGatewayIPv6 = pushed.routeGatewayIPv6 ?? local.routeGatewayIPv6
    result.routeMetric = pushed.routeMetric ?? local.routeMetric
    result.routes += pushed.routes
    if let theirs = pushed.redirectGateway {
      var flags = local.redirectGateway ?? theirs
      flags.redirectsDefault = flags.redirectsDefault || theirs.redirectsDefault
      flags.ipv4 = flags.ipv4 && theirs.ipv4
      flags.ipv6 = flags.ipv6 || theirs.ipv6
      flags.blockLocal = flags.blockLocal || theirs.blockLocal
      result.redirectGateway = flags
    }
    result.blockIPv6 = local.blockIPv6 || pushed.blockIPv6
    result.mtu = pushed.mtu ?? local.mtu
    if !pushed.dns.servers.isEmpty { result.dns.servers = pushed.dns.servers }
    if !pushed.dns.addresses.isEmpty { result.dns.addresses = pushed.dns.addresses }
    if !pushed.dns.searchDomains.isEmpty { result.dns.searchDomains = pushed.dns.searchDomains }
    return result
  }
}
