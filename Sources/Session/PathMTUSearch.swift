package import Base

/// Finds the largest inner packet that passes both ways, with padded echoes to the VPN gateway that nobody may fragment
/// (in the manner of RFC 8899). Pure: says what to send and when, and is told what came back.
///
/// A lost probe is no verdict: a size counts as too large only when it was lost three times while a small echo sent beside
/// it came back, or when the network or our own device said so. A gateway that answers nothing ends the search; what the
/// network said decides then.
package struct PathMTUSearch: Sendable {
  /// Every IPv4 host takes it (RFC 791); less helps nobody.
  static let smallest = 576
  /// IPv6 needs it (RFC 8200), and nearly every path carries it: what to try when the largest is lost.
  static let base = 1280
  /// Of the echo beside a probe: nothing drops it for its size.
  package static let companion = 64
  static let tries = 3
  /// A wider path is looked for this often.
  static let raiseInterval: Duration = .seconds(600)
  /// While packets flow, a path that became narrower in silence is found so.
  static let confirmInterval: Duration = .seconds(30)
  /// Hearsay makes us look no more often than this.
  static let reportInterval: Duration = .seconds(5)
  /// After a round in which nothing came back; twice that after the next.
  static let silencePause: Duration = .seconds(5)
  static let mostSilences = 3
  private static let firstPatience: Duration = .seconds(1)
  private static let shortestPatience: Duration = .milliseconds(250)
  private static let longestPatience: Duration = .seconds(2)
  /// Sizes this close are the same for all purposes.
  private static let grain = 16
  /// What paths take outside: PPPoE, tunnels of all kinds, mobile networks, Ethernet. First to try between two bounds.
  private static let common = [
    1006, 1200, 1240, 1300, 1320, 1340, 1358, 1380, 1400, 1412, 1420, 1430, 1440, 1452, 1456, 1460, 1464, 1472, 1476,
    1480, 1484, 1488, 1492, 1496, 1500, 2000, 4000, 8000, 9000,
  ]

  enum Aim {
    case search
    /// Whether what passed still does.
    case confirm
    /// Whether more passes by now.
    case raise
  }

  private struct Probe {
    var size: Int
    var tries = 1
    var deadline: Instant
    /// No small echo has come back beside it.
    var isAlone = true
  }

  private let overhead: PacketOverhead
  private let ceiling: Int
  /// The largest that came back; 0 = none yet.
  private var good = 0
  /// The smallest that does not pass.
  private var bad: Int
  private(set) var aim = Aim.search
  private var probe: Probe?
  /// What passes in the network's words, to be tried next.
  private var hint: Int?
  /// The same, while nothing has come back ever.
  private var hearsay: Int?
  private var roundTrip: Duration?
  private var silences = 0
  private var resumeAt: Instant?
  private var confirmAt: Instant?
  private var raiseAt: Instant?
  private var reportedAt: Instant?
  private var packetsSeen: UInt64 = 0
  private var queue: [Int] = []
  private var told: Int?

  /// Begins at once.
  ///
  /// - Parameters:
  ///   - ceiling: the largest inner packet there may be.
  ///   - start: what passed here the last time.
  package init(_ overhead: PacketOverhead, ceiling: Int, start: Int?, at now: Instant) {
    self.overhead = overhead
    self.ceiling = max(ceiling, Self.smallest)
    bad = self.ceiling + 1
    send(min(max(start ?? self.ceiling, Self.smallest), self.ceiling), at: now)
  }

  /// Sizes of echoes to send now.
  package mutating func takeEchoes() -> [Int] {
    defer { queue = [] }
    return queue
  }

  /// What is known to pass, when that is news: at the end of a search, and before it as soon as what was told last does not
  /// pass and something smaller does.
  package mutating func takeFinding() -> Int? {
    let isUrgent = bad <= ceiling && (told ?? ceiling) >= bad
    let found = good > 0 ? (probe == nil || isUrgent ? good : nil) : silences > 0 ? hearsay : nil
    guard let found, found != told else { return nil }
    told = found
    return found
  }

  package var nextWake: Instant? { probe?.deadline ?? [resumeAt, confirmAt, raiseAt].compactMap { $0 }.min() }

  /// - Parameter packets: of data that passed so far; while they stay the same an idle path is left alone.
  package mutating func wake(packets: UInt64, at now: Instant) {
    if let probe {
      if probe.deadline <= now { repeatProbe(at: now) }
    } else if let time = resumeAt, time <= now {
      resumeAt = nil
      goOn(at: now)
    } else if let time = raiseAt, time <= now {
      raiseAt = nil
      aim = .raise
      bad = ceiling + 1
      send(ceiling, at: now)
    } else if let time = confirmAt, time <= now {
      confirmAt = now + Self.confirmInterval
      if packets != packetsSeen { confirm(at: now) }
      packetsSeen = packets
    }
  }

  /// An echo of this size came back whole.
  package mutating func answered(size: Int, roundTrip: Duration, at now: Instant) {
    self.roundTrip = roundTrip
    silences = 0
    if size == Self.companion {
      probe?.isAlone = false
      return
    }
    guard size <= ceiling else { return }
    good = max(good, size)
    // It came later than we had patience for.
    if bad <= good { bad = ceiling + 1 }
    guard let probe else {
      if resumeAt != nil { goOn(at: now) }
      return
    }
    guard probe.size <= good else { return }
    self.probe = nil
    if aim == .confirm { rest(at: now) } else { goOn(at: now) }
  }

  /// The network, or our own device, names the MTU of the path outside.
  package mutating func reported(outer: Int, at now: Instant) {
    let inner = overhead.inner(outer: outer)
    guard inner >= Self.smallest, inner < ceiling else { return }
    if let probe {
      // The rest answers something else. A true answer to the probe, should it come after all, counts more than this.
      guard inner < probe.size else { return }
      hint = inner
      hearsay = min(hearsay ?? inner, inner)
      fail(leaving: inner, at: now)
    } else if inner < good, reportedAt.map({ now - $0 >= Self.reportInterval }) ?? true {
      reportedAt = now
      confirm(at: now)
    }
  }

  private mutating func confirm(at now: Instant) {
    aim = .confirm
    send(good, at: now)
  }

  private mutating func repeatProbe(at now: Instant) {
    guard var probe else { return }
    if probe.tries < Self.tries {
      // What was good before gets more patience: the queues of a busy line are long.
      probe.deadline = now + patience * (aim == .confirm ? 1 << probe.tries : 1)
      probe.tries += 1
      self.probe = probe
      queue += [probe.size, Self.companion]
    } else if probe.isAlone {
      fallSilent(at: now)
    } else {
      fail(leaving: probe.size - 1, at: now)
    }
  }

  /// - Parameter size: what may still pass.
  private mutating func fail(leaving size: Int, at now: Instant) {
    probe = nil
    bad = min(bad, size + 1)
    if good >= bad { good = 0 }
    if aim == .confirm { aim = .search }
    goOn(at: now)
  }

  /// Nothing comes back, whatever its size: the way is cut, or the gateway answers no echoes.
  private mutating func fallSilent(at now: Instant) {
    probe = nil
    silences += 1
    if good > 0 { return rest(at: now) }
    resumeAt = silences < Self.mostSilences ? now + Self.silencePause * (1 << (silences - 1)) : nil
  }

  private mutating func goOn(at now: Instant) {
    let next = nextSize
    hint = nil
    resumeAt = nil
    if let next { send(next, at: now) } else { rest(at: now) }
  }

  /// `nil` when nothing is left to find.
  private var nextSize: Int? {
    guard bad - good > 1 else { return nil }
    if let hint, hint > good, hint < bad { return hint }
    if good == 0, bad > ceiling { return ceiling }
    if good == 0, bad > Self.base { return Self.base }
    // The first that was tried came back: good enough until the next raise.
    if bad > ceiling { return nil }
    let between = Self.common.map(overhead.inner).filter { $0 > good && $0 < bad && $0 >= Self.smallest }
    if !between.isEmpty { return between[between.count / 2] }
    let low = max(good, Self.smallest - 1)
    return bad - low > Self.grain ? (low + bad) / 2 : nil
  }

  private mutating func rest(at now: Instant) {
    aim = .search
    confirmAt = good > 0 ? now + Self.confirmInterval : nil
    raiseAt = good > 0 && good < ceiling ? raiseAt ?? now + Self.raiseInterval : nil
  }

  private var patience: Duration {
    roundTrip.map { min(max($0 * 4, Self.shortestPatience), Self.longestPatience) } ?? Self.firstPatience
  }

  private mutating func send(_ size: Int, at now: Instant) {
    probe = Probe(size: size, deadline: now + patience)
    queue.append(size)
  }
}
