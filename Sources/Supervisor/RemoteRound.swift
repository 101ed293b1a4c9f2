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

  private let remotes: [Remote]
  /// Positions in `remotes`, in the order to try them.
  private let order: [Int]
  private var position = 0
  private var waiting: [IPAddress] = []
  private var isLookedUp = false
  /// Of the remote at `position`.
  private var addressCount = 0
  /// What was tried last; a restart begins with it.
  private var last: (remote: Int, address: IPAddress)?
  private let keepsAddresses: Bool
  /// With `persist-remote-ip`, by remote, until a whole round has failed (cases R-04).
  private var kept: [Int: [IPAddress]] = [:]

  /// - Parameter random: shuffles once when the profile says `remote-random`.
  package init(_ profile: Profile, random: () -> UInt64) {
    remotes = profile.remotes
    keepsAddresses = profile.persistRemoteIP
    var order = Array(profile.remotes.indices)
    if profile.remoteRandom, order.count > 1 {
      for index in stride(from: order.count - 1, to: 0, by: -1) {
        order.swapAt(index, Int(random() % UInt64(index + 1)))
      }
    }
    self.order = order
  }

  package var isEmpty: Bool { order.isEmpty }

  /// True when something else could be tried besides the target that `next` gave last: another remote, another
  /// address, or over UDP a fresh port, for a lost session of ours may block the old one.
  package var hasAlternatives: Bool {
    order.count > 1 || addressCount > 1 || last.map { remotes[$0.remote].transport == .udp } ?? false
  }

  package mutating func next() -> Target {
    while position < order.count {
      let index = order[position]
      let remote = remotes[index]
      if !waiting.isEmpty {
        let address = waiting.removeFirst()
        last = (index, address)
        return .connect(remote: index, Endpoint(address: address, port: remote.port))
      }
      if isLookedUp {
        advanceRemote()
        continue
      }
      isLookedUp = true
      if let addresses = kept[index] {
        found(addresses)
        continue
      }
      guard let literal = IPAddress(remote.host) else {
        return .lookUp(remote: index, host: remote.host, family: Self.family(of: remote))
      }
      if Self.family(of: remote) ?? literal.family == literal.family { waiting = [literal] }
      addressCount = waiting.count
    }
    position = 0
    isLookedUp = false
    kept = [:]
    return .roundOver
  }

  /// The answer to `.lookUp`.
  package mutating func found(_ addresses: [IPAddress]) {
    guard position < order.count else { return }
    let index = order[position]
    let family = Self.family(of: remotes[index])
    var seen = Set<IPAddress>()
    waiting = addresses.filter { (family == nil || $0.family == family) && seen.insert($0).inserted }
    if keepsAddresses, !waiting.isEmpty { kept[index] = waiting }
    addressCount = waiting.count
  }

  /// The name that is being looked up is to be looked up again.
  package mutating func askAgain() { isLookedUp = false }

  /// Begin with the address that was tried last: after a success the next attempt goes to the same server.
  package mutating func stay() {
    guard let last, let place = order.firstIndex(of: last.remote) else { return }
    position = place
    isLookedUp = true
    waiting = [last.address] + waiting.filter { $0 != last.address }
  }

  /// The rest of this remote's addresses is left out.
  package mutating func advanceRemote() {
    waiting = []
    isLookedUp = false
    position += 1
  }

  /// `proto udp4` and the like pin the family; so does a local address (cases R-19).
  private static func family(of remote: Remote) -> AddressFamily? { remote.family ?? remote.localAddress?.family }

  package static func == (left: RemoteRound, right: RemoteRound) -> Bool {
    left.order == right.order && left.position == right.position && left.waiting == right.waiting
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(order)
    hasher.combine(position)
  }
}
