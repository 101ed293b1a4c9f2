package import Base
package import Wire

/// Turns datagrams that get lost, doubled and swapped into messages in order, for one key id (protocol.md section 2).
///
/// It hands out messages, not bytes: whoever sends wraps every transmission anew.
package struct Reliable: Hashable, Sendable {
  /// Ids ahead of the next that we hold (section 2.2).
  package static let receiveWindow = 12
  /// Acknowledgements beside a message.
  package static let piggybackLimit = 4
  /// Acknowledgements of later messages that tell a loss before the timer does.
  private static let lossAfter = 3
  /// Doubling stops here; 2.x doubles up to the end of the handshake, and on a bad line four losses then cost all of it.
  private static let longestTimeout: Duration = .seconds(8)
  /// Owed acknowledgements that are kept; a peer that repeats old messages for ever gets no more memory than this.
  private static let owedLimit = 32

  /// One transmission to make.
  package struct Outgoing: Hashable, Sendable {
    package var messageID: UInt32
    package var opcode: Opcode
    package var payload: [UInt8]
    package var acknowledgements: [UInt32]

    package init(messageID: UInt32, opcode: Opcode, payload: [UInt8], acknowledgements: [UInt32]) {
      self.messageID = messageID
      self.opcode = opcode
      self.payload = payload
      self.acknowledgements = acknowledgements
    }
  }

  package let keyID: UInt8
  private let isStream: Bool
  private let sendWindow: Int
  private let firstTimeout: Duration
  private let acknowledgementLimit: Int

  private var unacknowledged: [Message] = []
  private var nextToQueue: UInt32 = 0
  /// The newest message that the peer has, the reset apart: a repetition of that may begin a session.
  private var acknowledged: Message?
  private var repeatsAcknowledged = false

  private var early: [UInt32: [UInt8]] = [:]
  private var inOrder: [[UInt8]] = []
  private var nextToReceive: UInt32 = 0

  private var owed: [UInt32] = []
  /// Sent lately, newest first; repeating them costs nothing and mends a lost acknowledgement.
  private var repeated: [UInt32] = []

  /// - Parameters:
  ///   - isStream: TCP loses nothing, so nothing is repeated.
  ///   - sendWindow: messages in flight; 2.4 and 2.5 hold 8, so 6 is safe with every server.
  ///   - firstTimeout: `tls-timeout`.
  ///   - acknowledgementLimit: ids in one P_ACK_V1; 4 where the server may be SoftEther and nothing wraps.
  package init(
    keyID: UInt8, isStream: Bool, sendWindow: Int = 6, firstTimeout: Duration = .seconds(2),
    acknowledgementLimit: Int = 8
  ) {
    precondition(sendWindow > 0 && (1...ControlPacket.maximumAcknowledgements).contains(acknowledgementLimit))
    self.keyID = keyID
    self.isStream = isStream
    self.sendWindow = sendWindow
    self.firstTimeout = firstTimeout
    self.acknowledgementLimit = acknowledgementLimit
  }

  // MARK: Sending

  /// True while another message would leave at once.
  package var canQueue: Bool {
    nextToQueue < .max && nextToQueue - (unacknowledged.first?.id ?? nextToQueue) < UInt32(sendWindow)
  }

  /// True when the peer has everything.
  package var allAcknowledged: Bool { unacknowledged.isEmpty }

  /// Gives the message the next id.
  ///
  /// What does not fit into the window waits here; ask `canQueue` first to keep it out.
  package mutating func queue(_ opcode: Opcode, payload: [UInt8]) {
    precondition(opcode != .ackV1 && !opcode.isData && nextToQueue < .max)
    unacknowledged.append(Message(id: nextToQueue, opcode: opcode, payload: payload, timeout: firstTimeout))
    nextToQueue += 1
  }

  /// Transmissions to make now: new messages, and those that seem lost. Asking again at once gives none.
  package mutating func packetsDue(at now: Instant) -> [Outgoing] {
    var due: [Outgoing] = []
    if repeatsAcknowledged, let message = acknowledged { due.append(outgoing(message)) }
    repeatsAcknowledged = false
    guard let lowest = unacknowledged.first?.id else { return due }
    for index in unacknowledged.indices {
      guard unacknowledged[index].id - lowest < UInt32(sendWindow) else { break }
      guard unacknowledged[index].isDue(at: now) else { continue }
      unacknowledged[index].noteSent(at: now, again: !isStream)
      due.append(outgoing(unacknowledged[index]))
    }
    return due
  }

  private mutating func outgoing(_ message: Message) -> Outgoing {
    Outgoing(
      messageID: message.id, opcode: message.opcode, payload: message.payload,
      acknowledgements: takeAcknowledgements(atMost: Self.piggybackLimit))
  }

  /// When `packetsDue` may next have something that it does not have now.
  package var nextDeadline: Instant? { unacknowledged.compactMap(\.resendAt).min() }

  /// Makes everything in flight due: the peer just came to life (section 2.3).
  package mutating func resendAll(at now: Instant) {
    guard !isStream else { return }
    for index in unacknowledged.indices where unacknowledged[index].wasSent {
      unacknowledged[index].resendAt = now
      unacknowledged[index].timeout = firstTimeout
    }
  }

  /// Makes a peer that lives acknowledge something: what is in flight anyway, else a message that it has already, which it
  /// must acknowledge again and otherwise ignore (section 2.2).
  package mutating func provoke(at now: Instant) {
    if unacknowledged.isEmpty { repeatsAcknowledged = acknowledged != nil } else { resendAll(at: now) }
  }

  // MARK: Receiving

  /// Takes what a packet of this key id acknowledges and carries.
  ///
  /// - Returns: why its message was not taken; its acknowledgements count all the same.
  package mutating func receive(_ packet: ControlPacket, at now: Instant) -> ControlDrop? {
    guard packet.keyID == keyID else { return .unknownKeyID }
    for id in packet.acknowledgements { acknowledge(id, at: now) }
    guard let id = packet.messageID else { return nil }
    if id < nextToReceive {
      owe(id)
      return nil
    }
    guard id - nextToReceive < UInt32(Self.receiveWindow), id < .max else { return .badMessageID }
    owe(id)
    // The first copy stays: a second one with other content is not the same message.
    if early[id] == nil { early[id] = packet.payload }
    while let payload = early.removeValue(forKey: nextToReceive) {
      inOrder.append(payload)
      nextToReceive += 1
    }
    return nil
  }

  /// The next payload in order, the reset's first.
  package mutating func nextPayload() -> [UInt8]? { inOrder.isEmpty ? nil : inOrder.removeFirst() }

  /// Acknowledgements that no message took along, for one P_ACK_V1; ask until `nil`.
  package mutating func acknowledgementDue() -> [UInt32]? {
    owed.isEmpty ? nil : takeAcknowledgements(atMost: acknowledgementLimit)
  }

  private mutating func owe(_ id: UInt32) {
    if !owed.contains(id), owed.count < Self.owedLimit { owed.append(id) }
  }

  /// The owed ids first, then as many lately sent ones as still fit.
  private mutating func takeAcknowledgements(atMost limit: Int) -> [UInt32] {
    let fresh = Array(owed.prefix(limit))
    owed.removeFirst(fresh.count)
    let old = repeated.filter { !fresh.contains($0) }
    let taken = fresh + old.prefix(limit - fresh.count)
    repeated = Array((fresh.reversed() + old).prefix(ControlPacket.maximumAcknowledgements))
    return taken
  }

  /// Ids that were never sent acknowledge nothing, whoever claims them.
  private mutating func acknowledge(_ id: UInt32, at now: Instant) {
    guard let index = unacknowledged.firstIndex(where: { $0.id == id }), unacknowledged[index].wasSent else { return }
    let message = unacknowledged.remove(at: index)
    if message.opcode == .controlV1, id >= acknowledged?.id ?? 0 { acknowledged = message }
    guard !isStream else { return }
    for earlier in 0..<index {
      unacknowledged[earlier].laterAcknowledged += 1
      if unacknowledged[earlier].laterAcknowledged >= Self.lossAfter {
        unacknowledged[earlier].laterAcknowledged = 0
        unacknowledged[earlier].resendAt = now
      }
    }
  }

  private struct Message: Hashable, Sendable {
    var id: UInt32
    var opcode: Opcode
    var payload: [UInt8]
    /// Until the next repetition; doubles with each.
    var timeout: Duration
    var resendAt: Instant?
    var laterAcknowledged = 0
    var wasSent = false

    func isDue(at now: Instant) -> Bool { wasSent ? resendAt.map { $0 <= now } ?? false : true }

    mutating func noteSent(at now: Instant, again: Bool) {
      wasSent = true
      guard again else { return }
      resendAt = now + timeout
      timeout = min(timeout * 2, max(timeout, Reliable.longestTimeout))
    }
  }
}
