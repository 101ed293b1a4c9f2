package import Base

/// Says in the log when a gateway begins to refuse and how much it had refused when it opens again.
///
/// While a gateway is closed for long it speaks once an hour, and only when something was refused; while all are open it asks
/// for no wake-up.
package struct RefusalWatch {
  /// What one gateway does at this moment.
  package struct Facts: Hashable, Sendable {
    package var name: String
    /// The tunnel that should carry it.
    package var tunnel: String?
    /// Families that it covers and nothing carries.
    package var refused: Set<AddressFamily>

    package init(name: String, tunnel: String?, refused: Set<AddressFamily>) {
      self.name = name
      self.tunnel = tunnel
      self.refused = refused
    }
  }

  package struct Line: Hashable, Sendable {
    package var level: Note.Level
    package var gateway: String
    package var text: String

    package init(_ level: Note.Level, _ gateway: String, _ text: String) {
      self.level = level
      self.gateway = gateway
      self.text = text
    }
  }

  private struct Closure {
    var refused: Set<AddressFamily>
    var since: Instant
    /// Packets refused before it began.
    var before: UInt64
    /// As of the last line.
    var told: UInt64
    /// `nil` for what is refused for as long as the tunnel is as it is: a server without IPv6.
    var due: Instant?
  }

  package static let interval: Duration = .seconds(3_600)

  private var closed: [String: Closure] = [:]
  private var wasOpen: Set<String> = []

  package init() {}

  /// When to look again without an event.
  package var due: Instant? { closed.values.compactMap(\.due).min() }

  /// True when these facts, or the time, want a look at the counters.
  package func wantsLook(_ gateways: [Facts], at now: Instant) -> Bool {
    if due.map({ $0 <= now }) ?? false { return true }
    return gateways.contains { $0.refused != closed[$0.name]?.refused ?? [] }
      || closed.keys.contains { name in !gateways.contains { $0.name == name } }
  }

  /// - Parameter counts: refused packets of each gateway since its counter stands.
  package mutating func look(_ gateways: [Facts], counts: [String: UInt64], at now: Instant) -> [Line] {
    closed = closed.filter { name, _ in gateways.contains { $0.name == name } }
    var lines: [Line] = []
    for gateway in gateways {
      let count = counts[gateway.name] ?? 0
      let former = closed[gateway.name]
      guard gateway.refused != former?.refused ?? [] else {
        lines += stillClosed(gateway.name, count, at: now)
        continue
      }
      let isMoreOpen = former.map { gateway.refused.isStrictSubset(of: $0.refused) } ?? false
      if let former, isMoreOpen {
        lines.append(opened(gateway, former, count, at: now))
      } else {
        lines.append(began(gateway))
      }
      closed[gateway.name] =
        gateway.refused.isEmpty
        ? nil
        : Closure(
          refused: gateway.refused, since: now, before: count, told: count,
          due: gateway.refused.contains(.ipv4) ? now + Self.interval : nil)
      if !gateway.refused.contains(.ipv4) { wasOpen.insert(gateway.name) }
    }
    return lines
  }

  private mutating func began(_ gateway: Facts) -> Line {
    guard gateway.refused.contains(.ipv4) else {
      let reason = gateway.tunnel.map { "\($0) does not carry it" } ?? "no tunnel is there for it"
      return Line(.info, gateway.name, "refuses IPv6 that leaves the house: \(reason)")
    }
    // At the start it is the ordinary way of things.
    let level: Note.Level = wasOpen.remove(gateway.name) == nil ? .info : .warning
    let end = gateway.tunnel.map { "until \($0) is up" } ?? "since no tunnel is there for it"
    return Line(level, gateway.name, "refuses what leaves the house, \(end)")
  }

  private func opened(_ gateway: Facts, _ former: Closure, _ count: UInt64, at now: Instant) -> Line {
    let way = gateway.tunnel.map { " through \($0)" } ?? ""
    let but = gateway.refused.isEmpty ? "" : ", but for \(gateway.refused.contains(.ipv6) ? "IPv6" : "IPv4")"
    let packets = Self.packets(Self.rise(from: former.before, to: count))
    return Line(.info, gateway.name, "open\(way)\(but); \(packets) refused within \(Self.span(now - former.since))")
  }

  private mutating func stillClosed(_ name: String, _ count: UInt64, at now: Instant) -> [Line] {
    guard var closure = closed[name], let due = closure.due, due <= now else { return [] }
    closure.due = now + Self.interval
    let risen = Self.rise(from: closure.told, to: count)
    closure.told = count
    closed[name] = closure
    guard risen > 0 else { return [] }
    let span = Self.span(now - closure.since)
    return [Line(.info, name, "still closed after \(span); \(Self.packets(risen)) refused in the last hour")]
  }

  /// A counter that stands lower than before began anew.
  private static func rise(from before: UInt64, to now: UInt64) -> UInt64 { now >= before ? now - before : now }

  private static func packets(_ count: UInt64) -> String { count == 1 ? "1 packet was" : "\(count) packets were" }

  /// The larger unit alone is enough for a log.
  private static func span(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    if seconds < 120 { return "\(seconds) s" }
    return seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
  }
}
