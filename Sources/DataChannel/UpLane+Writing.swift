internal import Base
internal import Crypto

// How one packet is sealed.

extension UpLane {
  /// Of a UDP datagram over IPv4, or of what a stream's u16 length can say.
  private static let largestDatagram = 65_507
  private static let largestRecord = 65_535

  /// Seals one message of ours (`DataMessage`). A stream's length is not in front: control packets and this go the same
  /// way. For the control lane: allocates.
  ///
  /// - Returns: `nil` when there is no key to seal with, or it takes more than one packet.
  package mutating func seal(message: [UInt8]) -> [UInt8]? {
    if fragmenter != nil {
      let pieces = packets(of: message)
      return pieces.count == 1 ? pieces[0] : nil
    }
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

  func refusal(count: Int, size: Int) -> DataDrop? {
    if sender == nil { return .noKey }
    if count == 0 { return .tooShort }
    return size > largest ? .tooLarge : nil
  }

  /// Bytes of the whole sealed packet; 0 when nothing can seal it. Changes nothing: but what only reads the lane is inlined with a copy
  /// of all of it, for each packet.
  mutating func sealedSize(_ plain: UnsafeRawPointer, count: Int) -> Int {
    guard let sender, count > 0 else { return 0 }
    let framed = unsafe count + framing.added(first: plain.load(as: UInt8.self))
    let front = (format.isStream ? RecordLength.size : 0) + header.size
    if aead.has(sender) { return front + AEADLayout.body + framed }
    if epochs.has(sender) { return front + EpochLayout.added + framed }
    return unsafe front + block.at(sender).pointee.sealedSize(framed)
  }

  mutating func write(
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
