package import Base
package import Exchange
package import Gateway

/// Which addresses of the policies' domains stand in the firewall's sets, by the word of the engines, and until when.
///
/// An engine may be in the hands of a stranger: it can name wrong addresses for watched domains, as any resolver can, but
/// nothing else: not the house's own, not without end, and not faster than a household asks.
package struct NameLedger: Sendable {
  /// Addresses kept for one set. The set takes four times as many, which leaves room for those of a predecessor.
  package static let mostOfSet = 16_384
  package static let mostOfAll = 65_536
  /// Seconds.
  private static let lifetimes: ClosedRange<UInt32> = 60...86_400
  /// Clients keep an address longer than they may, and connections outlive it.
  package static let margin: Duration = .seconds(600)
  /// Going over everything for what is over takes its time.
  private static let sweepInterval: Duration = .seconds(1)

  private struct Place: Hashable {
    var set: TimedSet
    var address: IPAddress
  }

  package struct Outcome: Hashable, Sendable {
    /// What is not in the kernel yet, or not for long enough.
    package var elements: [TimedElement] = []
    /// Domains that nobody watches, and addresses that no name can have.
    package var wrong = 0
    /// More than the engine may say now, or than there is room for.
    package var tooMany = 0

    package init() {}
  }

  /// For the engines.
  package private(set) var order = WatchOrder(generation: 0, domains: [])
  package private(set) var sets = DomainSets()
  private var standing: [Place: Instant] = [:]
  private var counts: [TimedSet: Int] = [:]
  private var sweptAt: Instant?
  private var isLasting = false
  private static let forever = Instant(nanoseconds: .max)

  package init() {}

  /// Other policies: what is known of those that stay is kept.
  ///
  /// - Returns: true when the engines need another list.
  package mutating func watch(_ policies: [PolicyDomains]) -> Bool {
    let fresh = DomainSets(policies)
    guard fresh != sets else { return false }
    sets = fresh
    order = WatchOrder(generation: order.generation &+ 1, domains: WatchOrder.fitting(fresh.domains))
    let kept = Set(policies.flatMap { policy in AddressFamily.allCases.map(policy.set) })
    keep { place, _ in kept.contains(place.set) }
    return true
  }

  /// Looks at everything that an engine says anew.
  package mutating func admit(
    _ report: NamesReport, _ budget: inout Budget, _ house: Household, at now: Instant
  ) -> Outcome {
    var outcome = Outcome()
    // About a list of before a reload.
    guard report.generation == order.generation else { return outcome }
    let allowed = budget.take(report.items.count, at: now)
    outcome.tooMany = report.items.count - allowed
    for item in report.items.prefix(allowed) {
      guard sets.targets.indices.contains(Int(item.domain)), !house.contains(item.address) else {
        outcome.wrong += 1
        continue
      }
      let seconds = min(max(item.lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
      for target in sets.targets[Int(item.domain)] {
        let place = Place(set: sets.policies[target].set(item.address.family), address: item.address)
        admit(place, .seconds(Int64(seconds)), &outcome, at: now)
      }
    }
    return outcome
  }

  private mutating func admit(_ place: Place, _ lifetime: Duration, _ outcome: inout Outcome, at now: Instant) {
    let until = standing[place]
    // What it has left of the margin will do: most answers cost the kernel nothing.
    if let until, until >= now + lifetime { return }
    guard until != nil || hasRoom(in: place.set, at: now) else {
      outcome.tooMany += 1
      return
    }
    let end = isLasting ? Self.forever : now + lifetime + Self.margin
    guard let element = Self.element(place, until: end, at: now) else { return }
    outcome.elements.append(element)
    if until == nil { counts[place.set, default: 0] += 1 }
    standing[place] = end
  }

  private static func element(_ place: Place, until end: Instant, at now: Instant) -> TimedElement? {
    TimedElement(set: place.set, value: .address(place.address), timeout: end == forever ? nil : end - now)
  }

  /// What dnsmasq puts in never ends, and it puts nothing in that stands already: while it fills the sets ours must not end
  /// either, or an address would be missing that it still answers with.
  ///
  /// - Returns: what is to be added anew.
  package mutating func last(_ isLasting: Bool, at now: Instant) -> [TimedElement] {
    guard isLasting != self.isLasting else { return [] }
    self.isLasting = isLasting
    guard isLasting else { return [] }
    keep { _, until in until > now }
    for place in standing.keys { standing[place] = Self.forever }
    return elements(at: now)
  }

  /// All that stands, with the time it has left: for a table that was lost.
  package func elements(at now: Instant) -> [TimedElement] {
    standing.compactMap { place, until in until > now ? Self.element(place, until: until, at: now) : nil }
  }

  private mutating func hasRoom(in set: TimedSet, at now: Instant) -> Bool {
    if isRoomy(set) { return true }
    if let sweptAt, now - sweptAt < Self.sweepInterval { return false }
    sweptAt = now
    keep { _, until in until > now }
    return isRoomy(set)
  }

  private func isRoomy(_ set: TimedSet) -> Bool {
    counts[set, default: 0] < Self.mostOfSet && standing.count < Self.mostOfAll
  }

  private mutating func keep(where isKept: (Place, Instant) -> Bool) {
    standing = standing.filter { isKept($0.key, $0.value) }
    counts = standing.keys.reduce(into: [:]) { $0[$1.set, default: 0] += 1 }
  }
}
