package import Base
package import Profile

/// Every remote, each with all its addresses, in turn: one round after the other (protocol.md section 13.4).
package struct RemoteRound: Hashable, Sendable {
  package enum Target: Hashable, Sendable {
    case lookUp(remote: Int, host: String, family: AddressFamily?)
    case connect(remote: Int, Endpoint)
    /// All were tried; the next call begins the next round.
    case roundOver
  }

  /// A server's address, and whose it is.
  package struct Place: Hashable, Sendable {
    package var remote: Int
    package var address: IPAddress
  }

  private let remotes: [Remote]
  /// Positions in `remotes`, in the order of preference.
  private let order: [Int]
  private let isShuffled: Bool
  private let keepsAddresses: Bool
  package private(set) var memory = RemoteMemory()
  /// The only remote to try.
  package private(set) var pinned: Int?
  /// Families with a default route; `nil` = not known.
  package var ways: Set<AddressFamily>?

  /// The round: remotes in the order to try them, and how far it has come.
  private var turn: [Int] = []
  private var position = 0
  private var waiting: [IPAddress] = []
  private var isLookedUp = false
  /// Of the remote at `position`.
  private var addressCount = 0
  /// Tried already before the remote at `position` was looked up.
  private var tried: IPAddress?
  /// What was tried last; a restart begins with it.
  private var last: Place?
  /// By family, what may be tried when the other family has no way.
  private var known: [AddressFamily: Place] = [:]
  /// With `persist-remote-ip`, by remote, until a whole round has failed (cases R-04).
  private var kept: [Int: [IPAddress]] = [:]

  /// - Parameter random: shuffles once when the profile says `remote-random`.
  package init(_ profile: Profile, random: () -> UInt64) {
    remotes = profile.remotes
    keepsAddresses = profile.persistRemoteIP
    isShuffled = profile.remoteRandom
    var order = Array(profile.remotes.indices)
    if isShuffled, order.count > 1 {
      for index in stride(from: order.count - 1, to: 0, by: -1) {
        order.swapAt(index, Int(random() % UInt64(index + 1)))
      }
    }
    self.order = order
    turn = order
  }

  package var isEmpty: Bool { order.isEmpty }

  /// True when something else could be tried besides the target that `next` gave last: another remote, another
  /// address, or over UDP a fresh port, for a lost session of ours may block the old one.
  package var hasAlternatives: Bool {
    hasOthers || last.map { remotes[$0.remote].transport == .udp } ?? false
  }

  /// True when there is another remote, or another address of this one.
  package var hasOthers: Bool { turn.count > 1 || addressCount > 1 }

  package mutating func next(at now: Instant) -> Target {
    while position < turn.count {
      let index = turn[position]
      let remote = remotes[index]
      if !waiting.isEmpty { return take(waiting.removeFirst(), of: index) }
      if isLookedUp {
        advanceRemote()
        continue
      }
      isLookedUp = true
      if let addresses = kept[index] {
        found(addresses, at: now)
      } else if let literal = IPAddress(remote.host) {
        found([literal], at: now)
      } else {
        return .lookUp(remote: index, host: remote.host, family: Self.family(of: remote))
      }
    }
    begin(with: pinned.map { [$0] } ?? memory.sorted(order, at: now))
    kept = [:]
    return .roundOver
  }

  private mutating func take(_ address: IPAddress, of remote: Int) -> Target {
    let place = Place(remote: remote, address: address)
    last = place
    known[address.family] = place
    return .connect(remote: remote, Endpoint(address: address, port: remotes[remote].port))
  }

  private mutating func begin(with turn: [Int]) {
    self.turn = turn
    position = 0
    waiting = []
    isLookedUp = false
    tried = nil
  }

  /// The answer to `.lookUp`.
  package mutating func found(_ addresses: [IPAddress], at now: Instant) {
    guard position < turn.count else { return }
    let index = turn[position]
    let family = Self.family(of: remotes[index])
    var seen = Set<IPAddress>()
    let usable = addresses.filter { (family == nil || $0.family == family) && seen.insert($0).inserted }
    if keepsAddresses, !usable.isEmpty { kept[index] = usable }
    addressCount = usable.count
    waiting = memory.sorted(usable, of: index, ways: ways, at: now).filter { $0 != tried }
    for address in waiting.reversed() { known[address.family] = Place(remote: index, address: address) }
  }

  /// The name that is being looked up is to be looked up again.
  package mutating func askAgain() { isLookedUp = false }

  /// Begin with the address that was tried last, and go through all others after it: what a success, or an event, asks for.
  /// Its name is looked up anew only when that address fails.
  package mutating func stay(at now: Instant) {
    guard let last, pinned == nil || pinned == last.remote else { return }
    go(to: last, at: now)
  }

  /// Begin with that address, and go through all others after it.
  package mutating func go(to place: Place, at now: Instant) {
    begin(with: pinned.map { [$0] } ?? [place.remote] + memory.sorted(order, at: now).filter { $0 != place.remote })
    waiting = [place.address]
    tried = place.address
  }

  /// The rest of this remote's addresses is left out.
  package mutating func advanceRemote() {
    waiting = []
    isLookedUp = false
    tried = nil
    addressCount = 0
    position += 1
  }

  /// What to try when this family has no way: an address of another one, wherever it is known from.
  package mutating func skip(_ family: AddressFamily, at now: Instant) -> Target? {
    waiting.removeAll { $0.family == family }
    if position < turn.count, !waiting.isEmpty { return take(waiting.removeFirst(), of: turn[position]) }
    guard let place = known(besides: family) ?? literal(besides: family) else { return nil }
    go(to: place, at: now)
    return next(at: now)
  }

  private func literal(besides family: AddressFamily) -> Place? {
    for index in pinned.map({ [$0] }) ?? order {
      guard let address = IPAddress(remotes[index].host), address.family != family,
        Self.family(of: remotes[index]) ?? address.family == address.family
      else { continue }
      return Place(remote: index, address: address)
    }
    return nil
  }

  package func known(besides family: AddressFamily) -> Place? {
    known.first { $0.key != family }.flatMap { pinned == nil || pinned == $0.value.remote ? $0.value : nil }
  }

  // MARK: Preference

  /// Only this remote, or all again.
  ///
  /// - Returns: false when there is no such remote.
  package mutating func pin(_ index: Int?, at now: Instant) -> Bool {
    guard index.map({ remotes.indices.contains($0) }) ?? true else { return false }
    pinned = index
    begin(with: index.map { [$0] } ?? memory.sorted(order, at: now))
    return true
  }

  /// The address tried last failed; the remote has failed when that was its only one left.
  package mutating func failed(at now: Instant) {
    guard let last else { return }
    memory.failed(last.address, at: now)
    if waiting.isEmpty, isLookedUp { memory.failed(last.remote, at: now) }
  }

  package mutating func failed(_ remote: Int, at now: Instant) {
    if remotes.indices.contains(remote) { memory.failed(remote, at: now) }
  }

  package mutating func succeeded() {
    if let last { memory.succeeded(last.remote, last.address) }
  }

  /// The one to go back to from `index`: the one among those before it that failed least, and then the first.
  package func better(than index: Int, at now: Instant) -> Int? {
    guard pinned == nil, !isShuffled, remotes.indices.contains(index) else { return nil }
    let own = remotes[index]
    return (0..<index)
      .filter { remotes[$0].host != own.host || remotes[$0].port != own.port || remotes[$0].transport != own.transport }
      .min { (memory.failures(of: $0, at: now), $0) < (memory.failures(of: $1, at: now), $1) }
  }

  /// `proto udp4` and the like pin the family; so does a local address (cases R-19).
  private static func family(of remote: Remote) -> AddressFamily? { remote.family ?? remote.localAddress?.family }
}
