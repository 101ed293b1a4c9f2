import Base
import Profile

// What dnsmasq reads. Only typed values get here, so nothing that a stranger wrote can become syntax.
extension NameService.Dnsmasq {
  /// The snippet for its configuration directory. A change of it costs a restart.
  package var snippet: String {
    var lines = [DnsmasqPlace.firstLine]
    if isExclusive { lines.append("no-resolv") }
    lines.append("servers-file=\(place.serversFile)")
    if !trusted.isEmpty { lines.append("rebind-domain-ok=\(Self.path(trusted))") }
    lines += Self.lines(sets)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Of several lines that match a name dnsmasq takes the one with the longest domain alone: so each has the sets of all
  /// policies that its names concern.
  private static func lines(_ sets: DomainSets) -> [String] {
    zip(sets.domains, sets.targets).map { domain, targets in
      let places = targets.flatMap { target in
        AddressFamily.allCases.map { family in "\(family.digit)#inet#adit#\(sets.policies[target].set(family).name)" }
      }
      return "nftset=/\(domain)/\(places.joined(separator: ","))"
    }
  }

  /// It reads its configuration in lines of at most 1024 bytes (MAXDNAME in its src/dns-protocol.h), and a restart with more
  /// than this takes too long.
  package static func takes(_ sets: DomainSets) -> Bool {
    let lines = lines(sets)
    return lines.allSatisfy { $0.utf8.count < 1024 } && lines.reduce(0) { $0 + $1.utf8.count } <= 1 << 20
  }

  /// The servers, read again at every SIGHUP. Empty: every name that is not of the house is refused at once.
  package var servers: String {
    let lines = forwarders.flatMap { forwarder in
      forwarder.servers.map { server in
        let domains = forwarder.domains.isEmpty ? "" : Self.path(forwarder.domains)
        return "server=\(domains)\(server.address)" + (server.port == 53 ? "" : "#\(server.port)") + "\n"
      }
    }
    return lines.joined()
  }

  private static func path(_ domains: [DomainName]) -> String { "/" + domains.map(\.text).joined(separator: "/") + "/" }
}

extension NameService.LinkResolvers {
  /// resolv.conf(5), for the standard input of `resolvconf -a`.
  package var resolvConf: String {
    var lines = servers.map { "nameserver \($0.address)" }
    if !domains.isEmpty { lines.append("search \(domains.map(\.text).joined(separator: " "))") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `~corp.example`: only where to ask, no completion of short names; `~.` is every name (resolvectl(1)).
  package var routingDomains: [String] { (takesAll ? ["~."] : []) + domains.map { takesAll ? $0.text : "~\($0.text)" } }
}

extension NameService {
  /// A line each, as `adit plan` shows it.
  package var lines: [String] {
    var lines: [String] = []
    if let dnsmasq {
      lines += Self.lines(snippet: dnsmasq.snippet, in: dnsmasq.place.snippet)
      lines += Self.lines(servers: dnsmasq.servers, in: dnsmasq.place.serversFile)
    }
    lines += links.map { link in
      let servers = link.servers.map { $0.port == 53 ? $0.address.description : $0.description }
      return "names \(link.program.rawValue) \(link.device) \((servers + link.routingDomains).joined(separator: " "))"
    }
    return lines
  }

  package static func lines(snippet: String, in file: String) -> [String] {
    snippet.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { "names \(file): \($0)" }
  }

  package static func lines(servers: String, in file: String) -> [String] {
    servers.split(separator: "\n").map { "names \(file): \($0)" }
  }
}
