package import Base

/// Addresses, routes and DNS: the part that a profile and a push may both set.
package struct TunnelOptions: Hashable, Sendable {
  package enum Topology: String, Hashable, Sendable { case subnet, net30, p2p }

  package struct IPv4Configuration: Hashable, Sendable {
    package var local: IPv4Address
    /// A netmask with topology subnet, the peer otherwise (protocol.md section 13.6).
    package var second: IPv4Address

    package init(local: IPv4Address, second: IPv4Address) {
      self.local = local
      self.second = second
    }
  }

  package struct IPv6Configuration: Hashable, Sendable {
    /// Host bits kept.
    package var prefix: IPPrefix
    package var remote: IPv6Address?

    package init(prefix: IPPrefix, remote: IPv6Address?) {
      self.prefix = prefix
      self.remote = remote
    }
  }

  /// `nil` = not said, which means net30 on a client.
  package var topology: Topology?
  package var ipv4: IPv4Configuration?
  package var ipv6: IPv6Configuration?
  package var routeGateway: IPv4Address?
  package var routeGatewayIPv6: IPv6Address?
  package var routeMetric: UInt32?
  package var routes: [RouteOption] = []
  package var redirectGateway: RedirectGateway?
  package var blockIPv6 = false
  package var mtu: Int?
  package var dns = DNSOptions()

  package init() {}
}

package struct RouteOption: Hashable, Sendable {
  package enum Destination: Hashable, Sendable {
    /// Host bits already cleared.
    case prefix(IPPrefix)
    case vpnGateway
    case netGateway
    case remoteHost
    /// A host name; only a local profile may use one.
    case name(String)
  }

  package enum Gateway: Hashable, Sendable {
    /// Nothing said, or `vpn_gateway`.
    case vpn
    /// `net_gateway`: the ordinary way.
    case net
    case address(IPAddress)
  }

  package var destination: Destination
  package var family: AddressFamily
  package var gateway: Gateway
  package var metric: UInt32?
  package var isPushed: Bool

  package init(
    destination: Destination, family: AddressFamily = .ipv4, gateway: Gateway = .vpn, metric: UInt32? = nil,
    isPushed: Bool = false
  ) {
    self.destination = destination
    self.family = family
    self.gateway = gateway
    self.metric = metric
    self.isPushed = isPushed
  }
}

/// `redirect-gateway` and `redirect-private`; flags of several lines add up.
package struct RedirectGateway: Hashable, Sendable {
  /// False for `redirect-private`: everything but the default.
  package var redirectsDefault = true
  package var ipv4 = true
  package var ipv6 = false
  package var def1 = false
  package var local = false
  package var autolocal = false
  package var bypassDHCP = false
  package var bypassDNS = false
  package var blockLocal = false

  package init() {}
}

package struct DNSOptions: Hashable, Sendable {
  package struct Server: Hashable, Sendable {
    package var priority: Int
    package var addresses: [Endpoint] = []
    /// Empty = all names.
    package var domains: [DomainName] = []
    /// Wants DoT or DoH; such a server is taken out when the options are complete.
    package var isEncrypted = false

    package init(priority: Int) { self.priority = priority }
  }

  /// `dns server n …`; the lowest priority first.
  package var servers: [Server] = []
  /// `dns search-domains`, `dhcp-option DOMAIN`, `DOMAIN-SEARCH`, in order.
  package var searchDomains: [DomainName] = []
  /// `dhcp-option DNS`, `DNS6`, in order; used when `servers` is empty.
  package var addresses: [IPAddress] = []

  package init() {}
}

/// A name of letters, digits, hyphens and dots (LDH), lower case, at most 253 bytes: safe in a resolver's file.
package struct DomainName: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init?(_ text: some StringProtocol) {
    var name = text.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    guard (1...253).contains(name.utf8.count) else { return nil }
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard (1...63).contains(label.utf8.count), label.utf8.first != 45, label.utf8.last != 45,
        label.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95 })
      else { return nil }
    }
    self.text = name
  }

  package var description: String { text }
}
