import Base
import Profile
import Settings

/// The network of one tunnel, worked out from what the profile says and the server pushed.
struct TunnelNetwork {
  /// One destination for table P or an exception from the tunnel.
  struct Target: Hashable {
    var prefix: IPPrefix
    var metric: UInt32 = 0
  }

  let state: TunnelState
  var mtu: Int
  /// True once there is a push: until then the tunnel carries nothing.
  let isConfigured: Bool
  var addresses: [InterfaceAddress] = []
  var gateway4: IPv4Address?
  var gateway6: IPv6Address?
  /// The server or the profile asks for everything of the family.
  var redirects4 = false
  var redirects6 = false
  var blocksIPv6 = false
  /// Destinations that go into this tunnel, for table P.
  private(set) var targets: [Target] = []
  private var destinations: Set<IPPrefix> = []
  /// Destinations that keep the ordinary way (`net_gateway`).
  var exceptions: [IPPrefix] = []
  /// The tunnel's own net or far end.
  var nets: [IPPrefix] = []
  var resolvers: [Endpoint] = []
  /// The same, with the names that each is for: empty = all, or `domains` where this tunnel is not for everything.
  var nameServers: [NameService.Forwarder] = []
  var domains: [DomainName] = []
  var warnings: [String] = []
  var fault: Fault?

  func carries(_ family: AddressFamily) -> Bool {
    isConfigured && fault == nil && addresses.contains { $0.prefix.family == family }
      && (family == .ipv4 || !blocksIPv6)
  }

  func redirects(_ family: AddressFamily) -> Bool { family == .ipv4 ? redirects4 : redirects6 }

  init(_ state: TunnelState, _ surroundings: Surroundings, in snapshot: Snapshot) {
    self.state = state
    let options = state.options
    mtu = state.mtu
    isConfigured = state.pushed != nil && state.profile != nil
    redirects4 = options.redirectGateway.map { $0.redirectsDefault && $0.ipv4 } ?? false
    redirects6 = options.redirectGateway.map { $0.redirectsDefault && $0.ipv6 } ?? false
    blocksIPv6 = options.blockIPv6

    if state.wantsDevice, let link = snapshot.link(named: state.device), !TunnelState.isOurs(link) {
      fault = Fault(.deviceTaken, state.device.text)
    }
    guard isConfigured, fault == nil else {
      takeDefaults(among: options.routes)
      return
    }
    setAddresses(options, surroundings)
    guard fault == nil else { return }
    guard !addresses.isEmpty else {
      fault = Fault(.noTunnelAddress)
      return
    }
    domains = options.dns.searchDomains
    if options.redirectGateway?.blockLocal ?? false {
      warn("block-local is ignored: it would cut this router off its own uplink")
    }
    setRoutes(options, surroundings)
    setResolvers(options.dns, surroundings)
  }

  /// Each destination once; the first word counts.
  mutating func add(_ target: Target) {
    if destinations.insert(target.prefix).inserted { targets.append(target) }
  }

  mutating func warn(_ text: String) { warnings.append("\(state.name): \(text)") }

  /// Before the push, a default in the profile already tells whether this tunnel is for everything.
  private mutating func takeDefaults(among routes: [RouteOption]) {
    let prefixes = routes.compactMap { route -> IPPrefix? in
      guard case .prefix(let prefix) = route.destination, route.gateway != .net else { return nil }
      return prefix
    }
    if Self.isEverything(prefixes, .ipv4) { redirects4 = true }
    if Self.isEverything(prefixes, .ipv6) { redirects6 = true }
  }

  /// True for a default, for two halves of it, and for all of IPv6 that is handed out (2000::/3).
  static func isEverything(_ prefixes: [IPPrefix], _ family: AddressFamily) -> Bool {
    let own = prefixes.filter { $0.family == family }
    let halves = Set(own.filter { $0.length == 1 }.map(\.network))
    return own.contains { $0.length == 0 } || halves.count == 2
      || own.contains { $0.family == .ipv6 && $0.length <= 3 && $0.contains(globalUnicast) }
  }

  /// 2000::/3, all of IPv6 that is routed in the world (RFC 4291 section 2.4).
  private static let globalUnicast = IPAddress.v6(IPv6Address(high: 0x2000_0000_0000_0000, low: 1))
}
