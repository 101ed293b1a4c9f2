import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("The tun device", .enabled(if: Namespace.isRoot))
struct TunDeviceTests {
  /// IPv4, UDP, from 10.9.0.1 to 10.9.0.2 port 9, as the kernel sends it; checksums are the kernel's business.
  private struct Seen {
    var packets: [[UInt8]] = []
    var written: TunDevice.Written?
    var writeErrors: UInt64 = 0
    var writtenPackets: UInt64 = 0
    var readPackets: UInt64 = 0
    var reply: [UInt8] = []
    var down: TunDevice.Written?
  }

  @Test("packets come without their header and go with one")
  func packets() throws {
    let seen = Namespace.run { () -> Seen? in
      guard let name = DeviceName("tun-t"), let raw = try? TunDevice.open(name, isPersistent: false) else { return nil }
      var tun = TunDevice(raw)
      guard
        Namespace.shell(
          "ip link set tun-t up mtu 1400 && ip -6 addr flush dev tun-t && ip addr add 10.9.0.1/24 dev tun-t"
            + " && ip link set tun-t multicast off") == 0
      else { return nil }
      var seen = Seen()
      guard
        let socket = try? TransportSocket.make(
          .udp, .ipv4, .init(local: Endpoint(address: .v4(IPv4Address(10, 9, 0, 1)), port: 7))),
        var udp = try? UDPSocket(socket, peer: Endpoint(address: .v4(IPv4Address(10, 9, 0, 2)), port: 9))
      else { return nil }
      _ = udp.send(Array("hello".utf8))
      var burst = Burst(capacity: 64 * 1600, maximumCount: 64)
      while case .some = tun.fill(&burst, slot: Burst.headroom + 1400, most: 64) {}
      for index in 0..<burst.count where burst.copy(index).first.map({ $0 >> 4 }) == 4 {
        seen.packets.append(burst.copy(index))
      }
      // The answer: addresses and ports swapped, no UDP checksum.
      guard var packet = seen.packets.first, packet.count == 33 else { return seen }
      packet.swapAt(15, 19)
      packet.swapAt(21, 23)
      packet[26] = 0
      packet[27] = 0
      burst.reset()
      _ = burst.append(copying: packet)
      burst[0].verdict = .forward
      var index = 0
      seen.written = tun.flush(burst, from: &index)
      _ = burst.append(copying: [1, 2, 3])
      burst[0].verdict = .consumed
      burst[1].verdict = .forward
      index = 0
      _ = tun.flush(burst, from: &index)
      seen.writeErrors = tun.counters.writeErrors
      seen.writtenPackets = tun.counters.writtenPackets
      seen.readPackets = tun.counters.readPackets
      var answer = Burst(capacity: 64 * 1600, maximumCount: 64)
      if case .some = udp.fill(&answer, slot: 1600) { seen.reply = answer.copy(0) }
      _ = Namespace.shell("ip link del tun-t")
      index = 0
      seen.down = tun.flush(burst, from: &index)
      return seen
    }
    let result = try #require(seen ?? nil)
    #expect(result.packets.count == 1)
    #expect(result.packets.first?.suffix(5) == Array("hello".utf8)[...])
    #expect(result.written == .done)
    #expect(result.reply == Array("hello".utf8))
    #expect(result.writtenPackets == 1)
    #expect(result.writeErrors == 1)
    #expect(result.readPackets >= 1)
    #expect(result.down == .broken(EBADFD))
  }

  @Test("a held device is busy, a persistent one outlives its holder")
  func holding() throws {
    let results = Namespace.run { () -> [Int32] in
      guard let name = DeviceName("tun-p") else { return [] }
      var results: [Int32] = []
      do {
        let first = try TunDevice.open(name, isPersistent: true)
        results.append(Self.failure(opening: name))
        _ = first.raw
      } catch { return [] }
      results.append(Namespace.shell("ip link show tun-p"))
      results.append(Self.failure(opening: name))
      results.append(Namespace.shell("ip link show tun-p") == 0 ? 0 : 1)
      return results
    }
    #expect(results == [EBUSY, 0, 0, 1])
  }

  /// 0 = it could be opened, and is gone again.
  private static func failure(opening name: DeviceName) -> Int32 {
    do {
      _ = try TunDevice.open(name, isPersistent: false)
      return 0
    } catch { return error.number }
  }
}
