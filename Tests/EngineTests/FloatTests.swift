import Base
import Exchange
import TestKit
import Testing

@Suite("An engine whose server answers from another address")
struct FloatTests {
  @Test("with float the handshake and both directions of the data go to where the first answer came from")
  func floats() throws {
    let lab = try Laboratory(.udp, options: "float\n")
    lab.answersFromElsewhere = true
    #expect(try lab.bringUp())
    lab.sendFromServer(InnerPacket.make(1))
    #expect(try lab.run(until: { !lab.delivered.isEmpty }))
    #expect(lab.delivered == [InnerPacket.make(1)])
    #expect(lab.sendInside(InnerPacket.make(2)))
    #expect(try lab.run(until: { !lab.mirror.received.isEmpty }))
    #expect(lab.mirror.received == [InnerPacket.make(2)])
    #expect(try lab.askCounters()?.drops == [])
  }

  @Test("with float our packets follow a server that moves under way, and back to its old address")
  func moves() throws {
    let lab = try Laboratory(.udp, options: "float\n")
    #expect(try lab.bringUp())
    for (index, isElsewhere) in [true, false, true].enumerated() {
      lab.answersFromElsewhere = isElsewhere
      lab.sendFromServer(InnerPacket.make(UInt64(index)))
      #expect(try lab.run(until: { lab.delivered.count == index + 1 }))
      #expect(lab.sendInside(InnerPacket.make(UInt64(10 + index))))
      #expect(try lab.run(until: { lab.mirror.received.count == index + 1 }))
    }
    #expect(lab.delivered == (0..<3).map { InnerPacket.make(UInt64($0)) })
    #expect(try lab.askCounters()?.drops == [])
    #expect(lab.mirror.resets == 1 && lab.ended == nil)
    #expect(lab.notes.count { $0.code == .serverMoved } == 1)
  }

  @Test("with float nobody without the keys turns our packets to himself")
  func isNotMisled() throws {
    let lab = try Laboratory(.udp, options: "float\n")
    #expect(try lab.bringUp())
    lab.sendFromElsewhere([0x48, 0, 0, 0, 0, 0, 0, 9] + [UInt8](repeating: 7, count: 60))
    lab.sendFromElsewhere([0x38] + [UInt8](repeating: 7, count: 60))
    lab.sendFromServer(InnerPacket.make(1))
    #expect(try lab.run(until: { !lab.delivered.isEmpty }))
    #expect(lab.sendInside(InnerPacket.make(2)))
    #expect(try lab.run(until: { !lab.mirror.received.isEmpty }))
    #expect(lab.mirror.received == [InnerPacket.make(2)])
    #expect(lab.notes.allSatisfy { $0.code != .serverMoved })
  }

  @Test("without float what comes from another address is counted and reaches nobody, even if its keys are right")
  func staysWithItsPeer() throws {
    let lab = try Laboratory(.udp)
    #expect(try lab.bringUp())
    lab.answersFromElsewhere = true
    lab.sendFromServer(InnerPacket.make(1))
    lab.answersFromElsewhere = false
    lab.sendFromServer(InnerPacket.make(2))
    #expect(try lab.run(until: { !lab.delivered.isEmpty }))
    #expect(lab.delivered == [InnerPacket.make(2)])
    #expect(try lab.askCounters()?.drops == [Counters.Drop("foreign_source", 1)])
  }
}
