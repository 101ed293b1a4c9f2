import Testing
import Wire

@Suite("Packet head")
struct PacketHeadTests {
  @Test(
    "the first byte of protocol.md section 1.2, both ways",
    arguments: [
      (0x18, Opcode.softResetV1), (0x20, .controlV1), (0x28, .ackV1), (0x30, .dataV1), (0x38, .hardResetClientV2),
      (0x40, .hardResetServerV2), (0x48, .dataV2), (0x50, .hardResetClientV3), (0x58, .controlWKCV1),
    ] as [(UInt8, Opcode)])
  func firstByte(byte: UInt8, opcode: Opcode) {
    for keyID in 0..<8 as Range<UInt8> {
      #expect(PacketHead(byte: byte | keyID) == PacketHead(opcode: opcode, keyID: keyID))
      #expect(PacketHead(opcode: opcode, keyID: keyID).byte == byte | keyID)
    }
  }

  @Test("every other first byte is unknown")
  func unknown() {
    for byte in 0...255 as ClosedRange<UInt8> where !(3...11).contains(byte >> 3) {
      #expect(PacketHead(byte: byte) == nil)
    }
  }

  @Test("only opcodes 6 and 9 carry data")
  func data() {
    #expect(Opcode.allCases.filter(\.isData) == [.dataV1, .dataV2])
  }
}
