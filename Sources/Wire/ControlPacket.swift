internal import Base

/// The cleartext view of a control packet (protocol.md section 1.4), before wrapping and after unwrapping.
package struct ControlPacket: Hashable, Sendable {
  /// Bytes of `head`: opcode and own session id.
  package static let headSize = 1 + SessionID.size
  /// A parser takes no more (section 2.2).
  package static let maximumAcknowledgements = 8

  package var opcode: Opcode
  package var keyID: UInt8
  /// The sender's.
  package var sessionID: SessionID
  /// Message ids of the other direction that arrived.
  package var acknowledgements: [UInt32]
  /// The receiver's; stands on the wire only beside acknowledgements.
  package var peerSessionID: SessionID?
  /// `nil` exactly for `ackV1`.
  package var messageID: UInt32?
  package var payload: [UInt8]

  package init(
    opcode: Opcode, keyID: UInt8, sessionID: SessionID, acknowledgements: [UInt32] = [],
    peerSessionID: SessionID? = nil, messageID: UInt32? = nil, payload: [UInt8] = []
  ) {
    self.opcode = opcode
    self.keyID = keyID
    self.sessionID = sessionID
    self.acknowledgements = acknowledgements
    self.peerSessionID = peerSessionID
    self.messageID = messageID
    self.payload = payload
  }

  /// The part that no wrap encrypts.
  package var head: [UInt8] { [PacketHead(opcode: opcode, keyID: keyID).byte] + sessionID.bytes }

  /// The rest, from the acknowledgement count onward.
  package var body: [UInt8] {
    precondition(!opcode.isData && acknowledgements.count <= ControlPacket.maximumAcknowledgements)
    precondition(acknowledgements.isEmpty || peerSessionID != nil)
    precondition((opcode == .ackV1) == (messageID == nil))
    var bytes = [UInt8(acknowledgements.count)]
    bytes.reserveCapacity(1 + acknowledgements.count * 4 + 12 + payload.count)
    for id in acknowledgements { bytes.append(bigEndian: id) }
    if let peerSessionID, !acknowledgements.isEmpty { bytes.append(bigEndian: peerSessionID.value) }
    if let messageID {
      bytes.append(bigEndian: messageID)
      bytes += payload
    }
    return bytes
  }

  /// Reads what `head` and `body` write.
  ///
  /// Whether the session ids are the right ones is for the caller to say.
  package static func parse(head: some Collection<UInt8>, body: [UInt8]) -> Result<ControlPacket, ControlDrop> {
    guard head.count == headSize, let first = head.first else { return .failure(.tooShort) }
    guard let packetHead = PacketHead(byte: first), !packetHead.isData else { return .failure(.unknownOpcode) }
    guard let sessionID = SessionID(bytes: head.dropFirst()) else { return .failure(.tooShort) }
    guard !sessionID.isZero else { return .failure(.zeroSessionID) }

    var reader = ByteReader(body)
    guard let count = reader.readByte() else { return .failure(.tooShort) }
    guard count <= maximumAcknowledgements else { return .failure(.badAcknowledgements) }
    var packet = ControlPacket(opcode: packetHead.opcode, keyID: packetHead.keyID, sessionID: sessionID)
    for _ in 0..<count {
      guard let id = reader.readUInt32() else { return .failure(.badAcknowledgements) }
      packet.acknowledgements.append(id)
    }
    if count > 0 {
      guard let peer = reader.readUInt64() else { return .failure(.badAcknowledgements) }
      packet.peerSessionID = SessionID(peer)
    }
    if packet.opcode == .ackV1 {
      return count > 0 ? .success(packet) : .failure(.badAcknowledgements)
    }
    guard let messageID = reader.readUInt32() else { return .failure(.tooShort) }
    guard messageID == 0 || !packet.opcode.isHardReset else { return .failure(.badMessageID) }
    packet.messageID = messageID
    packet.payload = Array(reader.readRest())
    return .success(packet)
  }

  /// The whole packet when nothing wraps it.
  package var bytes: [UInt8] { head + body }

  package static func parse(_ bytes: [UInt8]) -> Result<ControlPacket, ControlDrop> {
    parse(head: bytes.prefix(headSize), body: Array(bytes.dropFirst(headSize)))
  }
}
