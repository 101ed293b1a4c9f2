/// Which descriptor became ready, as the poller carries it.
struct Token: Hashable {
  enum Kind: UInt8 {
    case signal = 1
    case timer, netlink, firewall, resolver, control, client, engine, engineProcess, mounts, clock
  }

  var kind: Kind
  /// A client's or a tunnel's number.
  var index: UInt32
  /// Of the engine: an event of a dead one is stale.
  var generation: UInt32

  init(_ kind: Kind, _ index: UInt32 = 0, generation: UInt32 = 0) {
    self.kind = kind
    self.index = index
    self.generation = generation & 0xff_ffff
  }

  var value: UInt64 { UInt64(kind.rawValue) << 56 | UInt64(generation) << 32 | UInt64(index) }

  init?(_ value: UInt64) {
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: value >> 56)) else { return nil }
    self.init(
      kind, UInt32(truncatingIfNeeded: value), generation: UInt32(truncatingIfNeeded: value >> 32 & 0xff_ffff))
  }
}
