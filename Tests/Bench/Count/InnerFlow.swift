import Base
import DataChannel

/// One TCP flow as it leaves a host: segments of 1,400 bytes, whole or as one super-packet whose checksum and cuts the tun
/// leaves to us.
struct InnerFlow {
  static let payload = 1400
  /// IPv4 and TCP with timestamps.
  static let header = 52
  static let segments = 45

  private var sequence: UInt32 = 1
  private var identification: UInt16 = 1

  /// The next `count` segments, each with its checksums.
  mutating func next(_ count: Int) -> [[UInt8]] {
    (0..<count).map { _ in
      defer {
        sequence &+= UInt32(Self.payload)
        identification &+= 1
      }
      return packet(payload: Self.payload)
    }
  }

  /// `segments` segments in one, the TCP checksum that of the pseudo header alone.
  static func superPacket() -> (header: VnetHeader, bytes: [UInt8]) {
    let header = VnetHeader(
      needsChecksum: true, segmentation: .tcpIPv4, headerLength: UInt16(header), segmentSize: UInt16(payload),
      checksumStart: 20, checksumOffset: 16)
    return (header, InnerFlow().packet(payload: payload * segments, isPartial: true))
  }

  private func packet(payload: Int, isPartial: Bool = false) -> [UInt8] {
    let tcp = Self.header - 20 + payload
    var bytes: [UInt8] = [0x45, 0]
    bytes.append(bigEndian: UInt16(20 + tcp))
    bytes.append(bigEndian: identification)
    bytes += [0x40, 0, 64, 6, 0, 0, 10, 8, 0, 2, 10, 8, 0, 1]
    put(~sum(bytes[...]), into: &bytes, at: 10)
    bytes += [0x13, 0x88, 0x14, 0x51]
    bytes.append(bigEndian: sequence)
    bytes += [0, 0, 0, 1, 0x80, 0x10, 0x01, 0xf5, 0, 0, 0, 0, 1, 1, 8, 10, 0, 0, 1, 0, 0, 0, 2, 0]
    bytes += (0..<payload).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let pseudo = sum(bytes[12..<20] + [0, 6, UInt8(tcp >> 8), UInt8(tcp & 255)])
    put(pseudo, into: &bytes, at: 36)
    if !isPartial { put(~sum(bytes[20...]), into: &bytes, at: 36) }
    return bytes
  }

  private func put(_ value: UInt16, into bytes: inout [UInt8], at offset: Int) {
    bytes[offset] = UInt8(value >> 8)
    bytes[offset + 1] = UInt8(value & 255)
  }

  private func sum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var total: UInt32 = 0
    for (index, byte) in bytes.enumerated() { total += UInt32(byte) << (index % 2 == 0 ? 8 : 0) }
    while total > 0xffff { total = total & 0xffff + total >> 16 }
    return UInt16(total)
  }
}

extension VnetHeader {
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { write(into: base) } }
    return bytes
  }
}
