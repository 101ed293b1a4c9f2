internal import Base
internal import IO

/// One round of asking around whether the provider's router and the internet outside answer.
final class SoundingRound {
  struct Gateway: Hashable {
    var address: IPAddress
    var device: DeviceName
  }

  /// When to look for answers; at the second the question is repeated, for one packet may be lost. At the last the kernel has
  /// asked a silent router three times, a second apart, and waited a second more (`ucast_solicit` in arp(7)).
  private static let looks: [Duration] = [
    .milliseconds(250), .milliseconds(900), .milliseconds(1_500), .milliseconds(3_700),
  ]
  private static let repetition = 1
  /// From here on only a router that has not answered is waited for.
  private static let enoughForOutside = 2

  let gateways: Set<Gateway>
  let resolvers: Set<IPAddress>
  let servers: Set<IPAddress>
  private let sounding: Sounding
  private let began: Instant
  private var step = 0

  init(
    gateways: Set<Gateway>, resolvers: Set<IPAddress>, servers: Set<IPAddress>, mark: UInt32, token: UInt16,
    at now: Instant
  ) {
    self.gateways = gateways
    self.resolvers = resolvers
    self.servers = servers
    began = now
    sounding = Sounding(
      hosts: servers.union(gateways.map(\.address)), resolvers: resolvers, mark: mark, token: token)
    sounding.ask()
  }

  var answered: Set<IPAddress> { sounding.answered }
  private var outsideAnswers: Bool { !answered.isDisjoint(with: resolvers.union(servers)) }
  private var gatewaysAnswer: Bool { gateways.allSatisfy { answered.contains($0.address) } }
  /// When to look next.
  var lookAt: Instant { began + Self.looks[min(step, Self.looks.count - 1)] }

  /// - Returns: true when the round is over.
  func look(at now: Instant, confirm: (Gateway) -> Void) -> Bool {
    guard now >= lookAt else { return false }
    sounding.listen()
    // Whoever answers from beyond the router answers for the router.
    if outsideAnswers { return true }
    if step == 0 { for gateway in gateways where !answered.contains(gateway.address) { confirm(gateway) } }
    if step == Self.repetition { sounding.ask() }
    if step >= Self.enoughForOutside, gatewaysAnswer { return true }
    step += 1
    return step >= Self.looks.count
  }
}

/// When to ask around: only while somebody is silent, and more rarely the longer it lasts.
struct Soundings {
  /// A server farther away than this is asked about in vain once; nobody waits for that.
  static let patience: Duration = .milliseconds(700)
  private static let interval: Duration = .seconds(5)
  /// Below the time that evidence lasts.
  private static let longest: Duration = .seconds(20)

  var round: SoundingRound?
  private(set) var nextRound: Instant?
  private var count = 0

  /// - Parameter quiet: since when the tunnel that has waited longest has had no answer.
  func due(quiet: Instant?) -> Instant? {
    if let round { return round.lookAt }
    guard let quiet else { return nil }
    return max(quiet + Self.patience, nextRound ?? quiet)
  }

  mutating func finish(at now: Instant) {
    round = nil
    count += 1
    nextRound = now + min(Self.interval * count, Self.longest)
  }

  /// Another way, or nobody is silent any more.
  mutating func reset() {
    nextRound = nil
    count = 0
  }
}
