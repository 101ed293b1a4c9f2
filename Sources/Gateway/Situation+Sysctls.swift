import Base
import Settings

extension Situation {
  /// In the order they must be set: what protects first, forwarding last.
  var sysctls: [NetworkPlan.Sysctl] {
    var result: [NetworkPlan.Sysctl] = []
    func set(_ path: String, _ value: String) { result.append(NetworkPlan.Sysctl(path, value)) }

    for tunnel in sessions {
      // Else deleting the old address of a net takes the new one with it (ip-sysctl.rst).
      set("net/ipv4/conf/\(tunnel.state.device)/promote_secondaries", "1")
      // `conf/default` may keep IPv6 off new devices, and then the kernel refuses the address.
      if tunnel.addresses.contains(where: { $0.prefix.family == .ipv6 }) {
        set("net/ipv6/conf/\(tunnel.state.device)/disable_ipv6", "0")
      }
    }
    // A strict rp_filter asks with the mark that prerouting gave, not without: as if the answer had come in by the LAN, whose
    // way is closed while nothing but a pass, a policy or a port forward has one.
    set("net/ipv4/conf/all/src_valid_mark", "1")
    if takesRouter {
      // The router's own answers look for their way before any chain can mark them.
      set("net/ipv4/tcp_fwmark_accept", "1")
      set("net/ipv4/fwmark_reflect", "1")
      if surroundings.hasIPv6 { set("net/ipv6/fwmark_reflect", "1") }
    }
    let oneArmed = surroundings.oneArmed.sorted()
    if !oneArmed.isEmpty {
      // The way in is the way out; a redirect would send the LAN past the tunnel. The kernel ORs `all` with the device's.
      set("net/ipv4/conf/all/send_redirects", "0")
      for device in oneArmed { set("net/ipv4/conf/\(device)/send_redirects", "0") }
    }
    let serving = gateways.filter { !$0.lan.isEmpty }
    // Without a tunnel to forward into, whether the router forwards is not ours to say.
    let named = policies.compactMap { policy -> TunnelNetwork.ID? in
      if case .tunnel(let tunnel)? = policy.way { tunnel } else { nil }
    }
    guard !serving.isEmpty || !named.isEmpty, !isArmedOnly else { return result }
    set("net/ipv4/ip_forward", "1")
    // For a tunnel in reserve too: hosts drop a router that stops to forward (RFC 4861 section 7.2.5), and would miss it
    // when IPv6 comes back.
    let forwardsIPv6 = serving.contains { gateway in
      gateway.settings.ipv6 == .auto && gateway.tunnels.contains { $0.carries(.ipv6) }
    }
    if surroundings.hasIPv6, forwardsIPv6 || named.contains(where: { $0.families.contains(.ipv6) }) {
      // A router ignores advertisements at 1, and would lose the uplink's IPv6 (ip-sysctl.rst).
      for device in surroundings.advertised.sorted() { set("net/ipv6/conf/\(device)/accept_ra", "2") }
      set("net/ipv6/conf/all/forwarding", "1")
    }
    return result
  }

  private var takesRouter: Bool {
    families.contains { family in
      (routerGateway?.coversEverything(family) ?? false) || routerTunnel(family) != nil
    }
  }
}
