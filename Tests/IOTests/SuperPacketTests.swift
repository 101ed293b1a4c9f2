import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("Super-packets of a tun", .enabled(if: Namespace.isRoot))
struct SuperPacketTests {
  private struct Seen {
    var offloads: Offloads = []
    var isConnected = false
    var read: VnetHeader?
    var readLength = 0
    var sent: [UInt8] = []
    var crossed: [UInt8] = []
    var written: TunDevice.Written?
    var writtenPackets: UInt64 = 0
    var received: [UInt8] = []
    var refused: TunDevice.Written?
    var after: Offloads = []
    var steps: [OffloadStep] = []
    var off: Offloads = []
    var largestWhenOff = 0
  }

  private static let clientPort: UInt16 = 40_000
  private static let start: UInt32 = 1_000_000

  /// IPv4 and TCP, from 10.9.0.2 port 80 to 10.9.0.1.
  ///
  /// - Parameter behind: payload bytes of the pieces that follow.
  private static func packet(
    flags: UInt8, sequence: UInt32, acknowledging: UInt32, _ payload: [UInt8] = [], behind: Int = 0
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x45, 0]
    bytes.append(bigEndian: UInt16(40 + payload.count + behind))
    bytes += [0, 1, 0x40, 0, 64, 6, 0, 0, 10, 9, 0, 2, 10, 9, 0, 1]
    var sum = stride(from: 0, to: 20, by: 2).reduce(UInt32(0)) { $0 + UInt32(bytes[$1]) << 8 + UInt32(bytes[$1 + 1]) }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    bytes[10] = UInt8(~sum >> 8 & 0xff)
    bytes[11] = UInt8(~sum & 0xff)
    bytes.append(bigEndian: UInt16(80))
    bytes.append(bigEndian: clientPort)
    bytes.append(bigEndian: sequence)
    bytes.append(bigEndian: acknowledging)
    bytes += [5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]
    return bytes + payload
  }

  /// Lists a packet whose checksum is left to the kernel.
  private static func append(_ bytes: [UInt8], to burst: inout Burst, segment: Int = 0) {
    _ = burst.append(copying: bytes)
    let index = burst.count - 1
    burst[index].verdict = .forward
    burst[index].hasVnetHeader = true
    let header = VnetHeader(
      needsChecksum: true, segmentation: segment > 0 ? .tcpIPv4 : .none, headerLength: 40, segmentSize: UInt16(segment),
      checksumStart: 20, checksumOffset: 16)
    header.write(into: burst.base + (Int(burst[index].offset) - VnetHeader.size))
  }

  private static func next(_ tun: inout TunDevice, _ burst: inout Burst) -> Bool {
    burst.reset()
    guard var poller = try? Poller(), (try? poller.add(tun.descriptor, for: .readable, token: 0)) != nil,
      (try? poller.wait(until: Clock.now + .seconds(5))) == 1
    else { return false }
    if case .some = tun.fill(&burst, slot: 2048, most: 1) { return true }
    return false
  }

  private static func read32(_ bytes: [UInt8], at place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func talk() -> Seen? {
    guard let name = DeviceName("tun-s"), let raw = try? TunDevice.open(name, isPersistent: false) else { return nil }
    var tun = TunDevice(raw)
    var seen = Seen()
    tun.offload(.auto)
    seen.offloads = tun.offloads
    guard
      Namespace.shell(
        "ip link set tun-s up mtu 1400 && ip addr add 10.9.0.1/24 dev tun-s && ip link set tun-s multicast off"
          + " && sysctl -qw net.ipv4.tcp_timestamps=0") == 0,
      let socket = try? TransportSocket.make(
        .tcp, .ipv4, .init(local: Endpoint(address: .v4(IPv4Address(10, 9, 0, 1)), port: clientPort))),
      var stream = try? TCPSocket(socket),
      case .underWay = stream.connect(to: Endpoint(address: .v4(IPv4Address(10, 9, 0, 2)), port: 80))
    else { return nil }
    var burst = Burst(capacity: 4 * TunDevice.superSlot, maximumCount: 8)
    var answers = Burst(capacity: 64 * 1024, maximumCount: 8)
    var index = 0
    // The SYN, beside what IPv6 says by itself.
    repeat { guard next(&tun, &burst) else { return seen } } while burst.copy(0)[0] >> 4 != 4
    let ours = read32(burst.copy(0), at: 24) &+ 1
    append(packet(flags: 0x12, sequence: start, acknowledging: ours), to: &answers)
    _ = tun.flush(answers, from: &index)
    seen.isConnected = next(&tun, &burst) && stream.connectResult() == 0

    // Out: what TCP has to send comes uncut.
    seen.sent = (0..<4000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    var offset = 0
    _ = stream.send(seen.sent, from: &offset)
    while seen.crossed.count < seen.sent.count, next(&tun, &burst) {
      let bytes = burst.copy(0)
      guard bytes.count > 40 else { continue }
      if bytes.count > seen.readLength {
        seen.readLength = bytes.count
        if burst[0].hasVnetHeader {
          seen.read = VnetHeader(reading: burst.base + (Int(burst[0].offset) - VnetHeader.size))
        }
      }
      seen.crossed += bytes[40...]
    }

    // In: three segments from where they lie.
    let end = ours &+ UInt32(seen.sent.count)
    let pieces = (1...3).map { [UInt8](repeating: $0, count: $0 == 3 ? 500 : 1200) }
    answers.reset()
    let head = packet(flags: 0x10, sequence: start &+ 1, acknowledging: end, pieces[0], behind: 1700)
    append(head, to: &answers, segment: 1200)
    // The list's order says nothing; the chain does.
    for piece in [pieces[2], pieces[1]] {
      _ = answers.append(copying: piece)
      answers[answers.count - 1].verdict = .joined
    }
    answers[0].next = 2
    answers[2].next = 1
    index = 0
    let before = tun.counters.writtenPackets
    seen.written = tun.flush(answers, from: &index)
    seen.writtenPackets = tun.counters.writtenPackets - before
    var buffer = StreamBuffer()
    var poller = try? Poller()
    try? poller?.add(stream.descriptor, for: .readable, token: 0)
    while buffer.unread.count < 2900, (try? poller?.wait(until: Clock.now + .seconds(5))) == 1 {
      guard case .some = stream.fill(&buffer) else { break }
    }
    seen.received = Array(buffer.unread)

    // A header that no kernel takes stands for one that takes no super-packets.
    let broken = VnetHeader(
      needsChecksum: true, segmentation: .tcpIPv4, headerLength: 40, checksumStart: 20, checksumOffset: 16)
    broken.write(into: answers.base + (Int(answers[0].offset) - VnetHeader.size))
    index = 0
    seen.refused = tun.flush(answers, from: &index)
    seen.after = tun.offloads
    seen.steps = tun.takeSteps()

    tun.offload(.mmsg)
    seen.off = tun.offloads
    offset = 0
    _ = stream.send(seen.sent, from: &offset)
    var left = seen.sent.count
    while left > 0, next(&tun, &burst) {
      let bytes = burst.copy(0)
      guard bytes.count > 40 else { continue }
      seen.largestWhenOff = max(seen.largestWhenOff, bytes.count)
      left -= bytes.count - 40
    }
    return seen
  }

  @Test("TCP comes uncut and goes joined, unless the kernel refuses it or nobody wants it")
  func superPackets() throws {
    let result = Namespace.run { Self.talk() }
    let seen = try #require(result ?? nil)
    #expect(seen.offloads == [.tso, .uso, .coalesce])
    #expect(seen.isConnected)
    #expect(seen.crossed == seen.sent)
    #expect(seen.readLength > 1400)
    let read = try #require(seen.read)
    #expect(read.segmentation == .tcpIPv4 && read.needsChecksum)
    #expect((500...1360).contains(read.segmentSize) && read.checksumStart == 20 && read.checksumOffset == 16)
    #expect(seen.written == .done)
    #expect(seen.writtenPackets == 1)
    #expect(seen.received == (1...3).flatMap { [UInt8](repeating: $0, count: $0 == 3 ? 500 : 1200) })
    #expect(seen.refused == .refused)
    #expect(seen.after == [.tso, .uso])
    #expect(seen.steps == [OffloadStep(.coalesce, .refused(EINVAL))])
    #expect(seen.off == [])
    #expect((41...1400).contains(seen.largestWhenOff))
  }
}
