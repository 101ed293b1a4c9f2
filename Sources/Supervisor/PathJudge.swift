package import Base

/// Tells a change of the way to one server from noise, by the kernel's answers alone.
///
/// A way that is there ends every doubt at once. A way that is gone gets a little time to come back: links flap, leases are
/// renewed by taking the address away first, and routes are replaced in two steps.
package struct PathJudge: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case same
    /// None now. That is no news yet, but nobody is to be blamed for silence meanwhile.
    case gone
    /// Another way; `nil` = none, for longer than a moment.
    case other(Path?)
    /// The same way after a gap: what stands beyond it may have forgotten us, and neighbours are asked for anew.
    case again(Path)
  }

  /// A way that is gone for less is not told as lost.
  package static let patience: Duration = .seconds(2)

  /// The way in use; `nil` = none, and that was told.
  private var way: PathAnswer?
  private var lostAt: Instant?

  package init() {}

  /// When the kernel is to be asked although nothing happens.
  package var askAt: Instant? { lostAt.map { $0 + Self.patience } }

  /// A new server: its first answer counts as it is.
  /// - Returns: the usable way.
  package mutating func begin(_ answer: PathAnswer?) -> Path? {
    way = Self.usable(answer)
    lostAt = nil
    return way?.path
  }

  /// - Parameter isOurs: whether an address still is one of this machine's.
  package mutating func take(_ answer: PathAnswer?, at now: Instant, isOurs: (IPAddress) -> Bool) -> Verdict {
    guard let new = Self.usable(answer) else { return lose(at: now) }
    let hadGap = lostAt != nil
    lostAt = nil
    guard let old = way else {
      way = new
      return .other(new.path)
    }
    way = new
    if new.path != old.path {
      guard Self.differsByPrivacy(new.path, old.path), let source = old.path.source, isOurs(source) else {
        return .other(new.path)
      }
      // Compared with the address in use from now on too: it goes one day.
      way?.path = old.path
    }
    return hadGap || new.index != old.index || new.carrierChanges != old.carrierChanges ? .again(new.path) : .same
  }

  private mutating func lose(at now: Instant) -> Verdict {
    guard way != nil else { return .same }
    guard let since = lostAt else {
      lostAt = now
      return .gone
    }
    guard now - since >= Self.patience else { return .same }
    way = nil
    lostAt = nil
    return .other(nil)
  }

  private static func usable(_ answer: PathAnswer?) -> PathAnswer? { answer.flatMap { $0.isUp ? $0 : nil } }

  /// IPv6 privacy (RFC 8981) prefers a fresh address of the same net now and then; what uses the former one goes on with it.
  private static func differsByPrivacy(_ new: Path, _ old: Path) -> Bool {
    guard new.device == old.device, new.gateway == old.gateway, case .v6(let one)? = new.source,
      case .v6(let other)? = old.source
    else { return false }
    return one.high == other.high
  }
}

/// When to ask: at once after an event, again when the events are over, and seldom enough in a storm of them.
package struct PathQuestion: Hashable, Sendable {
  /// Between two questions while events come without an end: a program that loads a table of routes makes thousands.
  package static let spacing: Duration = .milliseconds(20)
  /// After the last event: what an event announces may not hold yet where it is asked for.
  package static let settle: Duration = .milliseconds(100)

  private var soon: Instant?
  private var settled: Instant?
  private var asked: Instant?

  package init() {}

  package var askAt: Instant? { [soon, settled].compactMap { $0 }.min() }

  /// Something happened that may have changed a way.
  package mutating func notice(at now: Instant) {
    soon = soon ?? asked.map { max(now, $0 + Self.spacing) } ?? now
    settled = now + Self.settle
  }

  package mutating func ask(at now: Instant) {
    asked = now
    soon = nil
    if let due = settled, due <= now { settled = nil }
  }
}
