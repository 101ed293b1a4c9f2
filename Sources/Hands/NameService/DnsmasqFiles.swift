import Base
import Gateway
import IO

/// Our two files of one dnsmasq: written whole, known again, removed.
struct DnsmasqFiles {
  let place: DnsmasqPlace

  private static let largest = 4 << 20

  /// The snippet as it lies there; `nil` when none does, or one that is not ours.
  var snippet: String? {
    guard let text = Self.text(place.snippet), text.hasPrefix(DnsmasqPlace.firstLine) else { return nil }
    return text
  }

  var servers: String? { Self.text(place.serversFile) }

  /// - Returns: false when the servers are as they were.
  func writeServers(_ text: String) throws(SystemFailure) -> Bool {
    guard servers != text else { return false }
    if place.serversFile.hasSuffix("/dnsmasq/servers") {
      // dnsmasq reads it as a user of its own; nothing secret is in it.
      try TextFile.makeDirectory(String(place.serversFile.dropLast("/servers".count)), mode: 0o755)
    }
    try TextFile.write(Array(text.utf8), to: place.serversFile, mode: 0o644)
    return true
  }

  /// The directory may lie on flash: the same text is not written twice.
  /// - Returns: false when it is as it was.
  func writeSnippet(_ text: String) throws(SystemFailure) -> Bool {
    guard snippet != text else { return false }
    guard TextFile.status(place.snippet) == nil || snippet != nil else {
      throw SystemFailure("write \(place.snippet), which somebody else made", 17)
    }
    // A draft that a crash leaves behind must be no configuration: dnsmasq passes over names that begin with a dot.
    let draft = "\(place.directory)/.\(DnsmasqPlace.fileName)"
    try TextFile.write(Array(text.utf8), to: place.snippet, mode: 0o644, draft: draft)
    return true
  }

  /// - Returns: true when a snippet of ours was there.
  func remove() throws(SystemFailure) -> Bool {
    let isOurs = snippet != nil
    if isOurs { try TextFile.remove(place.snippet) }
    try TextFile.remove(place.serversFile)
    return isOurs
  }

  private static func text(_ path: String) -> String? {
    (try? TextFile.read(path, limit: largest)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
