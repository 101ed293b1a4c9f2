import Base
import Glibc

/// The packets of a file that tcpdump wrote.
struct Capture {
  /// IP packets.
  var packets: [[UInt8]] = []

  private static let ethernet = 1

  init(path: String) {
    guard let bytes = fileBytes(path), bytes.count >= 24 else { return }
    let link = Self.number(bytes, at: 20)
    var offset = 24
    while offset + 16 <= bytes.count {
      let count = Self.number(bytes, at: offset + 8)
      offset += 16
      guard offset + count <= bytes.count else { return }
      packets.append(Array(bytes[offset..<offset + count].dropFirst(link == Self.ethernet ? 14 : 0)))
      offset += count
    }
  }

  /// What lies in datagrams of IPv4, and whether they went to this port.
  func datagrams(port: UInt16) -> [(isToPort: Bool, bytes: [UInt8])] {
    packets.compactMap { packet in
      let header = Int(packet[0] & 15) * 4
      guard packet.count >= header + 8 else { return nil }
      let destination = UInt16(packet[header + 2]) << 8 | UInt16(packet[header + 3])
      let length = Int(packet[header + 4]) << 8 | Int(packet[header + 5])
      return (destination == port, Array(packet[header + 8..<header + length]))
    }
  }

  /// Little-endian, as tcpdump writes on this machine.
  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
  }
}

func fileBytes(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { return bytes }
    bytes += chunk.prefix(count)
  }
}
