package import Base

/// Finds the resolvers of the uplink: those that the ISP or the owner gave the router, never one that a tunnel pushed, never
/// the router's own loopback resolver, whose upstream may be the tunnel.
package enum UplinkResolvers {
  /// In this order: OpenWrt's file of automatic resolvers, systemd-resolved's uplink file, NetworkManager's, resolv.conf(5).
  package static let files = [
    "/tmp/resolv.conf.d/resolv.conf.auto", "/tmp/resolv.conf.auto", "/run/systemd/resolve/resolv.conf",
    "/run/NetworkManager/resolv.conf", "/etc/resolv.conf",
  ]

  static let largestFile = 64 * 1024
  /// As many as resolv.conf(5) names, twice: v4 and v6.
  private static let most = 6

  /// - Parameters:
  ///   - bootstrap: `list bootstrap_dns`, used when no file gives one.
  ///   - pushed: addresses that a tunnel pushed.
  ///   - path: the way to the server: the resolvers of its uplink are asked before those of another.
  package static func find(bootstrap: [IPAddress], pushed: [IPAddress], by path: Path? = nil) -> [Endpoint] {
    let own = path.map { LeaseFiles.servers(of: $0.device) } ?? []
    return choose(own: own, from: files.lazy.compactMap(text), bootstrap: bootstrap, pushed: pushed, by: path)
  }

  static func text(of file: String) -> String? {
    (try? TextFile.read(file, limit: largestFile)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// - Parameters:
  ///   - own: what the uplink's lease names.
  ///   - texts: of the files, in order.
  package static func choose(
    own: [IPAddress] = [], from texts: some Sequence<String>, bootstrap: [IPAddress], pushed: [IPAddress],
    by path: Path? = nil
  ) -> [Endpoint] {
    // Many a server pushes the public resolver that the uplink has too. Such a one is asked when there is no other: a
    // question without a resolver is a tunnel that never comes up again.
    var shared = own
    var found = own.filter { !pushed.contains($0) }
    for text in texts {
      let all = servers(in: text)
      let fresh = all.filter { !pushed.contains($0) }
      if shared.isEmpty { shared = all }
      guard !fresh.isEmpty else { continue }
      found += fresh.filter { !found.contains($0) }
      break
    }
    if found.isEmpty { found = bootstrap.isEmpty ? shared : bootstrap }
    // Most home routers are the resolver of their own network.
    let near = found.filter { $0 == path?.gateway }
    return (near + found.filter { $0 != path?.gateway }).prefix(most).map { Endpoint(address: $0, port: 53) }
  }

  /// The `nameserver` lines of a resolv.conf(5), without loopback, link-local and nonsense.
  package static func servers(in text: String) -> [IPAddress] {
    usable(
      text.split(whereSeparator: \.isNewline).compactMap { line in
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        return words.count >= 2 && words[0] == "nameserver" ? IPAddress(words[1]) : nil
      })
  }

  static func usable(_ addresses: [IPAddress]) -> [IPAddress] {
    addresses.reduce(into: []) { result, address in
      if address.isLoopback || address.isUnspecified || address.isLinkLocal || address.isMulticast { return }
      if !result.contains(address) { result.append(address) }
    }
  }
}
