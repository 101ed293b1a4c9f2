package import Base

/// What answers names on the router, as far as a plan must know it.
package struct ResolverFacts: Hashable, Sendable {
  package enum Program: Hashable, Sendable {
    case dnsmasq
    case resolved
    /// Any other, by the name of its process.
    case other(String)

    /// - Parameter command: the name of the process, which the kernel cuts after 15 letters.
    package init(command: String) {
      switch command {
      case "dnsmasq": self = .dnsmasq
      case "systemd-resolve", "systemd-resolved": self = .resolved
      default: self = .other(String(command.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }))
      }
    }
  }

  /// A socket of UDP port 53.
  package struct Listener: Hashable, Sendable {
    /// Unspecified: every address of the router.
    package var address: IPAddress
    package var program: Program
    package var process: Int32

    package init(address: IPAddress, program: Program, process: Int32) {
      self.address = address
      self.program = program
      self.process = process
    }
  }

  package var listeners: [Listener] = []
  /// How each dnsmasq that listens can be told, or why not, by its process.
  package var dnsmasq: [Int32: DnsmasqFacts] = [:]
  package var hasResolvectl = false
  package var hasResolvconf = false
  /// The uplink's own resolvers.
  package var uplink: [IPAddress] = []

  package init() {}

  /// Who answers at one of these addresses, dnsmasq before others.
  package func listener(at addresses: [IPAddress]) -> Listener? {
    let serving = listeners.filter { listener in
      listener.address.isUnspecified || addresses.contains(listener.address)
    }
    return serving.first { $0.program == .dnsmasq } ?? serving.first
  }
}

/// One running dnsmasq.
package struct DnsmasqFacts: Hashable, Sendable {
  /// `nil`: it cannot be told, and `trouble` says why.
  package var place: DnsmasqPlace?
  package var trouble: String?
  /// Its own configuration names servers, which it would ask beside ours.
  package var hasServers = false
  /// It drops answers with private addresses (`stop-dns-rebind`).
  package var stopsRebinding = false
  /// It was built with `nftset`.
  package var fillsSets = false

  package init(place: DnsmasqPlace? = nil, trouble: String? = nil) {
    self.place = place
    self.trouble = trouble
  }
}
