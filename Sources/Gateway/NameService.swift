package import Base
package import Profile

/// What the router's own resolver is to be told, as a plain value; `Hands` does it and takes it back.
package struct NameService: Hashable, Sendable {
  /// `nil`: dnsmasq stays as its owner set it up.
  package var dnsmasq: Dnsmasq?
  /// What systemd-resolved or resolvconf(8) knows of our devices.
  package var links: [LinkResolvers] = []

  package init() {}

  /// Servers for some names, or for all others.
  package struct Forwarder: Hashable, Sendable {
    package var servers: [Endpoint]
    /// With their subdomains; empty = every name that no other forwarder takes.
    package var domains: [DomainName]

    package init(_ servers: [Endpoint], for domains: [DomainName] = []) {
      self.servers = servers
      self.domains = domains
    }
  }

  /// Two files: a snippet that dnsmasq reads at its start, and the servers, which it reads again at SIGHUP.
  package struct Dnsmasq: Hashable, Sendable {
    package var place: DnsmasqPlace
    /// True when no server of the router's own counts any more (`no-resolv`): a leftover resolv-file would take all
    /// queries otherwise.
    package var isExclusive: Bool
    package var forwarders: [Forwarder] = []
    /// Domains whose answers may be private addresses, where dnsmasq drops such answers.
    package var trusted: [DomainName] = []
    /// Domains of policies, whose addresses it puts into our sets before it answers.
    package var sets = DomainSets()

    package init(place: DnsmasqPlace, isExclusive: Bool) {
      self.place = place
      self.isExclusive = isExclusive
    }
  }

  package struct LinkResolvers: Hashable, Sendable {
    package enum Program: String, Hashable, Sendable { case resolved, resolvconf }

    package var program: Program
    package var device: DeviceName
    package var servers: [Endpoint]
    package var domains: [DomainName]
    /// True when every other name goes to these servers too.
    package var takesAll: Bool

    package init(
      program: Program, device: DeviceName, servers: [Endpoint], domains: [DomainName], takesAll: Bool
    ) {
      self.program = program
      self.device = device
      self.servers = servers
      self.domains = domains
      self.takesAll = takesAll
    }
  }
}

/// Where our files must lie so that a running dnsmasq reads them, and how it is restarted.
package struct DnsmasqPlace: Hashable, Sendable {
  /// A directory that dnsmasq reads configuration from.
  package var directory: String
  /// The file of servers, where dnsmasq sees it.
  package var serversFile: String
  package var restart: Restart

  package init(directory: String, serversFile: String, restart: Restart) {
    self.directory = directory
    self.serversFile = serversFile
    self.restart = restart
  }

  package enum Restart: Hashable, Sendable {
    /// The unit that it runs in.
    case systemd(String)
    /// /etc/init.d/dnsmasq.
    case initScript
  }

  package static let fileName = "adit.conf"
  /// By its first line a file is known as ours, also when a power failure took the undo journal.
  package static let firstLine =
    "# Written by adit; it is removed when the tunnel ends, by `adit cleanup`, or at the next start."

  package var snippet: String { directory + "/" + Self.fileName }
}
