internal import Base
internal import ControlChannel
internal import Exchange
internal import Profile
internal import Wire

extension Session {
  /// A server's answer to our first packet may be under way for two slots of its cookie (protocol.md section 2.5); a
  /// reset that comes later than that is a new one.
  private static let resetQuarantine: Duration = .seconds(90)

  /// Unwraps one packet and hands it to its key.
  ///
  /// - Returns: why it was dropped, if it was.
  mutating func take(_ bytes: [UInt8], at now: Instant, into outbox: inout Outbox) -> ControlDrop? {
    guard let first = bytes.first else { return .tooShort }
    guard let head = PacketHead(byte: first) else { return .unknownOpcode }
    switch head.opcode {
    case .softResetV1, .controlV1, .ackV1, .hardResetServerV2: break
    default: return .unknownOpcode
    }
    guard let opened = open(bytes, keyID: head.keyID) else { return .unknownKeyID }
    switch opened {
    case .failure(let drop): return drop
    case .success(let packet): return deliver(packet, at: now, into: &outbox)
    }
  }

  /// A packet of this very session: without a wrap anybody can make others, and they are no sign of life.
  private mutating func noteLife(at now: Instant) {
    authenticated &+= 1
    keepalive.noteReceived(at: now)
  }

  private mutating func open(_ bytes: [UInt8], keyID: UInt8) -> Result<ControlPacket, ControlDrop>? {
    if keyID > 0, let result = dynamicWrap?.open(bytes) { return result }
    return wrap.open(bytes)
  }

  private mutating func deliver(
    _ packet: ControlPacket, at now: Instant, into outbox: inout Outbox
  ) -> ControlDrop? {
    if let peer = packet.peerSessionID, peer != sessionID { return .wrongPeerSession }
    guard let serverID else { return deliverFirst(packet, at: now, into: &outbox) }
    guard packet.sessionID == serverID else { return refuse(packet, at: now, into: &outbox) }
    noteLife(at: now)
    // Message 0 of a key is its reset, and nothing else is.
    if let id = packet.messageID, (id == 0) != (packet.opcode != .controlV1) { return .badMessageID }
    if packet.opcode == .hardResetServerV2, packet.keyID != 0 { return .unknownKeyID }
    if packet.opcode == .softResetV1, packet.keyID == 0 { return .unknownKeyID }
    if primary?.keyID == packet.keyID { return primary?.receive(packet, at: now) }
    if lameDuck?.keyID == packet.keyID { return lameDuck?.receive(packet, at: now) }
    guard packet.opcode == .softResetV1, acceptsSoftReset, packet.keyID == nextKeyID else { return .unknownKeyID }
    beginRenegotiation(by: "the server", at: now, into: &outbox)
    return primary?.receive(packet, at: now)
  }

  /// Before the server's reset there is no session of its to speak of; only the reset that answers ours makes one.
  private mutating func deliverFirst(
    _ packet: ControlPacket, at now: Instant, into outbox: inout Outbox
  ) -> ControlDrop? {
    guard packet.keyID == 0, packet.peerSessionID != nil else { return .wrongPeerSession }
    guard packet.opcode == .hardResetServerV2 else {
      if acknowledgedWithoutReset == nil { acknowledgedWithoutReset = now }
      return .wrongPeerSession
    }
    noteLife(at: now)
    // Later than that it may answer a repetition.
    if now - startedAt < timers.tlsTimeout { liveness.note(roundTrip: now - startedAt) }
    serverID = packet.sessionID
    acknowledgedWithoutReset = nil
    outbox.events.append(.serverAnswered)
    outbox.notes.append(Note(.serverAnswered))
    return primary?.receive(packet, at: now)
  }

  /// Another session id. An authenticated reset means that the server restarted (H-01); without a wrap anybody could say
  /// so, and the keepalive finds out soon enough.
  private mutating func refuse(
    _ packet: ControlPacket, at now: Instant, into outbox: inout Outbox
  ) -> ControlDrop? {
    guard packet.opcode == .hardResetServerV2, packet.keyID == 0, wrapKey.authenticates, let upSince,
      now - startedAt > Self.resetQuarantine, upSince <= now
    else { return .wrongPeerSession }
    end(EndReport(fault: Fault(.serverRestart)), at: now, into: &outbox)
    return nil
  }

  /// A stream loses and alters nothing, so on TCP what cannot be read ends the session (protocol.md section 1.1).
  mutating func count(_ drop: ControlDrop, at now: Instant, into outbox: inout Outbox) {
    drops[drop, default: 0] &+= 1
    guard !isUDP, stage != .leaving else { return }
    switch drop {
    case .wrongPeerSession, .unknownKeyID: return
    case .badTag where authenticated == 0:
      finish(EndReport(fault: Fault(.wrapRejected), wasUp: false), into: &outbox)
    default:
      end(EndReport(fault: Fault(.controlChannelBroken, drop.rawValue)), at: now, into: &outbox)
    }
  }
}
