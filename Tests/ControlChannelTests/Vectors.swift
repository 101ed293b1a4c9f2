import Base
import ControlChannel
import Crypto
import Testing
import Wire

/// Bytes written as hexadecimal digits.
func hex(_ text: String) -> [UInt8] { Hex.bytes(text) ?? [] }

enum Vectors {
  /// The static key "TK" of protocol.md section 3.6.
  static let testKeyDigits = """
    37268ea8f95d7f71f9fb8fc03770c460 daf714a483d815c013ce0a537efc18f2 8f4f172669d9e6a413bac6741d8ea054
    00f49b7fd6326470f23798c606bf53d4 de63ebc64ec59d57ce5d04d5b62e68b5 3ca6e5354351097fa370446c4d269f18
    7bb6ae54af2dc70ff7317fe2f8754b82 82aad4202f9fa42c8640245d883e2c54 a0c1c489a036cf3a8964d8d289c1583b
    9447c262b1da5fd167a5d27bd5ac5143 17bc2343a31a2efc38dd920d910375f5 1c2e27f3afd36c49269da079f7ce466e
    bb0f9ad13e9bbb4665974e6bc24b513c 5700393bf4a3e7f967e2f384069ac8a8 e78b18b15604993fd16515cce9c0f3e4
    2b4126b999005ade802797b0eeb8b9e6
    """
  static let w1 = hex("38de694c5c7bfba27493537c1ded4e781529ae7cfe4b8c6d6b2b51f05a0000000161d3bf6c0000000000")
  static let w2 = hex(
    "38f419cb12d1f9e48f0000000161d3f8e1330206f56802be44fbed905064e3db43416bec5e526719462b7eb90c96defc9b05c44879f7")
  static let w9 = hex(
    """
    4011121314151617180000000165000000916c21bc5d66000ca71f818325982ca7144e1e830dfa355ba6a36731fc080406eb9321d5176a
    d919439633cb4220c3a5bb
    """)
  static let w10 = hex(
    """
    40111213141516171800000001650000003bf459bd9bbe6246be9fde25c3f6dec4d7c2783fc9c616bdb1731eac7836bcc86646a0b7e6d3
    90a41ba04ce7e64fbdaf2a300093b16650
    """)

  static func key(_ bytes: [UInt8]) throws -> StaticKey { try #require(StaticKey(bytes: SecretBytes(bytes))) }
  static func testKey() throws -> StaticKey { try key(hex(testKeyDigits)) }
  /// 00 01 … ff.
  static func countingKey() throws -> StaticKey { try key(Array(0...255)) }
  static func serverKey() throws -> TLSCryptV2ServerKey {
    try #require(TLSCryptV2ServerKey(bytes: SecretBytes(Array(0..<128))))
  }

  static let clientID = SessionID(0x0102_0304_0506_0708)
  static let serverID = SessionID(0x1112_1314_1516_1718)
  static let time = WallTime(seconds: 0x6500_0000)

  static func reset(_ opcode: Opcode = .hardResetClientV2, _ id: SessionID = clientID, keyID: UInt8 = 0)
    -> ControlPacket
  {
    ControlPacket(opcode: opcode, keyID: keyID, sessionID: id, messageID: 0)
  }

  static func wrap(_ key: WrapKey, _ role: ControlWrap.Role = .client, at seconds: Int64 = 0x6500_0000) -> ControlWrap {
    ControlWrap(key, role: role, wallTime: WallTime(seconds: seconds))
  }

  /// The first packet that a fresh client sends under a key.
  static func sealed(_ packet: ControlPacket, _ key: WrapKey, at seconds: Int64 = 0x6500_0000) -> [UInt8] {
    var wrap = wrap(key, at: seconds)
    return wrap.seal(packet)
  }
}

/// A packet or why there is none, comparable in one line.
func open(_ bytes: [UInt8], _ wrap: inout ControlWrap) -> ControlDrop? {
  switch wrap.open(bytes) {
  case .success: nil
  case .failure(let drop): drop
  }
}
