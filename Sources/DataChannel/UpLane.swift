package import Base
package import Crypto

/// The way from the tun to the network: seals whole bursts.
///
/// It shares nothing with the other lane, so that a thread of its own may take it. Sealing allocates nothing.
package struct UpLane: ~Copyable {
  package let format: DataFormat
  package private(set) var counters = LaneCounters()
  /// The key id that seals.
  package private(set) var sender: UInt8?

  private let header: PacketHeader
  private let framing: FramingWriter
  private var aead = KeySlots<AEADSendKey>()
  private var epochs = KeySlots<EpochSendKey>()
  private var block = KeySlots<BlockSendKey>()
  private var pool: IVPool
  /// Digests of the last blocks installed, be they retired or not.
  private var used: [[UInt8]] = []
  /// More than there are key ids; a block that comes back comes back soon.
  private static let mostUsed = 16

  /// Of a UDP datagram over IPv4, or of what a stream's u16 length can say.
  private static let largestDatagram = 65_507
  private static let largestRecord = 65_535

  package init(format: DataFormat, random: RandomSource) {
    self.format = format
    header = PacketHeader(peerID: format.peerID)
    framing = FramingWriter(framing: format.compression)
    pool = IVPool(random: random)
  }

  /// Readies a key, replacing one of the same id; it seals only after `send(with:)`.
  ///
  /// - Returns: false for keys that must not be used: of zeros, CBC without a digest, or one that was here before: its
  ///   packet ids, and so its nonces, would begin anew.
  package mutating func install(_ key: DataKey, firstPacketID: UInt32 = 1) -> Bool {
    guard key.isUsable else { return false }
    var bytes = key.block.exposed
    let digest = digestOf(.sha256, bytes)
    bytes.wipe()
    guard !used.contains(digest) else { return false }
    if !key.cipher.isAEAD {
      guard let made = BlockSendKey(key, firstID: firstPacketID) else { return false }
      forget(key.keyID)
      block.install(made, at: key.keyID)
    } else if format.usesEpochs {
      guard let made = EpochSendKey(key, firstCounter: UInt64(firstPacketID)) else { return false }
      forget(key.keyID)
      epochs.install(made, at: key.keyID)
    } else {
      guard let made = AEADSendKey(key, firstID: firstPacketID) else { return false }
      forget(key.keyID)
      aead.install(made, at: key.keyID)
    }
    used = (used + [digest]).suffix(Self.mostUsed)
    return true
  }

  /// From now on this key seals; it must be installed.
  package mutating func send(with keyID: UInt8) {
    precondition(has(keyID))
    sender = keyID
  }

  package mutating func retire(keyID: UInt8) {
    forget(keyID)
    if sender == keyID { sender = nil }
  }

  private func has(_ keyID: UInt8) -> Bool { aead.has(keyID) || epochs.has(keyID) || block.has(keyID) }

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

  /// The epoch in which this key seals; `nil` where the format has none.
  package func epoch(of keyID: UInt8) -> UInt16? {
    epochs.has(keyID) ? unsafe epochs.at(keyID).pointee.epoch : nil
  }

  /// Seals in that epoch from now on, or stays in a later one: where the peer has gone, we follow.
  package mutating func reach(epoch: UInt16, keyID: UInt8) {
    guard epochs.has(keyID) else { return }
    _ = unsafe epochs.at(keyID).pointee.reach(epoch)
  }

  package func packetsSent(_ keyID: UInt8) -> UInt64 { usage(of: keyID)?.packets ?? 0 }

  /// True when the key that seals should be replaced: its ids or its cipher's limits run out.
  package var needsNewKey: Bool {
    guard let sender else { return false }
    if epochs.has(sender) { return unsafe epochs.at(sender).pointee.needsNewKey }
    if aead.has(sender) {
      let isLate = unsafe aead.at(sender).pointee.nextID > UInt64(KeyUsage.packetIDWarning)
      return unsafe isLate || aead.at(sender).pointee.usage.isWorn(aead.at(sender).pointee.cipher)
    }
    return unsafe block.has(sender) && block.at(sender).pointee.nextID > UInt64(KeyUsage.packetIDWarning)
  }

  /// Seals all fresh packets into another burst, one behind the other without gaps, each a complete datagram, or on a
  /// stream a complete record. What was sealed becomes `.consumed`.
  ///
  /// - Returns: false when the other burst was full; what stayed fresh is for the next call.
  @discardableResult
  package mutating func seal(_ packets: inout Burst, into sealed: inout Burst) -> Bool {
    var index = 0
    while index < packets.count {
      var packet = packets[index]
      if packet.verdict == .fresh {
        precondition(
          packet.offset >= 0 && packet.length >= 0
            && Int(packet.offset) + Int(packet.length) <= packets.arena.capacity)
        let plain = unsafe UnsafeRawPointer(packets.base + Int(packet.offset))
        let size = unsafe sealedSize(plain, count: Int(packet.length))
        if let drop = refusal(of: packet, size: size) {
          counters.count(drop)
          packet.verdict = .dropped
        } else {
          guard sealed.free >= size, !sealed.isFull else { return false }
          let start = sealed.used
          if let drop = unsafe write(plain, count: Int(packet.length), size: size, into: sealed.base + start) {
            counters.count(drop)
            packet.verdict = .dropped
          } else {
            let listed = sealed.append(
              room: size, packet: .init(offset: Int32(start), length: Int32(size), verdict: .forward))
            precondition(listed)
            counters.packets &+= 1
            counters.bytes &+= UInt64(packet.length)
            packet.verdict = .consumed
          }
        }
        packets[index] = packet
      }
      index += 1
    }
    return true
  }

  /// Seals one message of ours (`DataMessage`). A stream's length is not in front: control packets and this go the same
  /// way. For the control lane: allocates.
  ///
  /// - Returns: `nil` when there is no key to seal with.
  package mutating func seal(message: [UInt8]) -> [UInt8]? {
    let lengthSize = format.isStream ? RecordLength.size : 0
    let size = unsafe message.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe sealedSize(base, count: message.count)
    }
    guard size > 0, size <= largest else { return nil }
    var sealed = [UInt8](repeating: 0, count: size)
    let drop: DataDrop? = unsafe sealed.withUnsafeMutableBytes { out in
      guard let out = out.baseAddress else { return .noKey }
      return unsafe write(message, count: message.count, size: size, into: out)
    }
    if let drop {
      counters.count(drop)
      return nil
    }
    return Array(sealed.dropFirst(lengthSize))
  }

  private var largest: Int { format.isStream ? RecordLength.size + Self.largestRecord : Self.largestDatagram }

  private func refusal(of packet: Burst.Packet, size: Int) -> DataDrop? {
    if sender == nil { return .noKey }
    if packet.length == 0 { return .tooShort }
    return size > largest ? .tooLarge : nil
  }

  /// Bytes of the whole sealed packet; 0 when nothing can seal it.
  private func sealedSize(_ plain: UnsafeRawPointer, count: Int) -> Int {
    guard let sender, count > 0 else { return 0 }
    let framed = unsafe count + framing.added(first: plain.load(as: UInt8.self))
    let front = (format.isStream ? RecordLength.size : 0) + header.size
    if aead.has(sender) { return front + AEADLayout.body + framed }
    if epochs.has(sender) { return front + EpochLayout.added + framed }
    return unsafe front + block.at(sender).pointee.sealedSize(framed)
  }

  private mutating func write(
    _ plain: UnsafeRawPointer, count: Int, size: Int, into out: UnsafeMutableRawPointer
  ) -> DataDrop? {
    guard let sender else { return .noKey }
    var start = unsafe out
    if format.isStream {
      unsafe RecordLength.write(size - RecordLength.size, into: out)
      unsafe start = out + RecordLength.size
    }
    unsafe header.write(keyID: sender, into: start)
    let drop: DataDrop?
    if aead.has(sender) {
      unsafe drop = writeAEAD(plain, count: count, sender: sender, into: start)
    } else if epochs.has(sender) {
      unsafe drop = writeEpoch(plain, count: count, sender: sender, into: start)
    } else {
      unsafe drop = writeBlock(plain, count: count, sender: sender, into: start)
    }
    if drop == nil {
      counters.sealedPackets &+= 1
      counters.sealedBytes &+= UInt64(format.isStream ? size - RecordLength.size : size)
    }
    return drop
  }

  private mutating func writeAEAD(
    _ plain: UnsafeRawPointer, count: Int, sender: UInt8, into start: UnsafeMutableRawPointer
  ) -> DataDrop? {
    if framing.framing == .none {
      return unsafe aead.at(sender).pointee.seal(plain, count: count, header: start, headerSize: header.size)
    }
    let body = unsafe start + header.size + AEADLayout.body
    let framed = unsafe framing.write(plain, count: count, into: body)
    return unsafe aead.at(sender).pointee.seal(body, count: framed, header: start, headerSize: header.size)
  }

  private mutating func writeEpoch(
    _ plain: UnsafeRawPointer, count: Int, sender: UInt8, into start: UnsafeMutableRawPointer
  ) -> DataDrop? {
    if framing.framing == .none {
      return unsafe epochs.at(sender).pointee.seal(plain, count: count, header: start, headerSize: header.size)
    }
    let body = unsafe start + header.size + EpochLayout.id
    let framed = unsafe framing.write(plain, count: count, into: body)
    return unsafe epochs.at(sender).pointee.seal(body, count: framed, header: start, headerSize: header.size)
  }

  private mutating func writeBlock(
    _ plain: UnsafeRawPointer, count: Int, sender: UInt8, into start: UnsafeMutableRawPointer
  ) -> DataDrop? {
    let payload = unsafe start + block.at(sender).pointee.payloadOffset(headerSize: header.size)
    let framed = unsafe framing.write(plain, count: count, into: payload)
    return unsafe block.at(sender).pointee.seal(
      count: framed, header: start, headerSize: header.size, pool: &pool)
  }
}

/// The u16 in front of each packet of a stream, which does not count itself.
enum RecordLength {
  static let size = 2

  static func write(_ length: Int, into out: UnsafeMutableRawPointer) {
    unsafe out.storeBytes(of: UInt16(length).bigEndian, as: UInt16.self)
  }
}
