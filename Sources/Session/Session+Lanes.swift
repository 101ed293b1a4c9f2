internal import Base
internal import DataChannel
internal import Exchange
internal import Profile

// What the session reads from its lanes, and the few messages that it sends through them.

extension Session {
  /// Both lanes together, as of the last look.
  var laneTotal: LaneTotal {
    LaneTotal(packets: sent.packets &+ received.packets, bytes: sent.bytes &+ received.bytes)
  }

  mutating func readLanes() {
    if let counters = up?.counters { sent = counters }
    if let counters = down?.counters { received = counters }
    if let count = down?.authenticated { authenticatedData = count }
    received.packets &-= echo.takenPackets
    received.bytes &-= echo.takenBytes
  }

  /// Takes note of life and of what ends the session; cheap enough for every call.
  mutating func observeLanes(at now: Instant, into outbox: inout Outbox) {
    guard stage == .applying || stage == .up, down != nil else { return }
    down?.age(at: now)
    readLanes()
    keepalive.observe(sent: sent.sealedPackets, received: authenticatedData, at: now)
    if let proof = liveness.observe(received: flow.received, carried: received.packets, at: now) {
      tell(proof, at: now, into: &outbox)
    }
    followEpoch(of: primary?.keyID)
    followEpoch(of: lameDuck?.keyID)
    if isSwitchPending, !peerUsesNewKey, let keyID = primary?.keyID, let usage = down?.usage(of: keyID),
      usage.packets > 0
    {
      peerUsesNewKey = true
    }
    if stage == .up {
      traffic.observe(laneTotal, least: pushed?.inactiveBytes ?? timers.inactiveBytes, at: now)
    }
    if down?.sawExit == true { return end(EndReport(fault: Fault(.serverExit)), at: now, into: &outbox) }
    // A stream alters nothing, so a packet that does not authenticate means other keys (protocol.md section 8.6).
    if !isUDP, received[.badTag] > 0 {
      end(EndReport(fault: Fault(.decryptFailed)), at: now, into: &outbox)
    }
  }

  /// As status names it.
  var dataFormatName: String {
    guard let pushed, pushed.peerID != nil else { return "v1" }
    return pushed.epochDataFormat ? "epoch" : "v2"
  }

  /// The lanes share nothing, so what the one saw of the peer's epoch is carried to the other here.
  private mutating func followEpoch(of keyID: UInt8?) {
    guard let keyID, let epoch = down?.epochToReach(of: keyID) else { return }
    up?.reach(epoch: epoch, keyID: keyID)
  }

  /// Looks whether the keys are used up.
  mutating func poll(at now: Instant, into outbox: inout Outbox) {
    let isQuiet = laneTotal == polledTotal
    polledTotal = laneTotal
    let interval = isQuiet ? keepalive.quietPollInterval : keepalive.pollInterval
    nextPoll = now + (isSwitchPending ? .seconds(1) : interval)
    guard acceptsSoftReset else { return }
    let used = traffic.sinceKey(laneTotal)
    let isWorn =
      (timers.renegotiateBytes > 0 && used.bytes >= timers.renegotiateBytes)
      || (timers.renegotiatePackets > 0 && used.packets >= timers.renegotiatePackets)
      || (sendingKeyID == primary?.keyID && up?.needsNewKey == true) || down?.needsNewKey == true
    if isWorn { beginRenegotiation(by: "the keys are used up", at: now, into: &outbox) }
  }

  mutating func sendPing(at now: Instant, into outbox: inout Outbox) {
    send(message: DataMessage.ping, into: &outbox)
    keepalive.noteSent(at: now)
    // The next ping looks as well.
    if laneTotal == polledTotal, !isSwitchPending { nextPoll = now + keepalive.quietPollInterval }
    if let sent = up?.counters.sealedPackets { keepalive.forget(sent: sent) }
  }

  mutating func send(message: [UInt8], into outbox: inout Outbox) {
    outbox.packets += up?.packets(of: message) ?? []
  }

  /// Why nothing came: packets that nobody could open point at `auth` or `cipher`.
  var silence: Fault.Code {
    if received[.badTag] > 0, received.sealedPackets == 0 { return .decryptFailed }
    return serverID == nil ? unheard(.serverSilent) : .keepaliveTimeout
  }

  /// A server drops what does not fit its key without a word, over TCP with the connection: while nothing of it was ever
  /// authenticated, a wrong key and a dead server look the same.
  func unheard(_ code: Fault.Code) -> Fault.Code {
    wrapKey.authenticates && authenticated == 0 ? .serverSilentOrWrongKey : code
  }

  func addLaneCounters(to counters: inout Counters) {
    counters.tunSentPackets = sent.packets
    counters.tunSentBytes = sent.bytes
    counters.tunReceivedPackets = received.packets
    counters.tunReceivedBytes = received.bytes
    for lane in [sent, received] {
      for drop in DataDrop.allCases where lane[drop] > 0 { counters.drops.append(.init(drop.rawValue, lane[drop])) }
    }
  }
}
