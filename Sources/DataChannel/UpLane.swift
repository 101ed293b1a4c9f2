package import Base
package import Crypto

/// The way from the tun to the network: seals whole bursts.
///
/// It shares nothing with the other lane, so that a thread of its own may take it. Sealing allocates nothing.
package struct UpLane: ~Copyable {
  package let format: DataFormat
  package internal(set) var counters = LaneCounters()
  /// The key id that seals.
  package internal(set) var sender: UInt8?

  let header: PacketHeader
  let framing: FramingWriter
  var aead = KeySlots<AEADSendKey>()
  var epochs = KeySlots<EpochSendKey>()
  var block = KeySlots<BlockSendKey>()
  var pool: IVPool
  /// With `fragment` alone.
  var fragmenter: Fragmenter?
  /// Digests of the last blocks installed, be they retired or not.
  var used: [[UInt8]] = []
  /// More than there are key ids; a block that comes back comes back soon.
  static let mostUsed = 16

  /// The super-packet that was left half cut.
  var cut: Cut?

  package init(format: DataFormat, random: RandomSource) {
    self.format = format
    header = PacketHeader(peerID: format.peerID)
    framing = FramingWriter(framing: format.compression)
    pool = IVPool(random: random)
    if format.fragment != nil { fragmenter = Fragmenter(random: random) }
  }

  /// Seals all fresh packets into another burst, one behind the other without gaps, each a complete datagram, or on a
  /// stream a complete record. What was sealed becomes `.consumed`.
  ///
  /// What a `VnetHeader` says is left undone is done first: a super-packet makes many sealed ones.
  ///
  /// - Returns: false when the other burst was full; what stayed fresh is for the next call, with the same packets, which
  ///   also goes on within a super-packet.
  @discardableResult
  package mutating func seal(_ packets: inout Burst, into sealed: inout Burst) -> Bool {
    var index = 0
    while index < packets.count {
      var packet = packets[index]
      if packet.verdict == .fresh {
        precondition(
          packet.offset >= 0 && packet.length >= 0
            && Int(packet.offset) + Int(packet.length) <= packets.arena.capacity)
        let plain = unsafe packets.base + Int(packet.offset)
        let verdict =
          packet.hasVnetHeader
          ? unsafe sealUnfinished(plain, packet: &packet, index: index, into: &sealed)
          : unsafe sealWhole(plain, count: Int(packet.length), into: &sealed)
        if let verdict { packet.verdict = verdict }
        packets[index] = packet
        if verdict == nil { return false }
      }
      index += 1
    }
    return true
  }

  /// - Returns: `nil` when there is no room.
  mutating func sealWhole(
    _ plain: UnsafeRawPointer, count: Int, into sealed: inout Burst
  ) -> Burst.Verdict? {
    if fragmenter != nil { return unsafe sealPieces(plain, count: count, into: &sealed) }
    let size = unsafe sealedSize(plain, count: count)
    if let drop = refusal(count: count, size: size) {
      counters.count(drop)
      return .dropped
    }
    guard sealed.free >= size, !sealed.isFull else { return nil }
    return unsafe put(plain, count: count, size: size, into: &sealed)
  }

  /// Seals one plain packet into room that is there.
  mutating func put(
    _ plain: UnsafeRawPointer, count: Int, size: Int, into sealed: inout Burst
  ) -> Burst.Verdict {
    let start = sealed.used
    if let drop = unsafe write(plain, count: count, size: size, into: sealed.base + start) {
      counters.count(drop)
      return .dropped
    }
    let listed = sealed.append(
      room: size, packet: .init(offset: Int32(start), length: Int32(size), verdict: .forward))
    precondition(listed)
    counters.packets &+= 1
    counters.bytes &+= UInt64(count)
    return .consumed
  }
}
