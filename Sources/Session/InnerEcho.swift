package import Base
package import Crypto

/// Echo requests (RFC 792, RFC 4443) that the session makes itself and sends through the tunnel like a packet of the LAN.
///
/// Their answers are taken out before the tun: a kernel socket of ours would never see them, because a strict rp_filter
/// drops what comes from an address that is routed elsewhere. A mark of 64 random bits in every request tells them from
/// the pings of hosts.
package struct InnerEcho: Sendable {
  /// Who asked, so that the answer finds its way.
  package enum Purpose: Hashable, Sendable {
    /// Whether the server still answers.
    case life
    /// How large packets may be.
    case size
  }

  package struct Answer: Hashable, Sendable {
    package var purpose: Purpose
    /// Bytes of the IP packet that was sent.
    package var size: Int
    package var sentAt: Instant
    package var roundTrip: Duration

    package init(purpose: Purpose, size: Int, sentAt: Instant, roundTrip: Duration) {
      self.purpose = purpose
      self.size = size
      self.sentAt = sentAt
      self.roundTrip = roundTrip
    }
  }

  private struct Question {
    var sequence: UInt16
    var target: IPAddress
    var purpose: Purpose
    var size: Int
    var sentAt: Instant
  }

  /// Answers that come later are nobody's.
  private static let patience: Duration = .seconds(10)
  private static let mostOutstanding = 64
  private static let largest = 65_535

  private var outstanding: [Question] = []
  private var sequence: UInt16 = 0
  private let identifier: UInt16
  private let mark: UInt64

  /// Answers that were taken out of the tunnel, and their bytes: no traffic of anybody.
  package private(set) var takenPackets: UInt64 = 0
  package private(set) var takenBytes: UInt64 = 0

  package init(random: RandomSource) {
    mark = random.uint64()
    identifier = UInt16(truncatingIfNeeded: random.uint64())
  }

  /// True while answers may come: only then need packets be looked at.
  package var isWaiting: Bool { !outstanding.isEmpty }

  /// The smallest request: headers and mark.
  package static func smallest(_ family: AddressFamily) -> Int { (family == .ipv4 ? 20 : 40) + 16 }

  /// - Parameters:
  ///   - size: of the whole IP packet; smaller than possible means as small as possible.
  ///   - isWhole: nobody on the way may cut it in pieces. IPv6 packets never are.
  /// - Returns: the IP packet to send; `nil` when the addresses are of two families or nothing is that large.
  package mutating func request(
    _ purpose: Purpose, from source: IPAddress, to target: IPAddress, size: Int = 0, isWhole: Bool = false,
    at now: Instant
  ) -> [UInt8]? {
    guard source.family == target.family, size <= Self.largest else { return nil }
    forget(at: now)
    if outstanding.count == Self.mostOutstanding { outstanding.removeFirst() }
    sequence &+= 1
    let packet = EchoPacket.request(
      from: source, to: target, size: max(size, Self.smallest(source.family)), isWhole: isWhole,
      identifier: identifier, sequence: sequence, mark: mark)
    outstanding.append(
      Question(sequence: sequence, target: target, purpose: purpose, size: packet.count, sentAt: now))
    return packet
  }

  /// What the packet answers; `nil` when it is none of ours. For every packet that comes while `isWaiting`: a few
  /// comparisons for all that is not ICMP.
  package mutating func answer(_ packet: Span<UInt8>, at now: Instant) -> Answer? {
    guard let reply = EchoPacket.Reply(packet), reply.identifier == identifier, reply.mark == mark,
      let index = outstanding.firstIndex(where: {
        $0.sequence == reply.sequence && $0.target == reply.source && $0.size == packet.count
      })
    else { return nil }
    let question = outstanding.remove(at: index)
    takenPackets &+= 1
    takenBytes &+= UInt64(packet.count)
    return Answer(
      purpose: question.purpose, size: question.size, sentAt: question.sentAt, roundTrip: now - question.sentAt)
  }

  /// Gives up those that are not answered any more.
  package mutating func forget(at now: Instant) { outstanding.removeAll { $0.sentAt + Self.patience <= now } }
}
