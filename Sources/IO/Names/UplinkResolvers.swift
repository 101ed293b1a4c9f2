package import Base

/// Finds the resolvers of the uplink: those that the ISP or the owner gave the router, never one that a tunnel pushed, never
/// the router's own loopback resolver, whose upstream may be the tunnel.
package enum UplinkResolvers {
  /// In this order: OpenWrt's file of automatic resolvers, systemd-resolved's uplink file, NetworkManager's, resolv.conf(5).
  package static let files = [
    "/tmp/resolv.conf.d/resolv.conf.auto", "/tmp/resolv.conf.auto", "/run/systemd/resolve/resolv.conf",
    "/run/NetworkManager/resolv.conf", "/etc/resolv.conf",
  ]

  private static let largestFile = 64 * 1024
  /// As many as resolv.conf(5) names, twice: v4 and v6.
  private static let most = 6

  /// - Parameters:
  ///   - bootstrap: `list bootstrap_dns`, used when no file gives one.
  ///   - pushed: addresses that a tunnel pushed.
  package static func find(bootstrap: [IPAddress], pushed: [IPAddress]) -> [Endpoint] {
    let texts = files.lazy.compactMap { file in
      (try? TextFile.read(file, limit: largestFile)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
    return choose(from: texts, bootstrap: bootstrap, pushed: pushed)
  }

  /// - Parameter texts: of the files, in order.
  package static func choose(
    from texts: some Sequence<String>, bootstrap: [IPAddress], pushed: [IPAddress]
  ) -> [Endpoint] {
    // Many a server pushes the public resolver that the uplink has too. Such a one is asked when there is no other: a
    // question without a resolver is a tunnel that never comes up again.
    var shared: [IPAddress] = []
    for text in texts {
      let all = servers(in: text)
      let found = all.filter { !pushed.contains($0) }
      if !found.isEmpty { return found.prefix(most).map { Endpoint(address: $0, port: 53) } }
      if shared.isEmpty { shared = all }
    }
    return (bootstrap.isEmpty ? shared : bootstrap).prefix(most).map { Endpoint(address: $0, port: 53) }
  }

  /// The `nameserver` lines of a resolv.conf(5), without loopback, link-local and nonsense.
  package static func servers(in text: String) -> [IPAddress] {
    var result: [IPAddress] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count >= 2, words[0] == "nameserver", let address = IPAddress(words[1]) else { continue }
      if address.isLoopback || address.isUnspecified || address.isLinkLocal || address.isMulticast { continue }
      if !result.contains(address) { result.append(address) }
    }
    return result
  }
}
