import Base
import ControlChannel
import Testing
import Wire

@Suite("Messages in order over a bad line") struct ReliableTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

  private func packet(
    _ messageID: UInt32?, acknowledging acknowledgements: [UInt32] = [], keyID: UInt8 = 0, payload: [UInt8] = []
  ) -> ControlPacket {
    ControlPacket(
      opcode: messageID == nil ? .ackV1 : .controlV1, keyID: keyID, sessionID: SessionID(1),
      acknowledgements: acknowledgements, peerSessionID: SessionID(2), messageID: messageID, payload: payload)
  }

  private func sender(_ count: Int, isStream: Bool = false) -> Reliable {
    var reliable = Reliable(keyID: 0, isStream: isStream)
    for index in 0..<count { reliable.queue(index == 0 ? .hardResetClientV2 : .controlV1, payload: [UInt8(index)]) }
    return reliable
  }

  @Test("at most six messages fly; the window moves with the lowest") func sendWindow() {
    var reliable = sender(8)
    #expect(reliable.packetsDue(at: at(0)).map(\.messageID) == [0, 1, 2, 3, 4, 5])
    #expect(reliable.packetsDue(at: at(0)).isEmpty)
    #expect(!reliable.canQueue)
    _ = reliable.receive(packet(nil, acknowledging: [1, 2]), at: at(0))
    #expect(reliable.packetsDue(at: at(0)).isEmpty)
    #expect(!reliable.canQueue)
    _ = reliable.receive(packet(nil, acknowledging: [0]), at: at(0))
    #expect(reliable.packetsDue(at: at(0)).map(\.messageID) == [6, 7])
    #expect(reliable.canQueue)
    _ = reliable.receive(packet(nil, acknowledging: [3, 4, 5, 6, 7]), at: at(0))
    #expect(reliable.allAcknowledged)
    #expect(reliable.nextDeadline == nil)
  }

  @Test("repetitions after 2 and 4 s, then every 8 s") func timetable() {
    var reliable = sender(1)
    var sent: [Int] = []
    for second in 0...60 where !reliable.packetsDue(at: at(second)).isEmpty { sent.append(second) }
    #expect(sent == [0, 2, 6, 14, 22, 30, 38, 46, 54])
    #expect(reliable.nextDeadline == at(62))
  }

  @Test("the first timeout is the option's") func firstTimeout() {
    var reliable = Reliable(keyID: 0, isStream: false, firstTimeout: .seconds(5))
    reliable.queue(.hardResetClientV2, payload: [])
    _ = reliable.packetsDue(at: at(0))
    #expect(reliable.nextDeadline == at(5))
    #expect(reliable.packetsDue(at: at(4)).isEmpty)
    #expect(reliable.packetsDue(at: at(5)).count == 1)
    #expect(reliable.nextDeadline == at(13))
  }

  @Test("three later acknowledgements repeat a message at once, and three more again") func fastRepetition() {
    var reliable = sender(6)
    _ = reliable.packetsDue(at: at(0))
    _ = reliable.receive(packet(nil, acknowledging: [1, 2]), at: at(0))
    #expect(reliable.packetsDue(at: at(0)).isEmpty)
    _ = reliable.receive(packet(nil, acknowledging: [3]), at: at(0))
    #expect(reliable.nextDeadline == at(0))
    #expect(reliable.packetsDue(at: at(0)).map(\.messageID) == [0])
    _ = reliable.receive(packet(nil, acknowledging: [3, 3, 4, 5]), at: at(0))
    #expect(reliable.packetsDue(at: at(0)).isEmpty)
  }

  @Test("over TCP nothing is ever repeated") func stream() {
    var reliable = sender(6, isStream: true)
    #expect(reliable.packetsDue(at: at(0)).count == 6)
    _ = reliable.receive(packet(nil, acknowledging: [1, 2, 3, 4]), at: at(0))
    reliable.resendAll(at: at(0))
    #expect(reliable.nextDeadline == nil)
    #expect(reliable.packetsDue(at: at(1_000)).isEmpty)
    #expect(!reliable.allAcknowledged)
  }

  @Test("a peer that comes to life gets everything again at once") func burst() {
    var reliable = sender(8)
    _ = reliable.packetsDue(at: at(0))
    reliable.resendAll(at: at(1))
    #expect(reliable.packetsDue(at: at(1)).map(\.messageID) == [0, 1, 2, 3, 4, 5])
  }

  @Test("a peer is provoked by what is in flight, else by what it has already, never by a reset") func provocation() {
    for isStream in [false, true] {
      var reliable = sender(1, isStream: isStream)
      reliable.provoke(at: at(0))
      #expect(reliable.packetsDue(at: at(0)).map(\.messageID) == [0])
      _ = reliable.receive(packet(nil, acknowledging: [0]), at: at(0))
      reliable.provoke(at: at(0))
      #expect(reliable.packetsDue(at: at(0)).isEmpty)

      reliable.queue(.controlV1, payload: [1])
      reliable.queue(.controlV1, payload: [2])
      #expect(reliable.packetsDue(at: at(1)).map(\.messageID) == [1, 2])
      reliable.provoke(at: at(1))
      #expect(reliable.packetsDue(at: at(1)).map(\.messageID) == (isStream ? [] : [1, 2]))
      _ = reliable.receive(packet(nil, acknowledging: [2, 1]), at: at(1))
      for _ in 0..<2 {
        reliable.provoke(at: at(2))
        #expect(reliable.packetsDue(at: at(2)).map(\.payload) == [[2]])
        #expect(reliable.packetsDue(at: at(2)).isEmpty && reliable.nextDeadline == nil)
      }
    }
  }

  @Test("a repetition keeps id, opcode and payload and takes the newest acknowledgements") func repetition() {
    var reliable = sender(1)
    let first = reliable.packetsDue(at: at(0))
    _ = reliable.receive(packet(0), at: at(1))
    let second = reliable.packetsDue(at: at(2))
    #expect(first == [.init(messageID: 0, opcode: .hardResetClientV2, payload: [0], acknowledgements: [])])
    #expect(second == [.init(messageID: 0, opcode: .hardResetClientV2, payload: [0], acknowledgements: [0])])
  }

  @Test("payloads come out in order, once, whatever order they came in") func order() {
    var reliable = Reliable(keyID: 0, isStream: false)
    for id in [2, 0, 1, 1, 4, 0, 3, 5, 2] as [UInt32] {
      #expect(reliable.receive(packet(id, payload: [UInt8(id)]), at: at(0)) == nil)
    }
    var payloads: [[UInt8]] = []
    while let payload = reliable.nextPayload() { payloads.append(payload) }
    #expect(payloads == [[0], [1], [2], [3], [4], [5]])
  }

  @Test("of two copies with the same id the first counts") func conflictingCopies() {
    var reliable = Reliable(keyID: 0, isStream: false)
    _ = reliable.receive(packet(1, payload: [1]), at: at(0))
    _ = reliable.receive(packet(1, payload: [2]), at: at(0))
    _ = reliable.receive(packet(0, payload: [0]), at: at(0))
    #expect([reliable.nextPayload(), reliable.nextPayload(), reliable.nextPayload()] == [[0], [1], nil])
  }

  @Test("twelve ids ahead are held, the thirteenth is dropped unacknowledged") func receiveWindow() {
    var reliable = Reliable(keyID: 0, isStream: false)
    #expect(reliable.receive(packet(11), at: at(0)) == nil)
    #expect(reliable.receive(packet(12), at: at(0)) == .badMessageID)
    #expect(reliable.receive(packet(.max), at: at(0)) == .badMessageID)
    #expect(reliable.acknowledgementDue() == [11])
    #expect(reliable.acknowledgementDue() == nil)
    for id in 0..<11 as Range<UInt32> { #expect(reliable.receive(packet(id), at: at(0)) == nil) }
    #expect(reliable.receive(packet(23), at: at(0)) == nil)
    #expect(reliable.receive(packet(24), at: at(0)) == .badMessageID)
  }

  @Test("a message that comes again is acknowledged again") func duplicateAcknowledged() {
    var reliable = Reliable(keyID: 0, isStream: false)
    _ = reliable.receive(packet(0), at: at(0))
    #expect(reliable.acknowledgementDue() == [0])
    #expect(reliable.acknowledgementDue() == nil)
    _ = reliable.receive(packet(0), at: at(1))
    #expect(reliable.acknowledgementDue() == [0])
  }

  @Test("four acknowledgements beside a message, eight alone, the newest lately sent ones to fill up")
  func acknowledgementLimits() {
    var reliable = sender(1)
    for id in 0..<12 as Range<UInt32> { _ = reliable.receive(packet(id), at: at(0)) }
    #expect(reliable.packetsDue(at: at(0)).map(\.acknowledgements) == [[0, 1, 2, 3]])
    #expect(reliable.acknowledgementDue() == [4, 5, 6, 7, 8, 9, 10, 11])
    #expect(reliable.acknowledgementDue() == nil)
    #expect(reliable.packetsDue(at: at(2)).map(\.acknowledgements) == [[11, 10, 9, 8]])
    _ = reliable.receive(packet(12), at: at(2))
    #expect(reliable.acknowledgementDue() == [12, 11, 10, 9, 8, 7, 6, 5])
  }

  @Test("H-10 with SoftEther at most four acknowledgements everywhere") func fourAcknowledgements() {
    var reliable = Reliable(keyID: 0, isStream: false, acknowledgementLimit: 4)
    for id in 0..<6 as Range<UInt32> { _ = reliable.receive(packet(id), at: at(0)) }
    #expect(reliable.acknowledgementDue() == [0, 1, 2, 3])
    #expect(reliable.acknowledgementDue()?.count == 4)
    #expect(reliable.acknowledgementDue() == nil)
  }

  @Test("hostile acknowledgements: unsent, unknown, doubled and foreign ids change nothing") func hostile() {
    var reliable = sender(8)
    _ = reliable.packetsDue(at: at(0))
    _ = reliable.receive(packet(nil, acknowledging: [6, 7, 8, 100, .max, 5, 5, 5, 5]), at: at(0))
    #expect(reliable.packetsDue(at: at(0)).isEmpty)
    #expect(!reliable.allAcknowledged)
    #expect(reliable.receive(packet(0, acknowledging: [0, 1, 2], keyID: 3), at: at(0)) == .unknownKeyID)
    #expect(reliable.nextPayload() == nil)
    _ = reliable.receive(packet(nil, acknowledging: [0]), at: at(0))
    #expect(reliable.packetsDue(at: at(0)).map(\.messageID) == [6])
  }

  @Test("acknowledgements count even where the message beside them is dropped") func acknowledgementsOfDropped() {
    var reliable = sender(1)
    _ = reliable.packetsDue(at: at(0))
    #expect(reliable.receive(packet(99, acknowledging: [0]), at: at(0)) == .badMessageID)
    #expect(reliable.allAcknowledged)
  }

  @Test("what a peer can make us remember has an end") func bounded() {
    var reliable = Reliable(keyID: 0, isStream: false)
    for id in 0..<1_000 as Range<UInt32> {
      _ = reliable.receive(packet(id), at: at(0))
      _ = reliable.nextPayload()
    }
    var owed = 0
    while let ids = reliable.acknowledgementDue() { owed += ids.count }
    #expect(owed == 32)
  }
}
