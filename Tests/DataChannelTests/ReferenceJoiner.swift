/// The rules of joining, said another way than the room says them: two neighbours of a connection belong together when
/// cutting their union gives them back.
struct ReferenceJoiner {
  private struct Run {
    var chain: [Int]
    var key: [UInt8]
  }

  private let packets: [[UInt8]]
  private var open: [Run] = []
  private var chains: [[Int]] = []

  private init(_ packets: [[UInt8]]) { self.packets = packets }

  static func chains(of packets: [[UInt8]]) -> [[Int]] {
    var joiner = ReferenceJoiner(packets)
    for index in packets.indices { joiner.take(index) }
    joiner.closeAll()
    return joiner.chains.sorted { $0[0] < $1[0] }
  }

  private mutating func take(_ index: Int) {
    let packet = packets[index]
    guard Self.mayBelong(packet) else { return chains.append([index]) }
    guard let headers = Self.headerSizes(packet) else {
      closeAll()
      return chains.append([index])
    }
    let key = [packet[headers.ip == 20 ? 9 : 6]] + packet[headers.ip == 20 ? 12..<24 : 8..<44]
    var joined: [Int] = []
    if let slot = open.firstIndex(where: { $0.key == key }) {
      let run = open.remove(at: slot)
      if isExtended(run, by: packet, headers) { joined = run.chain } else { chains.append(run.chain) }
    }
    let before = joined.last.map { packets[$0].count } ?? packet.count
    let hasPush = Self.isTCP(packet) && packet[headers.ip + 13] & 8 != 0
    if Self.isPlain(packet, headers), !hasPush, packet.count == before {
      open.append(Run(chain: joined + [index], key: key))
    } else {
      chains.append(joined + [index])
    }
  }

  private func isExtended(_ run: Run, by packet: [UInt8], _ headers: (ip: Int, upper: Int)) -> Bool {
    let previous = packets[run.chain[run.chain.count - 1]]
    let bytes = run.chain.reduce(0) { $0 + packets[$1].count } - (run.chain.count - 1) * (headers.ip + headers.upper)
    return run.chain.count < 64 && bytes + packet.count - headers.ip - headers.upper <= 65_535
      && Self.isPlain(packet, headers) && SuperPacket(joining: [previous, packet])?.segments == [previous, packet]
  }

  private mutating func closeAll() {
    chains += open.map(\.chain)
    open = []
  }

  /// Data with no flag but PSH, and just as any kernel and device would have made it.
  private static func isPlain(_ packet: [UInt8], _ headers: (ip: Int, upper: Int)) -> Bool {
    let checksum = get16(packet, headers.ip + (isTCP(packet) ? 16 : 6))
    guard packet.count > headers.ip + headers.upper, checksum != 0, checksum != 0xffff,
      SuperPacket(joining: [packet])?.segments == [packet]
    else { return false }
    return !isTCP(packet) || [0x10, 0x18].contains(packet[headers.ip + 13]) && packet[headers.ip + 12] % 16 == 0
  }

  private static func isTCP(_ packet: [UInt8]) -> Bool { packet[packet[0] >> 4 == 4 ? 9 : 6] == 6 }

  private static func mayBelong(_ packet: [UInt8]) -> Bool {
    guard packet.count >= 20 else { return true }
    switch packet[0] {
    case 0x45...0x4f: return [6, 17].contains(packet[9])
    case 0x60...0x6f: return [6, 17, 0, 43, 44, 51, 60, 135, 139, 140].contains(packet[6])
    default: return false
    }
  }

  /// `nil` where the headers are not the plain ones.
  private static func headerSizes(_ packet: [UInt8]) -> (ip: Int, upper: Int)? {
    guard packet.count >= 20 else { return nil }
    let isIPv4 = packet[0] >> 4 == 4
    let ip = isIPv4 ? 20 : 40
    guard packet.count >= ip + 8 else { return nil }
    if isIPv4, packet[0] != 0x45 || get16(packet, 2) != packet.count || get16(packet, 6) & 0xbfff != 0 { return nil }
    if !isIPv4, ![6, 17].contains(packet[6]) || get16(packet, 4) + 40 != packet.count { return nil }
    guard isTCP(packet) else { return get16(packet, ip + 4) == packet.count - ip ? (ip, 8) : nil }
    guard packet.count >= ip + 20 else { return nil }
    let tcp = Int(packet[ip + 12] >> 4) * 4
    return tcp >= 20 && ip + tcp <= packet.count ? (ip, tcp) : nil
  }
}
