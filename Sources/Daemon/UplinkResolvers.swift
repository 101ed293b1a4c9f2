package import Base
internal import IO

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
    for file in files {
      guard let content = try? TextFile.read(file, limit: largestFile) else { continue }
      let found = servers(in: String(decoding: content.bytes, as: UTF8.self)).filter { !pushed.contains($0) }
      if !found.isEmpty { return found.prefix(most).map { Endpoint(address: $0, port: 53) } }
    }
    return bootstrap.prefix(most).map { Endpoint(address: $0, port: 53) }
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
