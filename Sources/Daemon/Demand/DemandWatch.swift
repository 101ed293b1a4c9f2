internal import Base
internal import IO
internal import Settings
internal import Supervisor

/// Keeps what the rules for connecting on demand depend on: the uplink, its addresses, and who answers there.
struct DemandWatch {
  /// Who was there and is not any more is asked again soon; by that a lost packet is told from an absence.
  private static let doubt: Duration = .seconds(3)
  private static let interval: Duration = .seconds(30)

  /// Of the network, when it was last looked at.
  var readings = 0
  private(set) var surroundings = Surroundings()
  private var round: ReachRound?
  private var askAt: Instant?
  private var missed: Set<ReachTarget> = []

  /// `nil` = nothing to ask.
  var due: Instant? { round?.lookAt ?? askAt }

  /// - Returns: true when the rules are to be looked at.
  mutating func see(_ uplink: Uplink?, _ addresses: [IPAddress], targets: Set<ReachTarget>, at now: Instant) -> Bool {
    let former = surroundings
    surroundings.uplink = uplink
    surroundings.addresses = addresses
    surroundings.answers = surroundings.answers.filter { targets.contains($0.key) }
    let isElsewhere =
      former.uplink?.path != uplink?.path || former.uplink?.isUp != uplink?.isUp || former.addresses != addresses
    // Behind another line other hosts have the same addresses.
    if isElsewhere { surroundings.answers = [:] }
    if targets.isEmpty || uplink == nil {
      round = nil
      askAt = nil
    } else if isElsewhere || !targets.isSubset(of: round?.targets ?? Set(surroundings.answers.keys)) {
      round = nil
      missed = []
      askAt = now
    }
    return former != surroundings
  }

  /// - Returns: true when the rules are to be looked at.
  mutating func proceed(_ targets: Set<ReachTarget>, mark: UInt32, token: UInt16, at now: Instant) -> Bool {
    guard let round else {
      guard let askAt, askAt <= now else { return false }
      self.round = ReachRound(
        targets.sorted { $0.description < $1.description }, mark: mark, token: token, at: now)
      self.askAt = nil
      return false
    }
    guard let answers = round.look(at: now) else { return false }
    self.round = nil
    let former = surroundings.answers
    var doubted: Set<ReachTarget> = []
    for target in targets {
      let isThere = answers[target] ?? false
      if !isThere, former[target] == true, !missed.contains(target) {
        doubted.insert(target)
      } else {
        surroundings.answers[target] = isThere
      }
    }
    missed = doubted
    askAt = now + (doubted.isEmpty ? Self.interval : Self.doubt)
    return former != surroundings.answers
  }
}
