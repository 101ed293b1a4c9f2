/// The upper five bits of a packet's first byte (protocol.md section 1.2).
///
/// The resets of key method 1 (1 and 2) are dead and not listed, so they are unknown.
package enum Opcode: UInt8, Hashable, Sendable, CaseIterable {
  case softResetV1 = 3  // P_CONTROL_SOFT_RESET_V1
  case controlV1 = 4  // P_CONTROL_V1
  case ackV1 = 5  // P_ACK_V1
  case dataV1 = 6  // P_DATA_V1
  case hardResetClientV2 = 7  // P_CONTROL_HARD_RESET_CLIENT_V2
  case hardResetServerV2 = 8  // P_CONTROL_HARD_RESET_SERVER_V2
  case dataV2 = 9  // P_DATA_V2
  case hardResetClientV3 = 10  // P_CONTROL_HARD_RESET_CLIENT_V3
  case controlWKCV1 = 11  // P_CONTROL_WKC_V1

  // The derived one is generic code when it is called from another room; every packet asks.
  package static func == (left: Opcode, right: Opcode) -> Bool { left.rawValue == right.rawValue }

  package var isData: Bool { self == .dataV1 || self == .dataV2 }

  /// The packets that open a session; their message id is always 0.
  package var isHardReset: Bool {
    self == .hardResetClientV2 || self == .hardResetServerV2 || self == .hardResetClientV3
  }
}

/// The first byte of every packet: `opcode << 3 | key id`.
package struct PacketHead: Hashable, Sendable {
  package var opcode: Opcode
  /// 0...7.
  package var keyID: UInt8

  package init(opcode: Opcode, keyID: UInt8) {
    precondition(keyID < 8)
    self.opcode = opcode
    self.keyID = keyID
  }

  /// - Returns: `nil` for an opcode that nobody speaks.
  package init?(byte: UInt8) {
    guard let opcode = Opcode(rawValue: byte >> 3) else { return nil }
    self.opcode = opcode
    keyID = byte & 7
  }

  package var byte: UInt8 { opcode.rawValue << 3 | keyID }
  package var isData: Bool { opcode.isData }
}
