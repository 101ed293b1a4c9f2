import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("The MTU of the path", .enabled(if: Namespace.isRoot))
struct PathMTUTests {
  private struct Seen: Equatable {
    /// Of datagrams that fit, that are too large for the path, and too large for our own device.
    var sent: [Int32] = []
    var reported: [Int?] = []
    /// What the far end got, by size.
    var got: [Int] = []
    var lastError: Int32 = -1
    var isQuiet = false
    var tooLarge: UInt64 = 0
  }

  /// A router with 1400 bytes behind it, in a namespace without a name that ends with its `sleep`.
  private static let router = """
    unshare -n sleep 20 > /dev/null 2>&1 & room=$!
    until [ "$(readlink /proc/$room/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
    beyond() { nsenter -t $room -n "$@"; }
    ip link add v0 type veth peer name v1 netns $room
    ip link add w0 mtu 1400 type veth peer name w1 netns $room
    beyond ip link set w1 mtu 1400
    ip link set v0 up; ip link set w0 up; beyond ip link set v1 up; beyond ip link set w1 up
    beyond sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
    ip addr add 10.1.0.2/24 dev v0; ip -6 addr add fd01::2/64 dev v0 nodad
    beyond ip addr add 10.1.0.1/24 dev v1; beyond ip -6 addr add fd01::1/64 dev v1 nodad
    ip addr add 10.2.0.2/24 dev w0; ip -6 addr add fd02::2/64 dev w0 nodad
    beyond ip addr add 10.2.0.1/24 dev w1; beyond ip -6 addr add fd02::1/64 dev w1 nodad
    # The far end is this very namespace, so its addresses may not be local when we send to them.
    beyond ip route add 10.3.0.9 via 10.2.0.2; beyond ip -6 route add fd03::9 via fd02::2
    ip route add 10.3.0.9 via 10.1.0.1; ip -6 route add fd03::9 via fd01::1
    """

  @Test(
    "what may not be fragmented tells the path's MTU and the device's; other datagrams pass whatever their size",
    arguments: AddressFamily.allCases)
  func reports(family: AddressFamily) throws {
    let far = try #require(IPAddress(family == .ipv4 ? "10.3.0.9" : "fd03::9"))
    let headers = family == .ipv4 ? 28 : 48
    let seen = Namespace.run { () -> Seen? in
      guard Namespace.shell(Self.router) == 0,
        let own = try? TransportSocket.make(.udp, family, .init()),
        var socket = try? UDPSocket(own, peer: Endpoint(address: far, port: 9)),
        let tap = try? PacketTap(device: Int32(if_nametoindex("w0")))
      else { return nil }
      var seen = Seen()
      for size in [1400, 1500, 1501, 1401] {
        seen.sent.append(socket.sendWhole([UInt8](repeating: 7, count: size - headers)))
        var reported = socket.takeReportedMTU()
        while size > 1400, reported == nil, wait(for: socket.descriptor) {
          socket.drainErrors()
          reported = socket.takeReportedMTU()
        }
        seen.reported.append(reported)
      }
      // Data of a size that the path does not take; over IPv6 the path is known by now.
      seen.sent.append(socket.send([UInt8](repeating: 8, count: 1500 - headers)))
      var burst = Burst(capacity: 4096, maximumCount: 1)
      _ = burst.append(copying: [UInt8](repeating: 9, count: 1500 - headers))
      burst[0].verdict = .forward
      var cursor = FlushCursor()
      _ = socket.flush(burst, from: &cursor)
      repeat { seen.got += tap.sizes } while seen.got.count < 5 && wait(for: tap.descriptor)
      seen.lastError = socket.lastError
      seen.tooLarge = socket.counters.tooLarge
      seen.isQuiet = !wait(for: socket.descriptor, until: Clock.now)
      return seen
    }
    let result = try #require(seen ?? nil)
    #expect(result.sent == [0, 0, EMSGSIZE, 0, 0])
    #expect(result.reported == [nil, 1400, 1500, 1400])
    // One whole datagram, and two that came in pieces.
    #expect(result.got.first == 1400 && result.got.count == 5 && result.got.allSatisfy { $0 <= 1400 })
    #expect(result.lastError == 0 && result.tooLarge == 0 && result.isQuiet)
  }
}

/// - Returns: false when nothing came in time.
private func wait(for descriptor: Int32, until end: Instant = Clock.now + .seconds(5)) -> Bool {
  guard var poller = try? Poller(), (try? poller.add(descriptor, for: .readable, token: 0)) != nil else { return false }
  return (try? poller.wait(until: end)) == 1
}

extension PacketTap {
  /// Of the packets that came in and look like ours: UDP, or a piece of it.
  fileprivate var sizes: [Int] {
    var result: [Int] = []
    while let heard = next() {
      let bytes = heard.packet
      guard !heard.isOutgoing, bytes.count >= 20 else { continue }
      let isOurs = bytes[0] >> 4 == 4 ? bytes[9] == 17 : bytes[6] == 17 || bytes[6] == 44
      if isOurs { result.append(bytes.count) }
    }
    return result
  }
}
