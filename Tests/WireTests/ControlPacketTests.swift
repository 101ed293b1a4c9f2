import Base
import Testing
import Wire

@Suite("Control packets")
struct ControlPacketTests {
  static let vectors: [(String, ControlPacket)] = [
    (
      "38 6891923fa3103437 00 00000000",
      ControlPacket(
        opcode: .hardResetClientV2, keyID: 0, sessionID: SessionID(0x6891_923f_a310_3437), messageID: 0)
    ),
    (
      "28 aeb9afe1f01d79c8 01 00000000 dd85db535623b02e",
      ControlPacket(
        opcode: .ackV1, keyID: 0, sessionID: SessionID(0xaeb9_afe1_f01d_79c8), acknowledgements: [0],
        peerSessionID: SessionID(0xdd85_db53_5623_b02e))
    ),
    (
      "28 aeb9afe1f01d79c8 03 00000000 00000001 00000002 dd85db535623b02e",
      ControlPacket(
        opcode: .ackV1, keyID: 0, sessionID: SessionID(0xaeb9_afe1_f01d_79c8), acknowledgements: [0, 1, 2],
        peerSessionID: SessionID(0xdd85_db53_5623_b02e))
    ),
    (
      "20 7819bf2ebcd19a45 01 00000000 eafebfa4418ae31b 00000001 160301",
      ControlPacket(
        opcode: .controlV1, keyID: 0, sessionID: SessionID(0x7819_bf2e_bcd1_9a45), acknowledgements: [0],
        peerSessionID: SessionID(0xeafe_bfa4_418a_e31b), messageID: 1, payload: [0x16, 0x03, 0x01])
    ),
  ]

  @Test("the vectors of protocol.md section 2.6 are read and written", arguments: vectors)
  func readAndWritten(hex: String, packet: ControlPacket) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(packet.bytes == bytes)
    #expect(ControlPacket.parse(bytes) == .success(packet))
  }

  @Test("a packet cut anywhere is a named drop, never a trap", arguments: vectors)
  func everyCut(hex: String, packet: ControlPacket) throws {
    let bytes = try #require(Hex.bytes(hex))
    let needed = bytes.count - packet.payload.count
    for length in 0..<needed {
      guard case .failure(let drop) = ControlPacket.parse(Array(bytes.prefix(length))) else {
        Issue.record("\(length) bytes of \(hex) were taken")
        continue
      }
      #expect([.tooShort, .badAcknowledgements].contains(drop))
    }
  }

  @Test("nine acknowledgements are one too many")
  func nineAcknowledgements() {
    var bytes: [UInt8] = [0x20, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    bytes += Array(repeating: 0, count: 9 * 4 + 8 + 4)
    #expect(ControlPacket.parse(bytes) == .failure(.badAcknowledgements))
    bytes[9] = 8
    #expect(throws: Never.self) { try ControlPacket.parse(bytes).get() }
  }

  @Test("an acknowledgement of nothing is refused")
  func emptyAcknowledgement() {
    #expect(ControlPacket.parse([0x28, 1, 2, 3, 4, 5, 6, 7, 8, 0]) == .failure(.badAcknowledgements))
  }

  @Test("a session id of zeros is refused")
  func zeroSession() {
    #expect(ControlPacket.parse([0x38] + Array(repeating: 0, count: 13)) == .failure(.zeroSessionID))
  }

  @Test("data packets and dead opcodes are not control packets", arguments: [0x30, 0x48, 0x08, 0x10, 0x00, 0xff])
  func otherOpcodes(byte: UInt8) {
    #expect(ControlPacket.parse([byte, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0]) == .failure(.unknownOpcode))
  }

  @Test("a hard reset must be message 0")
  func resetMessage() {
    #expect(ControlPacket.parse([0x40, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 1]) == .failure(.badMessageID))
  }

  @Test("random bytes of all lengths never trap")
  func randomBytes() {
    var generator = SystemRandomNumberGenerator()
    for length in 0...100 {
      for _ in 0..<50 {
        _ = ControlPacket.parse((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
      }
    }
  }
}
