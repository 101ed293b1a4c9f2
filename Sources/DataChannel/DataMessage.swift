/// What travels in the data channel besides IP packets (protocol.md section 11.1).
package enum DataMessage {
  package static let ping: [UInt8] = [
    0x2a, 0x18, 0x7b, 0xf3, 0x64, 0x1e, 0xb4, 0xcb, 0x07, 0xed, 0x2d, 0x0a, 0x98, 0x1f, 0xc7, 0x48,
  ]
  /// OCC, operation EXIT: the sender leaves.
  package static let exit: [UInt8] = [
    0x28, 0x7f, 0x34, 0x6b, 0xd4, 0xef, 0x7a, 0x81, 0x2d, 0x56, 0xb8, 0xd3, 0xaf, 0xc5, 0x45, 0x9c, exitOperation,
  ]

  enum Kind { case packet, ping, exit, otherOCC }

  private static let magicSize = 16
  private static let exitOperation: UInt8 = 6
  private static let pingHigh: UInt64 = 0x2a18_7bf3_641e_b4cb
  private static let pingLow: UInt64 = 0x07ed_2d0a_981f_c748
  private static let occHigh: UInt64 = 0x287f_346b_d4ef_7a81
  private static let occLow: UInt64 = 0x2d56_b8d3_afc5_459c

  /// A ping is the magic and nothing else; an OCC message begins with its own.
  static func kind(of payload: UnsafeRawPointer, count: Int) -> Kind {
    guard count >= magicSize else { return .packet }
    let high = unsafe UInt64(bigEndian: payload.loadUnaligned(as: UInt64.self))
    if high != pingHigh && high != occHigh { return .packet }
    let low = unsafe UInt64(bigEndian: payload.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    if high == pingHigh { return low == pingLow && count == magicSize ? .ping : .packet }
    guard low == occLow else { return .packet }
    guard count > magicSize else { return .otherOCC }
    return unsafe payload.load(fromByteOffset: magicSize, as: UInt8.self) == exitOperation ? .exit : .otherOCC
  }
}
