/// One way of a TCP connection or of a UDP flow: makes its segments one after the other, as a plain sender would, or with one
/// thing odd.
struct Connection {
  /// What is odd about a segment.
  enum Oddity: CaseIterable {
    case shorter, longer, empty, push, lost
    case fin, syn, reset, urgent, echo, reduced, noAck, reserved, urgentPointer
    case acknowledgement, window, option, moreOptions, hopLimit, service, fragmentBit, identification
    case badChecksum, badPayload, badHeader, zeroChecksum, onesChecksum
    case trailing, truncated, fragment, extended

    /// What datagrams have too.
    static let ofDatagrams: [Oddity] = [
      .shorter, .longer, .empty, .hopLimit, .service, .fragmentBit, .identification, .badChecksum, .badPayload,
      .badHeader,
      .zeroChecksum, .onesChecksum, .trailing, .truncated, .fragment, .extended,
    ]
  }

  /// IP and TCP header of the next segment, lengths and checksums aside.
  var network: [UInt8]
  var transport: [UInt8]
  /// Payload bytes of a segment without oddity.
  var size: Int

  var isIPv4: Bool { network[0] >> 4 == 4 }
  var isTCP: Bool { network[isIPv4 ? 9 : 6] == 6 }
  private var checksumField: Int { isTCP ? 16 : 6 }

  init(isIPv4: Bool, size: Int, hasTimestamps: Bool = true, using generator: inout SeededGenerator) {
    self.size = size
    if isIPv4 {
      network = [0x45, 0, 0, 0] + generator.bytes(2) + [0x40, 0, 60, 6, 0, 0] + generator.bytes(8)
    } else {
      network = [0x60] + generator.bytes(3) + [0, 0, 6, 60] + generator.bytes(32)
    }
    transport = generator.bytes(12) + [0x50, 0x10] + generator.bytes(2) + [0, 0, 0, 0]
    if hasTimestamps {
      transport += [1, 1, 8, 10] + generator.bytes(8)
      transport[12] = 0x80
    }
  }

  /// Of UDP.
  init(datagramsOf size: Int, isIPv4: Bool, using generator: inout SeededGenerator) {
    self.init(isIPv4: isIPv4, size: size, using: &generator)
    network[isIPv4 ? 9 : 6] = 17
    transport = generator.bytes(4) + [0, 0, 0, 0]
  }

  mutating func place(sequence: UInt32, identification: Int) {
    put16(&transport, 4, Int(sequence >> 16))
    put16(&transport, 6, Int(sequence & 0xffff))
    if isIPv4 { put16(&network, 4, identification) }
  }

  /// - Parameter lasts: what is odd about the header stays so.
  mutating func segment(
    _ oddity: Oddity? = nil, lasts: Bool = false, using generator: inout SeededGenerator
  ) -> [UInt8] {
    var ip = network
    var upper = transport
    var payload = generator.bytes(size)
    switch oddity {
    case .shorter: payload.removeLast(Int.random(in: 0..<size, using: &generator))
    case .longer: payload += generator.bytes(.random(in: 1...50, using: &generator))
    case .empty: payload = []
    case .lost: move(&upper, by: Int.random(in: 1...3, using: &generator) * size)
    case .some(let oddity): alter(&ip, &upper, oddity)
    case nil: break
    }
    if lasts {
      network = ip
      transport = upper
      if isTCP, oddity == .push || upper[13] != 0x10 { transport[13] = 0x10 }
    }
    if oddity == .lost { transport = upper }
    move(&transport, by: payload.count)
    if isIPv4 { put16(&network, 4, (get16(ip, 4) + 1) & 0xffff) }
    if oddity == .identification, !lasts, isIPv4 { put16(&network, 4, get16(network, 4) - 7) }
    return mangle(packet(ip, upper, payload), oddity, ip.count, upper.count)
  }

  private func move(_ upper: inout [UInt8], by count: Int) {
    guard isTCP else { return }
    let sequence = UInt32(get16(upper, 4)) << 16 | UInt32(get16(upper, 6))
    let moved = sequence &+ UInt32(count)
    put16(&upper, 4, Int(moved >> 16))
    put16(&upper, 6, Int(moved & 0xffff))
  }

