import Base
import DataChannel

extension UpLane {
  /// One packet, as bare datagrams even on a stream: more than one with `fragment` alone.
  package mutating func seal(_ packet: [UInt8], isStream: Bool = false) -> [[UInt8]] {
    var plain = Burst(capacity: 4096, maximumCount: 1)
    var sealed = Burst(capacity: 8192, maximumCount: 32)
    guard plain.append(copying: packet) else { return [] }
    seal(&plain, into: &sealed)
    return (0..<sealed.count).map { isStream ? Array(sealed.copy($0).dropFirst(2)) : sealed.copy($0) }
  }
}

extension DownLane {
  /// The inner packet, when it is one to hand on.
  package mutating func open(_ bytes: [UInt8]) -> [UInt8]? {
    var burst = Burst(capacity: 8192, maximumCount: 1)
    guard burst.append(copying: bytes) else { return nil }
    open(&burst)
    return burst[0].verdict == .forward ? burst.copy(0) : nil
  }
}

/// An IPv4 packet that carries a number.
package enum InnerPacket {
  package static func make(_ number: UInt64, size: Int = 28) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(size, 28))
    bytes[0] = 0x45
    bytes[2] = UInt8(bytes.count >> 8)
    bytes[3] = UInt8(bytes.count & 255)
    for index in 0..<8 { bytes[20 + index] = UInt8(truncatingIfNeeded: number >> UInt64(56 - index * 8)) }
    return bytes
  }

  /// What a gateway that ends in 1 answers to an echo request; `nil` for everything else.
  package static func echoAnswer(to packet: [UInt8]) -> [UInt8]? {
    var answer = packet
    if packet.count >= 28, packet[0] == 0x45, packet[9] == 1, packet[20] == 8, packet[19] == 1 {
      answer.replaceSubrange(12..<20, with: packet[16..<20] + packet[12..<16])
      answer[20] = 0
      return answer
    }
    guard packet.count >= 48, packet[0] >> 4 == 6, packet[6] == 58, packet[40] == 128, packet[39] == 1 else {
      return nil
    }
    answer.replaceSubrange(8..<40, with: packet[24..<40] + packet[8..<24])
    answer[40] = 129
    return answer
  }

  package static func number(_ packet: [UInt8]) -> UInt64 {
    packet[20..<28].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
