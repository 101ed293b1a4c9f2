internal import Base
internal import Wire

/// The cleartext in front of a sealed packet: `op|key`, and with DATA_V2 a peer id of 24 bits.
struct PacketHeader {
  private let peerID: UInt32?

  init(peerID: UInt32?) { self.peerID = peerID }

  static func size(_ opcode: Opcode) -> Int { opcode == .dataV2 ? 4 : 1 }

  var opcode: Opcode { peerID == nil ? .dataV1 : .dataV2 }
  var size: Int { Self.size(opcode) }

  func write(keyID: UInt8, into out: UnsafeMutableRawPointer) {
    let byte = opcode.rawValue << 3 | keyID
    if let peerID {
      unsafe out.storeBytes(of: (UInt32(byte) << 24 | peerID & 0xff_ffff).bigEndian, as: UInt32.self)
    } else {
      unsafe out.storeBytes(of: byte, as: UInt8.self)
    }
  }
}

/// The id in every sealed packet: 32 bits, from 1 (section 8.2).
enum PacketID {
  static let size = 4

  static func read(_ bytes: UnsafeRawPointer) -> UInt32 {
    unsafe UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
  }
}
