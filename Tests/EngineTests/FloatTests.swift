import Base
import Exchange
import TestKit
import Testing

@Suite("An engine whose server answers from another address")
struct FloatTests {
  @Test("with float the handshake and both directions of the data go through, from the first answer on")
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

  @Test("with float a server that moves under way is heard, and so is what it says from its old address again")
  func moves() throws {
    let lab = try Laboratory(.udp, options: "float\n")
    #expect(try lab.bringUp())
    for (index, isElsewhere) in [true, false, true].enumerated() {
      lab.answersFromElsewhere = isElsewhere
      lab.sendFromServer(InnerPacket.make(UInt64(index)))
      #expect(try lab.run(until: { lab.delivered.count == index + 1 }))
    }
    #expect(lab.delivered == (0..<3).map { InnerPacket.make(UInt64($0)) })
    #expect(try lab.askCounters()?.drops == [])
    #expect(lab.mirror.resets == 1 && lab.ended == nil)
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
