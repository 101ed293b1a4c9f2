package import Base
internal import Crypto
internal import Wire

/// The way from the network to the tun: opens whole bursts in place.
///
/// It shares nothing with the other lane. Opening allocates nothing, and whatever a peer sends ends in a verdict.
package struct DownLane: ~Copyable {
  package let format: DataFormat
  package private(set) var counters = LaneCounters()
  /// Packets that authenticated and were no replays: the peer lives while this grows.
  package private(set) var authenticated: UInt64 = 0
  /// The peer said that it leaves.
  package private(set) var sawExit = false
  private var isExitTold = false

  private let framing: FramingReader
  private var aead = KeySlots<AEADReceiveKey>()
  private var epochs = KeySlots<EpochReceiveKey>()
  private var block = KeySlots<BlockReceiveKey>()
  private var newest: UInt8?
  private var reassembler: Reassembler?
  private var agedAt: Instant?

  /// Of an IP header without options or extensions.
  private static let smallestIPv4 = 20
  private static let smallestIPv6 = 40

  package init(format: DataFormat) {
    self.format = format
    framing = FramingReader(framing: format.compression, unpacks: format.unpacks)
    if format.fragment != nil { reassembler = Reassembler(capacity: format.largestPayload + FramingWriter.most) }
  }

  /// Opens packets of this key id from now on, replacing a key of the same id.
  ///
  /// - Parameter usage: what the key has opened already.
  /// - Returns: false for keys that must not be used: of zeros, or CBC without a digest.
  package mutating func install(_ key: DataKey, usage: KeyUsage = KeyUsage()) -> Bool {
    guard key.isUsable else { return false }
    if !key.cipher.isAEAD {
      guard let made = BlockReceiveKey(key, window: format.replayWindow, usage: usage) else { return false }
      forget(key.keyID)
      block.install(made, at: key.keyID)
    } else if format.usesEpochs {
      guard let made = EpochReceiveKey(key, window: format.replayWindow, usage: usage) else { return false }
      forget(key.keyID)
      epochs.install(made, at: key.keyID)
    } else {
      guard let made = AEADReceiveKey(key, window: format.replayWindow, usage: usage) else { return false }
      forget(key.keyID)
      aead.install(made, at: key.keyID)
    }
    newest = key.keyID
    return true
  }

  package mutating func retire(keyID: UInt8) {
    forget(keyID)
    if newest == keyID { newest = nil }
  }

  private mutating func forget(_ keyID: UInt8) {
    aead.remove(keyID)
    epochs.remove(keyID)
    block.remove(keyID)
  }

  package func usage(of keyID: UInt8) -> KeyUsage? {
    if aead.has(keyID) { return unsafe aead.at(keyID).pointee.usage }
    if epochs.has(keyID) { return unsafe epochs.at(keyID).pointee.usage }
    if block.has(keyID) { return unsafe block.at(keyID).pointee.usage }
    return nil
  }

  /// The epoch to seal in for this key, so that the peer's is followed, or is asked to end; `nil` where the format has none.
  package func epochToReach(of keyID: UInt8) -> UInt16? {
    guard epochs.has(keyID) else { return nil }
    let epoch = unsafe epochs.at(keyID).pointee.epoch
    return unsafe epochs.at(keyID).pointee.wantsNextEpoch && epoch < EpochSecret.last ? epoch + 1 : epoch
  }

  /// True when the newest key should be replaced: its cipher's limits run out, or too many forgeries came.
  package var needsNewKey: Bool {
    guard let newest, aead.has(newest) else { return false }
    return unsafe aead.at(newest).pointee.usage.isWorn(aead.at(newest).pointee.cipher)
  }

  /// Lets what is only kept for a while grow older: ids that are still missing, pieces of packets that never became whole.
  /// For every turn of the control lane.
  package mutating func age(at now: Instant) {
    reassembler?.age(at: now, counters: &counters)
    guard format.replayTime > .zero else { return }
    guard let before = agedAt else {
      agedAt = now
      return
    }
    guard now - before >= format.replayTime else { return }
    agedAt = now
    for id in 0..<UInt8(KeySlots<AEADReceiveKey>.count) {
      if aead.has(id) { unsafe aead.at(id).pointee.age() }
      if epochs.has(id) { unsafe epochs.at(id).pointee.age() }
      if block.has(id) { unsafe block.at(id).pointee.age() }
    }
  }

  /// True once, after the peer has said that it leaves. For every burst: a mere look at what cannot be copied would move all of
  /// the session out of its place and back.
  package mutating func takeExit() -> Bool {
    guard sawExit, !isExitTold else { return false }
    isExitTold = true
    return true
  }

  /// Gives every fresh packet its verdict.
  ///
  /// `.forward` packets lie plain in place with at least 12 bytes free in front. Really compressed ones unpack into
  /// unused room of the arena, `Burst.headroom` and `largestPayload` each.
  package mutating func open(_ burst: inout Burst) {
    var index = 0
    while index < burst.count {
      var packet = burst[index]
      if packet.verdict == .fresh {
        if let drop = judge(&packet, in: &burst) {
          counters.count(drop)
          packet.verdict = .dropped
        }
        burst[index] = packet
      }
      index += 1
    }
  }

  private mutating func judge(_ packet: inout Burst.Packet, in burst: inout Burst) -> DataDrop? {
    precondition(
      packet.offset >= 0 && packet.length >= 0 && Int(packet.offset) + Int(packet.length) <= burst.arena.capacity)
    let count = Int(packet.length)
    guard count > 0 else { return .tooShort }
    let start = unsafe burst.base + Int(packet.offset)
    guard let head = unsafe PacketHead(byte: start.load(as: UInt8.self)) else { return .unknownOpcode }
    guard head.isData else {
      packet.verdict = .control
      return nil
    }

    let headerSize = PacketHeader.size(head.opcode)
    guard count > headerSize else { return .tooShort }
    let opened: Opened
    if epochs.has(head.keyID) {
      // The format has no DATA_V1.
      guard headerSize == PacketHeader.size(.dataV2) else { return .unknownOpcode }
      unsafe opened = epochs.at(head.keyID).pointee.open(start, count: count, headerSize: headerSize)
    } else if aead.has(head.keyID) {
      unsafe opened = aead.at(head.keyID).pointee.open(start, count: count, headerSize: headerSize)
    } else if block.has(head.keyID) {
      unsafe opened = block.at(head.keyID).pointee.open(start, count: count, headerSize: headerSize)
    } else {
      return .unknownKey
    }
    if let drop = opened.drop { return drop }
    authenticated &+= 1
    counters.sealedPackets &+= 1
    counters.sealedBytes &+= UInt64(count)
    packet.offset += Int32(opened.offset)
    packet.length = Int32(opened.count)
    if reassembler != nil {
      if let drop = rejoin(&packet, in: &burst) { return drop }
      if packet.verdict == .consumed { return nil }
    }
    return unframe(&packet, in: &burst) ?? deliver(&packet, in: burst)
  }

  /// Takes the fragment header off. A piece is consumed, but for the last that was missing: it becomes the whole packet.
  private mutating func rejoin(_ packet: inout Burst.Packet, in burst: inout Burst) -> DataDrop? {
    let payload = unsafe UnsafeRawPointer(burst.base + Int(packet.offset))
    let outcome = unsafe reassembler?.take(payload, count: Int(packet.length), counters: &counters)
    switch outcome {
    case .whole, nil:
      packet.offset += Int32(FragmentHeader.size)
      packet.length -= Int32(FragmentHeader.size)
    case .kept: packet.verdict = .consumed
    case .complete(let offset, let count):
      guard let room = burst.claim(room: Burst.headroom + count) else { return .noRoom }
      packet.offset = Int32(room + Burst.headroom)
      packet.length = Int32(count)
      if let base = unsafe reassembler?.base {
        unsafe (burst.base + room + Burst.headroom).copyMemory(from: base + offset, byteCount: count)
      }
    case .drop(let drop): return drop
    }
    return nil
  }

  private mutating func unframe(_ packet: inout Burst.Packet, in burst: inout Burst) -> DataDrop? {
    let payload = unsafe burst.base + Int(packet.offset)
    switch unsafe framing.read(payload, count: Int(packet.length)) {
    case .plain(let offset, let count):
      packet.offset += Int32(offset)
      packet.length = Int32(count)
    case .packed(let packing, let offset, let count):
      guard let room = burst.claim(room: Burst.headroom + format.largestPayload) else { return .noRoom }
      let unpacked = unsafe FramingReader.unpack(
        packing, payload + offset, count: count, into: burst.base + room + Burst.headroom,
        capacity: format.largestPayload)
      guard unpacked >= 0 else { return .badCompression }
      packet.offset = Int32(room + Burst.headroom)
      packet.length = Int32(unpacked)
    case .broken: return .badCompression
    }
    return nil
  }

  private mutating func deliver(_ packet: inout Burst.Packet, in burst: borrowing Burst) -> DataDrop? {
    let payload = unsafe UnsafeRawPointer(burst.base + Int(packet.offset))
    let count = Int(packet.length)
    guard count > 0 else { return .notIP }
    switch unsafe DataMessage.kind(of: payload, count: count) {
    case .packet: break
    case .ping, .otherOCC:
      packet.verdict = .consumed
      return nil
    case .exit:
      sawExit = true
      packet.verdict = .consumed
      return nil
    }
    switch unsafe payload.load(as: UInt8.self) >> 4 {
    case 4: if count < Self.smallestIPv4 { return .notIP }
    case 6: if count < Self.smallestIPv6 { return .notIP }
    default: return .notIP
    }
    guard count <= format.largestPayload else { return .tooLarge }
    counters.packets &+= 1
    counters.bytes &+= UInt64(count)
    packet.verdict = .forward
    return nil
  }
}
