internal import Base
internal import Crypto

// `fragment`: a packet that is too large makes several sealed ones, each a datagram with an id of its own.

extension UpLane {
  /// The pieces of a message of ours, each sealed; one where nothing is too large, none where nothing can be sealed. For
  /// the control lane: allocates.
  package mutating func packets(of message: [UInt8]) -> [[UInt8]] {
    guard fragmenter != nil else { return seal(message: message).map { [$0] } ?? [] }
    guard let sender, let cut = unsafe frame(message, count: message.count) else {
      counters.count(sender == nil ? .noKey : .tooLarge)
      return []
    }
    let sequence = takeSequence(cut)
    var sealed: [[UInt8]] = []
    for index in 0..<cut.pieces {
      var packet = [UInt8](repeating: 0, count: sealedSize(of: cut.length(of: index), sender: sender))
      let drop = unsafe packet.withUnsafeMutableBytes { out in
        unsafe out.baseAddress.map { unsafe write(cut, index: index, sequence: sequence, sender: sender, into: $0) }
      }
      if case .some(.some(let drop)) = drop {
        counters.count(drop)
        return []
      }
      sealed.append(packet)
    }
    return sealed
  }

  /// Seals a packet in as many pieces as it takes.
  ///
  /// - Returns: `nil` when there is no room for all of them.
  mutating func sealPieces(_ plain: UnsafeRawPointer, count: Int, into sealed: inout Burst) -> Burst.Verdict? {
    guard let sender, count > 0 else { return drop(count > 0 ? .noKey : .tooShort) }
    guard let cut = unsafe frame(plain, count: count) else { return drop(.tooLarge) }
    guard hasRoom(for: cut, in: sealed) else { return nil }
    let sequence = takeSequence(cut)
    var index = 0
    while index < cut.pieces {
      let start = sealed.used
      let size = sealedSize(of: cut.length(of: index), sender: sender)
      if let drop = unsafe write(cut, index: index, sequence: sequence, sender: sender, into: sealed.base + start) {
        return self.drop(drop)
      }
      let listed = sealed.append(
        room: size, packet: .init(offset: Int32(start), length: Int32(size), verdict: .forward))
      precondition(listed)
      index += 1
    }
    counters.packets &+= 1
    counters.bytes &+= UInt64(count)
    return .consumed
  }

  /// True when all pieces of a packet of that many bytes find room; also when it cannot be cut at all: then it is dropped.
  mutating func hasRoomForPieces(_ plain: UnsafeRawPointer, count: Int, in sealed: borrowing Burst) -> Bool {
    guard let sender, count > 0 else { return true }
    let framed = unsafe count + framing.added(first: plain.load(as: UInt8.self))
    guard let cut = Fragmenter.cut(framed, largest: pieceRoom(sender)) else { return true }
    return hasRoom(for: cut, in: sealed)
  }

  private mutating func hasRoom(for cut: Fragmenter.Cut, in sealed: borrowing Burst) -> Bool {
    guard let sender else { return true }
    let bytes =
      (cut.pieces - 1) * sealedSize(of: cut.size, sender: sender)
      + sealedSize(of: cut.length(of: cut.pieces - 1), sender: sender)
    return sealed.free >= bytes && sealed.maximumCount - sealed.count >= cut.pieces
  }

  private mutating func drop(_ drop: DataDrop) -> Burst.Verdict {
    counters.count(drop)
    return .dropped
  }

  private mutating func takeSequence(_ cut: Fragmenter.Cut) -> UInt8 {
    cut.pieces > 1 ? fragmenter?.takeSequence() ?? 0 : 0
  }

  /// Puts the framed payload where pieces are taken from; `nil` when it cannot travel.
  private mutating func frame(_ plain: UnsafeRawPointer, count: Int) -> Fragmenter.Cut? {
    guard let sender, count > 0, count <= UInt16.max, let payload = unsafe fragmenter?.payload else { return nil }
    return Fragmenter.cut(unsafe framing.write(plain, count: count, into: payload), largest: pieceRoom(sender))
  }

  /// Bytes of a payload that one packet carries behind the fragment header.
  private func pieceRoom(_ sender: UInt8) -> Int {
    let room = (format.fragment ?? 0) - header.size
    if aead.has(sender) { return room - AEADLayout.body - FragmentHeader.size }
    if epochs.has(sender) { return room - EpochLayout.added - FragmentHeader.size }
    return unsafe block.at(sender).pointee.payloadRoom(room) - FragmentHeader.size
  }

  private mutating func sealedSize(of piece: Int, sender: UInt8) -> Int {
    let payload = FragmentHeader.size + piece
    if aead.has(sender) { return header.size + AEADLayout.body + payload }
    if epochs.has(sender) { return header.size + EpochLayout.added + payload }
    return unsafe header.size + block.at(sender).pointee.sealedSize(payload)
  }

  /// Seals one piece of what `frame` has put there.
  private mutating func write(
    _ cut: Fragmenter.Cut, index: Int, sequence: UInt8, sender: UInt8, into start: UnsafeMutableRawPointer
  ) -> DataDrop? {
    guard let source = unsafe fragmenter?.payload else { return .noKey }
    unsafe header.write(keyID: sender, into: start)
    let isAEAD = aead.has(sender)
    let isEpoch = epochs.has(sender)
    let payload =
      unsafe isAEAD
      ? start + header.size + AEADLayout.body
      : isEpoch
        ? start + header.size + EpochLayout.id
        : start + block.at(sender).pointee.payloadOffset(headerSize: header.size)
    let length = cut.length(of: index)
    unsafe Fragmenter.header(cut, index: index, sequence: sequence).write(into: payload)
    unsafe (payload + FragmentHeader.size).copyMemory(from: source + index * cut.size, byteCount: length)
    let count = FragmentHeader.size + length
    let drop: DataDrop?
    if isAEAD {
      unsafe drop = aead.at(sender).pointee.seal(payload, count: count, header: start, headerSize: header.size)
    } else if isEpoch {
      unsafe drop = epochs.at(sender).pointee.seal(payload, count: count, header: start, headerSize: header.size)
    } else {
      unsafe drop = block.at(sender).pointee.seal(
        count: count, header: start, headerSize: header.size, pool: &pool)
    }
    if drop == nil {
      counters.sealedPackets &+= 1
      counters.sealedBytes &+= UInt64(sealedSize(of: length, sender: sender))
    }
    return drop
  }
}
