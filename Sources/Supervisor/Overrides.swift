package import Base
package import Profile
package import Settings

/// What the owner asked for at run time. It outlives the daemon, not the machine, and is never written into the configuration.
package struct Overrides: Hashable, Sendable {
  package enum Wish: Hashable, Sendable {
    case up, down
    /// `nil` = until it is resumed.
    case paused(until: Instant?)
  }

  package struct Entry: Hashable, Sendable {
    /// `nil` = as the configuration says.
    package var wish: Wish?
    /// `nil` = in the profile's order.
    package var remote: RemoteName?

    package init() {}
  }

  /// Bytes of its text.
  package static let largest = 64 << 10
  private static let title = "adit overrides 1"

  private var entries: [TunnelName: Entry] = [:]

  package init() {}

  package subscript(tunnel: TunnelName) -> Entry {
    get { entries[tunnel] ?? Entry() }
    set { entries[tunnel] = newValue == Entry() ? nil : newValue }
  }

  /// When the next pause is over.
  package var nextEnd: Instant? { entries.values.compactMap(\.end).min() }

  /// Ends the pauses whose time is over.
  /// - Returns: whose.
  package mutating func endPauses(at now: Instant) -> [TunnelName] {
    let over = entries.filter { $0.value.end.map { $0 <= now } ?? false }.map(\.key).sorted()
    for tunnel in over { self[tunnel].wish = nil }
    return over
  }
}

extension Overrides.Entry {
  fileprivate var end: Instant? { if case .paused(let until) = wish { until } else { nil } }
}

extension Overrides {
  /// - Parameter boot: tells this run of the machine from all others: times count from its start, and what the owner asked
  ///   for ends with it.
  package func text(boot: String) -> String {
    var lines = ["\(Self.title) \(boot)"]
    for (tunnel, entry) in entries.sorted(by: { $0.key < $1.key }) {
      switch entry.wish {
      case .up: lines.append("\(tunnel) up")
      case .down: lines.append("\(tunnel) down")
      case .paused(let until): lines.append("\(tunnel) paused \(until.map { String($0.nanoseconds) } ?? "-")")
      case nil: break
      }
      if let remote = entry.remote {
        lines.append("\(tunnel) use \(remote.port) \(remote.transport.rawValue) \(remote.host)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A line that is not as we write it is left out, and so is all of another run of the machine.
  package init(_ text: String, boot: String) {
    var lines = text.split(separator: "\n")[...]
    guard lines.popFirst() == "\(Self.title) \(boot)" else { return }
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count >= 2, let tunnel = TunnelName(words[0]) else { continue }
      switch (words[1], words.count) {
      case ("up", 2): self[tunnel].wish = .up
      case ("down", 2): self[tunnel].wish = .down
      case ("paused", 3):
        let moment = UInt64(words[2]).map(Instant.init(nanoseconds:))
        if moment != nil || words[2] == "-" { self[tunnel].wish = .paused(until: moment) }
      case ("use", 5):
        guard let port = UInt16(words[2]), let transport = Transport(rawValue: String(words[3])) else { continue }
        self[tunnel].remote = RemoteName(host: String(words[4]), port: port, transport: transport)
      default: break
      }
    }
  }
}

/// What tells one remote of a profile from its others, for people and over a change of the profile.
package struct RemoteName: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: UInt16
  package var transport: Transport

  package init(host: String, port: UInt16, transport: Transport) {
    self.host = host
    self.port = port
    self.transport = transport
  }

  package init(_ remote: Remote) {
    self.init(host: remote.host, port: remote.port, transport: remote.transport)
  }

  /// `vpn.example.net:1194/udp`.
  package var description: String { "\(place)/\(transport.rawValue)" }

  private var place: String {
    IPAddress(host).map { Endpoint(address: $0, port: port).description } ?? "\(host):\(port)"
  }

  /// What people may write for it.
  private func isMeant(by words: String) -> Bool {
    let bare = words.hasPrefix("[") && words.hasSuffix("]") ? String(words.dropFirst().dropLast()) : words
    return [host, place, description].contains { $0.lowercased() == words.lowercased() }
      || IPAddress(bare).map { $0 == IPAddress(host) } ?? false
  }

  /// - Parameter words: a number from 1, a host, `host:port` or `host:port/proto`.
  /// - Returns: the position of the first that fits.
  package static func position(of words: String, in remotes: [Remote]) -> Int? {
    if let number = Int(words) { return remotes.indices.contains(number - 1) ? number - 1 : nil }
    return remotes.firstIndex { RemoteName($0).isMeant(by: words) }
  }

  package func position(in remotes: [Remote]) -> Int? { remotes.firstIndex { RemoteName($0) == self } }
}
