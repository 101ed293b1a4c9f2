package import Base
package import Settings

/// The addresses that servers' names had, for times without DNS: a boot behind a modem whose resolver is dead, or a DNS that
/// is only reachable through the tunnel (cases ).
///
/// Its text is kept on tmpfs: it need not outlive the machine, and a read-only disk is never written.
package struct AddressMemory: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// The one that a session last came up with first.
    package var addresses: [IPAddress]
    /// When DNS last gave them, or one of them last worked.
    package var time: WallTime
  }

  private struct Key: Hashable, Sendable {
    var tunnel: TunnelName
    var host: String
  }

  package static let mostNames = 256
  package static let mostAddresses = 16
  /// Bytes of its text.
  package static let largest = 256 << 10
  /// The time alone is not worth another write.
  private static let worthWriting: Int64 = 60
  private static let title = "adit addresses 1"
  private static let longestHost = 253

  private var entries: [Key: Entry] = [:]

  package init() {}

  /// - Returns: `nil` when nothing is known.
  package func entry(of host: String, for tunnel: TunnelName, family: AddressFamily?) -> Entry? {
    guard var entry = entries[Key(tunnel: tunnel, host: host)] else { return nil }
    entry.addresses.removeAll { family != nil && $0.family != family }
    return entry.addresses.isEmpty ? nil : entry
  }

  /// DNS gave these.
  /// - Returns: true when it is worth writing down.
  package mutating func found(
    _ addresses: [IPAddress], of host: String, for tunnel: TunnelName, at time: WallTime
  ) -> Bool {
    var usable = Self.usable(addresses)
    let key = Key(tunnel: tunnel, host: host)
    if let best = entries[key]?.addresses.first, let place = usable.firstIndex(of: best) {
      usable.insert(usable.remove(at: place), at: 0)
    }
    return set(usable, for: key, at: time)
  }

  /// A session is up at this address.
  /// - Returns: true when it is worth writing down.
  package mutating func worked(
    _ address: IPAddress, of host: String, for tunnel: TunnelName, at time: WallTime
  ) -> Bool {
    let key = Key(tunnel: tunnel, host: host)
    let others = entries[key]?.addresses.filter { $0 != address } ?? []
    return set(Self.usable([address] + others), for: key, at: time)
  }

  private mutating func set(_ addresses: [IPAddress], for key: Key, at time: WallTime) -> Bool {
    guard !addresses.isEmpty, Self.isHost(key.host) else { return false }
    let old = entries[key]
    let isOther =
      old?.addresses != addresses || abs(time.seconds.subtractingClamped(old?.time.seconds ?? 0)) >= Self.worthWriting
    guard isOther else { return false }
    entries[key] = Entry(addresses: addresses, time: time)
    while entries.count > Self.mostNames, let oldest = entries.min(by: { $0.value.time < $1.value.time }) {
      entries[oldest.key] = nil
    }
    return true
  }

  private static func usable(_ addresses: [IPAddress]) -> [IPAddress] {
    let usable = addresses.reduce(into: [IPAddress]()) { result, address in
      if !address.isUnspecified, !address.isMulticast, !result.contains(address) { result.append(address) }
    }
    return Array(usable.prefix(mostAddresses))
  }

  /// Letters, digits, hyphens, underscores and dots: what a name in DNS may hold, and no blank or line end.
  private static func isHost(_ text: some StringProtocol) -> Bool {
    (1...longestHost).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || [45, 46, 95].contains($0)
      }
  }
}

extension AddressMemory {
  /// One line a name: tunnel, name, seconds since 1970, addresses.
  package var text: String {
    let lines = entries.sorted { ($0.key.tunnel, $0.key.host) < ($1.key.tunnel, $1.key.host) }.map { key, entry in
      "\(key.tunnel) \(key.host) \(entry.time.seconds) "
        + entry.addresses.map(\.description).joined(separator: " ")
    }
    return ([Self.title] + lines).joined(separator: "\n") + "\n"
  }

  /// A line that is not as we write it is left out.
  package init(_ text: String) {
    var lines = text.split(separator: "\n")[...]
    guard lines.popFirst() == Self.title[...] else { return }
    for line in lines.prefix(Self.mostNames) {
      let words = line.split(separator: " ")
      guard words.count > 3, let tunnel = TunnelName(words[0]), Self.isHost(words[1]), let seconds = Int64(words[2])
      else { continue }
      let addresses = words.dropFirst(3).map { IPAddress($0) }
      guard !addresses.contains(nil) else { continue }
      let usable = Self.usable(addresses.compactMap { $0 })
      guard !usable.isEmpty else { continue }
      entries[Key(tunnel: tunnel, host: String(words[1]))] = Entry(
        addresses: usable, time: WallTime(seconds: seconds))
    }
  }
}

extension Int64 {
  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (result, overflow) = subtractingReportingOverflow(other)
    return overflow || result == .min ? .max : result
  }
}
