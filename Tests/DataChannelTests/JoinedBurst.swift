import Base
import DataChannel

/// What became of packets that went through `Coalescer.join` together.
struct JoinedBurst {
  /// In the order in which they leave: the places of the packets of each super-packet, or of one alone.
  private(set) var chains: [[Int]] = []
  /// Headers and bytes as the kernel is given them, for each chain.
  private(set) var headers: [VnetHeader?] = []
  private(set) var supers: [[UInt8]] = []
  /// The packets after `part`, if that was asked for.
  private(set) var parted: [[UInt8]] = []

  init(_ packets: [[UInt8]], with coalescer: inout Coalescer, in burst: inout Burst) {
    burst.reset()
    burst.forward(packets)
    coalescer.join(&burst)
    for index in 0..<burst.count where burst[index].verdict == .forward { read(burst, index) }
    for index in 0..<burst.count where burst[index].hasVnetHeader { Coalescer.part(&burst, head: index) }
    for index in 0..<burst.count {
      let packet = burst[index]
      if packet.verdict == .forward, packet.next == -1, !packet.hasVnetHeader { parted.append(burst.copy(index)) }
    }
  }

  private mutating func read(_ burst: borrowing Burst, _ head: Int) {
    var chain = [head]
    var bytes = burst.copy(head)
    while let last = chain.last, burst[last].next >= 0, chain.count <= burst.count {
      let next = Int(burst[last].next)
      chain.append(next)
      if burst[next].verdict == .joined { bytes += burst.copy(next) }
    }
    var header: VnetHeader?
    if burst[head].hasVnetHeader {
      let front = Int(burst[head].offset) - VnetHeader.size
      header = VnetHeader(reading: UnsafeRawPointer(burst.base + front))
    }
    chains.append(chain)
    headers.append(header)
    supers.append(bytes)
  }
}

extension Burst {
  mutating func forward(_ packets: [[UInt8]]) {
    for packet in packets {
      let isListed = append(copying: packet)
      precondition(isListed)
      self[count - 1].verdict = .forward
    }
  }

  /// What each packet leads to, and its bytes.
  var contents: [[Int32: [UInt8]]] {
    var all: [[Int32: [UInt8]]] = []
    for index in 0..<count { all.append([self[index].next: copy(index)]) }
    return all
  }
}

extension SuperPacket {
  /// The headers of the first and the payloads of all, as one packet to be cut; `nil` where that cannot be.
  init?(joining packets: [[UInt8]]) {
    guard let first = packets.first, let last = packets.last else { return nil }
    self.init()
    isIPv4 = first[0] >> 4 == 4
    let ipSize = isIPv4 ? 20 : 40
    isTCP = first[isIPv4 ? 9 : 6] == 6
    let size = ipSize + (isTCP ? Int(first[ipSize + 12] >> 4) * 4 : 8)
    guard packets.allSatisfy({ $0.count >= size }) else { return nil }
    network = Array(first[..<ipSize])
    transport = Array(first[ipSize..<size])
    if isTCP { transport[13] |= last[ipSize + 13] & 0x08 }
    for packet in packets { payload += packet[size...] }
    segmentSize = first.count - size
    clearSums()
  }

  /// As the kernel is given it, with its vnet header; `nil` when the two do not fit.
  init?(_ bytes: [UInt8], header: VnetHeader) {
    self.init()
    isIPv4 = bytes[0] >> 4 == 4
    isTCP = header.segmentation != .udp
    network = Array(bytes[..<Int(header.checksumStart)])
    transport = Array(bytes[Int(header.checksumStart)..<Int(header.headerLength)])
    payload = Array(bytes[Int(header.headerLength)...])
    segmentSize = Int(header.segmentSize)
    clearSums()
    guard self.header == header, self.bytes == bytes else { return nil }
  }

  private mutating func clearSums() {
    put16(&network, isIPv4 ? 2 : 4, 0)
    if isIPv4 { put16(&network, 10, 0) }
    put16(&transport, isTCP ? 16 : 6, 0)
    destination = Array(isIPv4 ? network[16..<20] : network[24..<40])
  }
}
