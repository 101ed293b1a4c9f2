package import Base

/// When another server is tried beside the session that serves a tunnel, and what becomes of it. A pure reducer.
///
/// Make before break: a second session comes up on a spare device and has to prove that it carries data; then one route is
/// replaced, and the first session leaves. Where a login is good for one session only the first one ends once the other
/// server has answered, never before: so a server that is gone costs nothing.
package struct Switchover: Hashable, Sendable {
  /// Which server is wanted, and who wants it.
  package enum Goal: Hashable, Sendable {
    /// The better remote, by itself.
    case preferred(remote: Int)
    /// The owner's word.
    case use(remote: Int)
    /// The configuration names other remotes.
    case renewed

    package var remote: Int? {
      switch self {
      case .preferred(let remote), .use(let remote): remote
      case .renewed: nil
      }
    }

    var isAsked: Bool { if case .preferred = self { false } else { true } }
  }

  /// Where it stands; every case but `idle` has a deadline.
  enum Phase: Hashable, Sendable {
    case idle
    /// A better remote exists and is tried then.
    case waiting(remote: Int, until: Instant)
    case trying(Trial, until: Instant)
    /// The roles are exchanged; answers that are under way still come in by the old device.
    case draining(until: Instant)
    /// A session leaves; then perhaps the next trial.
    case clearing(until: Instant, then: Goal?)
  }

  struct Trial: Hashable, Sendable {
    var goal: Goal
    var began: Instant
    /// The first session was ended for it, and waits.
    var holds = false
    var hasAnswered = false
    var isUp = false
    var isProven = false
    /// Its network stands in full, the firewall's part too.
    var stands = false
  }

  package enum Event: Hashable, Sendable {
    /// The better remote, as of now; `nil` = there is none, or no session serves.
    case preferred(Int?)
    case asked(Goal)
    /// The other server sent its first packet; no login has been sent yet.
    case answered
    case up
    case proved(Bool)
    case stands
    /// The second session came to nothing.
    case failed(Fault.Code)
    /// The session that serves is over, by the server's word or its silence.
    case servingLost(Fault.Code?)
    /// No way leads to the servers.
    case wayLost
    /// The tunnel is put down, or its configuration is another.
    case withdrawn
    /// The session that was told to leave has left.
    case gone
    case wake
  }

  package enum Effect: Hashable, Sendable {
    case begin(Goal)
    /// Ask whether data passes.
    case prove
    /// The session that serves ends politely and does not come back by itself before `release`, or so long.
    case hold(Duration)
    case release
    /// The session beside serves from now on.
    case exchange(Goal)
    /// The session beside leaves politely.
    case leave
    /// It has not left in time.
    case kill
    /// It could not be made beside: the tunnel goes there by itself.
    case insist(Goal)
    /// The remote did not come up.
    case failed(remote: Int)
    case note(Note.Code, Goal, Fault.Code?, retry: Duration?)
  }

  /// So long nobody leaves a server that works for one that did not a moment ago.
  package static let firstPause: Duration = .seconds(60)
  package static let longestPause: Duration = .seconds(900)
  /// To the first packet, a look-up of the name among it.
  package static let answerDeadline: Duration = .seconds(10)
  /// To a session that is up. Nobody sits at a login in the background.
  package static let upDeadline: Duration = .seconds(30)
  /// The engine has its answer within some two seconds.
  package static let proofDeadline: Duration = .seconds(5)
  /// A round trip around the world, twice.
  package static let drain: Duration = .milliseconds(600)
  /// A goodbye has three seconds.
  package static let leaveDeadline: Duration = .seconds(5)

  var phase = Phase.idle
  /// How soon the better remote is tried; `nil` = never by itself.
  package var pause: Duration?
  /// Trials that came to nothing since the last that did not.
  package private(set) var failures = 0
  /// The login is good for one session at a time.
  package private(set) var breaksFirst = false
  /// The login was refused with no other session in the way: not tried again by itself.
  package private(set) var isRefused = false

  package init(pause: Duration? = Switchover.firstPause) { self.pause = pause }

  /// When `wake` is due.
  package var nextWake: Instant? {
    switch phase {
    case .idle: nil
    case .waiting(_, let until), .trying(_, let until), .draining(let until), .clearing(let until, _): until
    }
  }

  /// A session stands, or comes up, beside the one that serves.
  package var isBusy: Bool {
    switch phase {
    case .idle, .waiting: false
    case .trying, .draining, .clearing: true
    }
  }

  /// What the session beside is there for; `nil` once it is about to leave.
  package var goal: Goal? { if case .trying(let trial, _) = phase { trial.goal } else { nil } }

  package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    switch phase {
    case .idle, .waiting: rest(event, at: now, &effects)
    case .trying(let trial, _): trying(trial, event, at: now, &effects)
    case .draining(let until): draining(until, event, at: now, &effects)
    case .clearing(let until, let next): clearing(until, next, event, at: now, &effects)
    }
    return effects
  }

  private var nextPause: Duration? {
    guard let pause, !isRefused else { return nil }
    let longest = max(pause, Self.longestPause)
    return min(pause * (1 << min(failures, 10)), longest)
  }

  // MARK: Nothing beside

  private mutating func rest(_ event: Event, at now: Instant, _ effects: inout [Effect]) {
    switch event {
    case .preferred(let remote?):
      if case .waiting(_, let until) = phase {
        phase = .waiting(remote: remote, until: until)
      } else if let nextPause {
        phase = .waiting(remote: remote, until: now + nextPause)
      }
    case .preferred(nil), .withdrawn, .wayLost, .servingLost: phase = .idle
    case .asked(let goal): begin(goal, at: now, &effects)
    case .wake:
      if case .waiting(let remote, let until) = phase, until <= now {
        begin(.preferred(remote: remote), at: now, &effects)
      }
    case .answered, .up, .proved, .stands, .failed, .gone: break
    }
  }

  private mutating func begin(_ goal: Goal, at now: Instant, _ effects: inout [Effect]) {
    if goal.isAsked { isRefused = false }
    phase = .trying(Trial(goal: goal, began: now), until: now + Self.answerDeadline)
    effects += [.note(.triesBeside, goal, nil, retry: nil), .begin(goal)]
  }

  // MARK: A second session comes up

  private mutating func trying(_ old: Trial, _ event: Event, at now: Instant, _ effects: inout [Effect]) {
    var trial = old
    switch event {
    case .preferred, .gone: return
    case .asked(let goal):
      if let remote = goal.remote, remote == trial.goal.remote {
        trial.goal = goal
        if let due = nextWake { phase = .trying(trial, until: due) }
        return
      }
      giveUp(trial, then: goal, at: now, &effects)
      return
    case .answered:
      guard !trial.hasAnswered else { return }
      trial.hasAnswered = true
      if breaksFirst, !trial.holds { hold(&trial, at: now, &effects) }
      phase = .trying(trial, until: max(trial.began, now) + Self.upDeadline)
      return
    case .up:
      guard !trial.isUp else { return }
      trial.isUp = true
      phase = .trying(trial, until: now + Self.proofDeadline)
      effects.append(.prove)
      return
    case .proved(true): trial.isProven = trial.isUp
    case .proved(false):
      fail(trial, .dataSilent, at: now, &effects)
      return
    case .stands: trial.stands = trial.isUp
    case .failed(let code):
      fail(trial, code, at: now, &effects)
      return
    case .servingLost(let code):
      guard !trial.holds else { return }
      guard trial.hasAnswered else {
        // It looks for a server by itself, and must not meet itself there.
        giveUp(trial, then: nil, at: now, &effects)
        return
      }
      // One that is ended by its server while another logs in was ended for it.
      if let code, code.entry.blame != .network { learn(trial.goal, &effects) }
      trial.holds = true
      effects.append(.hold(Self.upDeadline + Self.proofDeadline))
    case .wayLost:
      giveUp(trial, then: nil, at: now, &effects)
      return
    case .withdrawn:
      giveUp(trial, then: nil, releases: false, at: now, &effects)
      return
    case .wake:
      guard let due = nextWake, due <= now else { return }
      fail(trial, trial.isUp ? .dataSilent : trial.hasAnswered ? .handshakeTimeout : .serverSilent, at: now, &effects)
      return
    }
    guard trial.isProven, trial.stands else {
      if let due = nextWake { phase = .trying(trial, until: due) }
      return
    }
    failures = 0
    phase = .draining(until: now + Self.drain)
    effects += [.exchange(trial.goal), .note(.servesInstead, trial.goal, nil, retry: nil)]
  }

  private mutating func hold(_ trial: inout Trial, at now: Instant, _ effects: inout [Effect]) {
    trial.holds = true
    effects += [.note(.breaksFirst, trial.goal, nil, retry: nil), .hold(Self.upDeadline + Self.proofDeadline)]
  }

  private mutating func learn(_ goal: Goal, _ effects: inout [Effect]) {
    guard !breaksFirst else { return }
    breaksFirst = true
    effects.append(.note(.oneSessionOnly, goal, nil, retry: nil))
  }

  /// Another goal, no way, put down: nobody's failure. What was asked for is not forgotten by it.
  private mutating func giveUp(
    _ trial: Trial, then next: Goal?, releases: Bool = true, insists: Bool = true, at now: Instant,
    _ effects: inout [Effect]
  ) {
    phase = .clearing(until: now + Self.leaveDeadline, then: next)
    effects.append(.leave)
    if trial.holds, releases { effects.append(.release) }
    if insists, next == nil, trial.goal.isAsked { effects.append(.insist(trial.goal)) }
  }

  private mutating func fail(_ trial: Trial, _ code: Fault.Code, at now: Instant, _ effects: inout [Effect]) {
    let isRefusal = code.entry.blame == .authentication
    if isRefusal, !trial.holds, !breaksFirst {
      // The login that serves was good: it may be good for one session only.
      learn(trial.goal, &effects)
      giveUp(trial, then: trial.goal, at: now, &effects)
      return
    }
    failures += 1
    if isRefusal, trial.holds { isRefused = true }
    giveUp(trial, then: nil, insists: false, at: now, &effects)
    if let remote = trial.goal.remote { effects.append(.failed(remote: remote)) }
    // The owner's word counts; but a refused login does not come right by losing the one that is good.
    if trial.goal.isAsked, !isRefusal || trial.goal == .renewed {
      effects.append(.insist(trial.goal))
    } else {
      effects.append(.note(.staysInstead, trial.goal, code, retry: trial.goal.isAsked ? nil : nextPause))
    }
  }

  // MARK: A session leaves

  private mutating func draining(_ until: Instant, _ event: Event, at now: Instant, _ effects: inout [Effect]) {
    var next: Goal?
    switch event {
    case .wake: guard until <= now else { return }
    case .withdrawn, .wayLost: break
    case .asked(let goal): next = goal
    case .gone:
      phase = .idle
      return
    case .preferred, .answered, .up, .proved, .stands, .failed, .servingLost: return
    }
    phase = .clearing(until: now + Self.leaveDeadline, then: next)
    effects.append(.leave)
  }

  private mutating func clearing(
    _ until: Instant, _ next: Goal?, _ event: Event, at now: Instant, _ effects: inout [Effect]
  ) {
    switch event {
    case .gone: cleared(next, at: now, &effects)
    case .wake:
      guard until <= now else { return }
      effects.append(.kill)
      cleared(next, at: now, &effects)
    case .asked(let goal): phase = .clearing(until: until, then: goal)
    case .withdrawn, .wayLost, .servingLost:
      // What is asked for counts all the same; what was wanted by itself waits until something serves.
      phase = .clearing(until: until, then: nil)
      if let next, next.isAsked { effects.append(.insist(next)) }
    case .preferred, .answered, .up, .proved, .stands, .failed: break
    }
  }

  private mutating func cleared(_ next: Goal?, at now: Instant, _ effects: inout [Effect]) {
    phase = .idle
    if let next { begin(next, at: now, &effects) }
  }
}
