internal import Base
internal import Gateway
internal import Hands
internal import IO
internal import Settings

/// Keeps an eye on who answers names on this router: the kernel tells nobody when a socket is opened.
struct ResolverWatch {
  /// dnsmasq often starts after us, and its owner may restart it at any time.
  private var calm = CalmPause()
  /// A restart by its owner takes a moment, and must not pass for its end.
  private static let grace: Duration = .seconds(3)

  private let hand: ResolverHand
  private var facts = ResolverFacts()
  /// The sockets of port 53 as of the last look.
  private var sockets: Set<ListeningSockets.Socket>?
  private var goneSince: Instant?
  private(set) var lookAt: Instant?

  init(_ hand: ResolverHand) { self.hand = hand }

  /// - Parameter pushed: resolvers of tunnels, which are never the uplink's.
  /// - Returns: `nil` when no gateway wants its names resolved by us.
  mutating func facts(for settings: Settings, pushed: [IPAddress], at now: Instant) -> ResolverFacts? {
    guard settings.gateways.contains(where: { $0.dns != .off }) else {
      lookAt = nil
      sockets = nil
      return nil
    }
    lookAt = goneSince == nil ? calm.begin(at: now) : now + Self.grace
    // While it is restarted by ourselves there is nothing to see.
    guard !hand.isBusy || sockets == nil else { return facts }
    let seen = ResolverSearch.sockets()
    if seen == sockets, hand.trouble == nil { return facts }
    let isGone = seen.isEmpty && !facts.listeners.isEmpty
    if isGone, now < (goneSince ?? now) + Self.grace {
      if goneSince == nil { goneSince = now }
      lookAt = now + Self.grace
      return facts
    }
    goneSince = nil
    sockets = seen
    let uplink = UplinkResolvers.find(bootstrap: [], pushed: pushed).map(\.address)
    facts = hand.facts(uplink: uplink)
    return facts
  }

  /// - Returns: true when it is time to plan anew.
  mutating func hasChanged(at now: Instant) -> Bool {
    guard let due = lookAt, due <= now else { return false }
    lookAt = calm.stretch(at: now)
    return !hand.isBusy && ResolverSearch.sockets() != sockets
  }
}
