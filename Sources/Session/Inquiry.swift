internal import Base
internal import Exchange

extension Liveness {
  /// A row of questions to the server, and when to ask the next or to give up.
  struct Inquiry {
    enum Cause {
      /// Nothing came in although something went out.
      case silence
      /// The way to the server changed.
      case path
    }

    let cause: Cause
    /// Since when nothing came.
    let since: Instant
    let begun: Instant
    /// When it has failed; `nil` = not fixed yet, or has failed.
    var verdict: Instant?
    /// What is authentic and comes from then on ends it; an answer to one of its own echoes does at any time.
    let provesFrom: Instant
    private(set) var next: Instant
    private var asked = 0
    private var hasFailed = false
    private(set) var wasTold = false
    private var hadGrace = false

    init(cause: Cause, since: Instant, begun: Instant, verdict: Instant?, provesFrom: Instant) {
      self.cause = cause
      self.since = since
      self.begun = begun
      self.verdict = verdict
      self.provesFrom = provesFrom
      next = begun
    }

    /// Its end must be told.
    var isPublic: Bool { cause == .path || wasTold || hasFailed }

    /// The first packets on a fresh link are often lost to ARP and the like.
    private static let pathPauses: [Duration] = [.milliseconds(50), .milliseconds(100), .milliseconds(200)]
    private static let pathPause: Duration = .milliseconds(400)
    /// After the verdict the answer may still come.
    private static let latePause: Duration = .seconds(3)
    /// A line whose answers suddenly take two seconds longer is not dead.
    private static let shortestWait: Duration = .seconds(2)
    /// A verdict that is this late was delayed by whatever delayed the packets: a busy processor, or sleep. What waits in
    /// the socket is read first.
    private static let lateness: Duration = .milliseconds(200)

    /// - Parameters:
    ///   - echoes: how many to send before the control channel is asked alone; 0 = nobody answers them.
    ///   - echoIsKnown: an echo was answered before.
    ///   - pace: between questions.
    mutating func next(echoes: Int, echoIsKnown: Bool, pace: Duration, at now: Instant) -> Step {
      if let due = verdict, due <= now {
        if now - due > Self.lateness, !hadGrace {
          hadGrace = true
          verdict = now + Self.lateness
        } else {
          verdict = nil
          hasFailed = true
          next = now + Self.latePause
          return Step(echo: true, control: true, proof: .failed)
        }
      }
      defer { asked += 1 }
      switch cause {
      case _ where hasFailed:
        next = now + Self.latePause
        return Step(echo: true, control: true)
      case .path:
        plan(after: asked < Self.pathPauses.count ? Self.pathPauses[asked] : Self.pathPause, at: now)
        // Control packets are matched by address until data has moved the session (protocol.md section 8.7).
        return Step(echo: true, control: asked > 0)
      case .silence:
        if asked == echoes { verdict = now + max(Self.shortestWait, pace * (echoes == 0 ? 5 : 2)) }
        plan(after: pace, at: now)
        var step = Step(echo: echoes > 0, control: asked >= echoes || (asked > 0 && !echoIsKnown))
        if asked > 0, !wasTold {
          wasTold = true
          step.proof = .silent(for: now - since)
        }
        return step
      }
    }

    private mutating func plan(after pause: Duration, at now: Instant) {
      next = min(now + pause, verdict ?? now + pause)
    }
  }
}