  private func alter(_ ip: inout [UInt8], _ upper: inout [UInt8], _ oddity: Oddity) {
    guard isTCP || Oddity.ofDatagrams.contains(oddity) else { return }
    switch oddity {
    case .push: upper[13] |= 0x08
    case .fin: upper[13] |= 0x01
    case .syn: upper[13] |= 0x02
    case .reset: upper[13] |= 0x04
    case .urgent: upper[13] |= 0x20
    case .echo: upper[13] |= 0x40
    case .reduced: upper[13] |= 0x80
    case .noAck: upper[13] = 0
    case .reserved: upper[12] |= 0x01
    case .urgentPointer: upper[19] ^= 1
    case .acknowledgement: upper[11] ^= 1
    case .window: upper[15] ^= 1
    case .option: if upper.count > 20 { upper[upper.count - 1] ^= 1 }
    case .moreOptions:
      if upper.count < 60 {
        upper += [1, 1, 1, 1]
        upper[12] += 0x10
      }
    case .hopLimit: ip[isIPv4 ? 8 : 7] -= 1
    // ECN's CE, or the flow label.
    case .service: ip[isIPv4 ? 1 : 3] ^= 3
    case .fragmentBit: if isIPv4 { ip[6] ^= 0x40 } else { ip[1] ^= 0x30 }
    case .identification: if isIPv4 { put16(&ip, 4, (get16(ip, 4) + 7) & 0xffff) } else { ip[2] ^= 1 }
    default: break
    }
  }

  private func mangle(_ packet: [UInt8], _ oddity: Oddity?, _ ipSize: Int, _ upperSize: Int) -> [UInt8] {
    var packet = packet
    let field = ipSize + checksumField
    switch oddity {
    case .badChecksum: packet[field] ^= 1
    case .badPayload: packet[packet.count - 1] ^= 0x80
    case .badHeader: if isIPv4 { packet[10] ^= 1 } else { packet[field + 1] ^= 1 }
    case .zeroChecksum, .onesChecksum:
      let first = ipSize + upperSize
      guard packet.count >= first + 2 else { return packet }
      // The checksum goes into the payload, and so becomes none.
      let word = get16(packet, first) + get16(packet, field)
      put16(&packet, first, word > 0xffff ? word - 0xffff : word)
      put16(&packet, field, oddity == .zeroChecksum ? 0 : 0xffff)
    case .trailing: packet.append(0)
    case .truncated: packet.removeLast()
    case .fragment:
      if isIPv4 {
        packet[7] |= 1
        put16(&packet, 10, 0)
        put16(&packet, 10, 0xffff - wordSum(Array(packet[..<20])))
      } else {
        packet[6] = 44
        packet.insert(contentsOf: [isTCP ? 6 : 17, 0, 0, 9, 1, 2, 3, 4], at: 40)
        put16(&packet, 4, packet.count - 40)
      }
    case .extended:
      let ip = packet[..<ipSize]
      let upper = Array(packet[ipSize..<ipSize + upperSize])
      let extra: [UInt8] = isIPv4 ? [1, 1, 1, 1] : [isTCP ? 6 : 17, 0, 1, 4, 0, 0, 0, 0]
      var extended = Array(ip) + extra
      if isIPv4 { extended[0] = 0x46 } else { extended[6] = 60 }
      return self.packet(extended, upper, Array(packet[(ipSize + upperSize)...]))
    default: break
    }
    return packet
  }

  /// Writes lengths and checksums.
  private func packet(_ ip: [UInt8], _ upper: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    var ip = ip
    var upper = upper
    let count = upper.count + payload.count
    let isIPv4 = ip[0] >> 4 == 4
    put16(&upper, checksumField, 0)
    if !isTCP { put16(&upper, 4, count) }
    let addresses = isIPv4 ? ip[12..<20] : ip[8..<40]
    let pseudoHeader: [UInt8] = Array(addresses) + [0, isTCP ? 6 : 17, UInt8(count >> 8), UInt8(count & 0xff)]
    let sum = 0xffff - wordSum(pseudoHeader + upper + payload)
    put16(&upper, checksumField, sum == 0 && !isTCP ? 0xffff : sum)
    put16(&ip, isIPv4 ? 2 : 4, isIPv4 ? ip.count + count : ip.count - 40 + count)
    if isIPv4 {
      put16(&ip, 10, 0)
      put16(&ip, 10, 0xffff - wordSum(ip))
    }
    return ip + upper + payload
  }
}
