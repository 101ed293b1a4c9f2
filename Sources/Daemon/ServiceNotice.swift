package import Base
package import IO
internal import Supervisor

/// Keeps the init system informed: ready, reloading, stopping, a line of status, and signs of life while the loop turns.
package struct ServiceNotice {
  private enum Phase { case starting, ready, reloading, stopping }

  /// A queue that is full empties soon; a socket that is gone costs nothing.
  private static let retry: Duration = .milliseconds(500)
  /// Longer ones are cut: systemd keeps it in memory and prints it in one line.
  private static let longestStatus = 200

  private let send: (String) -> Bool
  private let interval: Duration?
  private var phase = Phase.starting
  private var status = ""
  private var nextSign: Instant?
  /// Not taken yet, oldest first; a status in it is the newest.
  private var owed: [String] = []
  private var retryAt: Instant?

  package init(_ socket: NotifySocket) { self.init(watchdog: socket.watchdog, send: socket.send) }

  /// - Parameter send: false when it was not taken.
  package init(watchdog: Duration?, send: @escaping (String) -> Bool) {
    self.send = send
    // sd_watchdog_enabled(3) recommends half of it.
    interval = watchdog.map { $0 / 2 }
  }

  /// When `turn` must be called even if nothing happens.
  package var nextWake: Instant? {
    switch (nextSign, retryAt) {
    case (let sign?, let retry?): min(sign, retry)
    case (let sign, let retry): sign ?? retry
    }
  }

  /// The configuration is about to be read again; the next ready turn ends it.
  /// - Parameter monotonicMicroseconds: by which `Type=notify-reload` tells this reload from an earlier one.
  package mutating func reload(monotonicMicroseconds: UInt64) {
    guard phase == .ready else { return }
    phase = .reloading
    say(["RELOADING=1", "MONOTONIC_USEC=\(monotonicMicroseconds)"])
  }

  /// Call in every turn of the loop.
  /// - Parameters:
  ///   - isReady: requests are answered, and the network is as the plan says.
  ///   - status: one line.
  package mutating func turn(isReady: Bool, isStopping: Bool, status: String, at now: Instant) {
    var lines: [String] = []
    if isStopping {
      if phase != .stopping { lines.append("STOPPING=1") }
      phase = .stopping
    } else if isReady, phase != .ready {
      lines.append("READY=1")
      phase = .ready
    }
    if status != self.status {
      self.status = status
      lines.append("STATUS=" + String(status.prefix(Self.longestStatus)))
    }
    if let interval, nextSign.map({ $0 <= now }) ?? true {
      lines.append("WATCHDOG=1")
      nextSign = now + interval
    }
    if !lines.isEmpty { say(lines) }
    deliver(at: now)
  }

  private mutating func say(_ lines: [String]) {
    // Of two words about the same only the newer counts; ready and reloading are an order of events.
    let isNews = lines.contains { !$0.hasPrefix("STATUS=") && $0 != "WATCHDOG=1" }
    if !isNews { owed.removeAll { $0.hasPrefix("STATUS=") || $0 == "WATCHDOG=1" } }
    owed.append(lines.joined(separator: "\n"))
  }

  private mutating func deliver(at now: Instant) {
    while let text = owed.first, send(text) { owed.removeFirst() }
    retryAt = owed.isEmpty ? nil : now + Self.retry
  }
}

extension Daemon {
  func notifyService(at now: Instant) {
    guard service != nil else { return }
    let isReady = network.isDone && network.hasAdded && network.essentialFailure == nil
    let words = tunnels.map { "\($0.name): \($0.supervisor.status.rawValue)" }.joined(separator: ", ")
    let failure = network.essentialFailure.map { "; \($0.sentence)" } ?? ""
    service?.turn(isReady: isReady, isStopping: stopBy != nil, status: LogSink.cleaned(words + failure), at: now)
  }
}
