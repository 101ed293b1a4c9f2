internal import Base
internal import ControlChannel
internal import Wire

extension Session {
  /// Wraps everything that may leave now: new messages, repetitions, acknowledgements.
  mutating func flush(at now: Instant, into outbox: inout Outbox) {
    guard stage != .idle, stage != .over else { return }
    flush(.lameDuck, at: now, into: &outbox)
    flush(.primary, at: now, into: &outbox)
  }

  private mutating func flush(_ slot: Slot, at now: Instant, into outbox: inout Outbox) {
    guard let keyID = slot == .primary ? primary?.keyID : lameDuck?.keyID else { return }
    let due = slot == .primary ? primary?.packetsDue(at: now, room: room) : lameDuck?.packetsDue(at: now, room: room)
    for message in due ?? [] {
      send(
        ControlPacket(
          opcode: message.opcode, keyID: keyID, sessionID: sessionID, acknowledgements: message.acknowledgements,
          peerSessionID: serverID, messageID: message.messageID, payload: message.payload),
        at: now, into: &outbox)
    }
    if isUDP, slot == .primary, let ids = primary?.echoDue(at: now) {
      send(
        ControlPacket(
          opcode: .ackV1, keyID: keyID, sessionID: sessionID, acknowledgements: ids, peerSessionID: serverID),
        at: now, into: &outbox)
    }
    while let ids = slot == .primary ? primary?.acknowledgementDue() : lameDuck?.acknowledgementDue() {
      send(
        ControlPacket(
          opcode: .ackV1, keyID: keyID, sessionID: sessionID, acknowledgements: ids, peerSessionID: serverID),
        at: now, into: &outbox)
    }
  }

  private mutating func send(_ packet: ControlPacket, at now: Instant, into outbox: inout Outbox) {
    keepalive.noteSent(at: now)
    if packet.keyID > 0, let bytes = dynamicWrap?.seal(packet) {
      outbox.packets.append(bytes)
    } else {
      outbox.packets.append(wrap.seal(packet))
    }
  }
}
