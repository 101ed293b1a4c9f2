package import Base

/// What the owner wrote into hosts(5): it answers before any name server, as everywhere else on the router.
package enum HostsFile {
  package static let path = "/etc/hosts"
  /// Some 30,000 lines; what is longer is a list against advertising.
  private static let largest = 1 << 20

  /// - Parameter family: `nil` = both.
  package static func addresses(of host: String, family: AddressFamily?) -> [IPAddress] {
    guard let file = try? TextFile.read(path, limit: largest) else { return [] }
    return addresses(of: host, family: family, in: file.bytes)
  }

  /// In the order of the file; what is blocked there (0.0.0.0, loopback) is no address of a server.
  package static func addresses(of host: String, family: AddressFamily?, in bytes: [UInt8]) -> [IPAddress] {
    let wanted = host.lowercased()
    var result: [IPAddress] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
      let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
      guard words.count >= 2, words.dropFirst().contains(where: { $0.lowercased() == wanted }),
        let address = IPAddress(words[0]), family == nil || address.family == family
      else { continue }
      if address.isUnspecified || address.isLoopback || address.isMulticast { continue }
      if !result.contains(address) { result.append(address) }
    }
    return result
  }
}
