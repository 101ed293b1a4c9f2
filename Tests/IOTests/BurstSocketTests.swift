import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("Sockets and bursts")
struct BurstSocketTests {
  static let loopback = IPAddress.v4(IPv4Address(127, 0, 0, 1))
  static let loopback6 = IPAddress.v6(IPv6Address(high: 0, low: 1))
  private let slot = Burst.headroom + 1500

  /// A socket bound to a free port of the loopback.
  private static func bound(
    _ transport: Transport = .udp, to address: IPAddress = loopback
  ) throws -> FileDescriptor {
    try TransportSocket.make(
      transport, address.family, TransportSocket.Options(local: Endpoint(address: address, port: 0)))
  }

  private static func endpoint(_ socket: borrowing FileDescriptor) throws -> Endpoint {
    let asked = try UDPSocket(FileDescriptor(owning: dup(socket.raw)), peer: Endpoint(address: loopback, port: 1))
    let endpoint = asked.localEndpoint
    return try #require(endpoint)
  }

  private static func own(_ socket: borrowing UDPSocket) throws -> Endpoint {
    let endpoint = socket.localEndpoint
    return try #require(endpoint)
  }

  private func wait(for descriptor: Int32, _ readiness: Poller.Readiness = .readable) throws {
    var poller = try Poller()
    try poller.add(descriptor, for: readiness, token: 0)
    #expect(try poller.wait(until: Clock.now + .seconds(10)) == 1)
  }

  @Test("a burst crosses the loopback whole, and only what is to be forwarded", arguments: [loopback, loopback6])
  func bursts(address: IPAddress) throws {
    let left = try Self.bound(to: address)
    let right = try Self.bound(to: address)
    let (leftEnd, rightEnd) = (try Self.endpoint(left), try Self.endpoint(right))
    var sender = try UDPSocket(left, peer: rightEnd)
    var receiver = try UDPSocket(right, peer: leftEnd)
    var out = Burst(capacity: 128 * 1024, maximumCount: 100)
    for index in 0..<100 {
      _ = out.append(copying: [UInt8](repeating: UInt8(index), count: index + 1))
      out[index].verdict = index % 10 == 9 ? .dropped : .forward
    }
    var cursor = FlushCursor()
    #expect(sender.flush(out, from: &cursor) == .done)
    var got: [[UInt8]] = []
    var burst = Burst(capacity: 64 * slot, maximumCount: 64)
    while got.count < 90 {
      try wait(for: receiver.descriptor)
      guard case .some = receiver.fill(&burst, slot: slot) else { break }
      for index in 0..<burst.count {
        #expect(burst[index].verdict == .fresh)
        #expect(Int(burst[index].offset) >= Burst.headroom)
        got.append(burst.copy(index))
      }
      burst.reset()
    }
    let expected = (0..<100).filter { $0 % 10 != 9 }.map { [UInt8](repeating: UInt8($0), count: $0 + 1) }
    #expect(got == expected)
    #expect(receiver.fill(&burst, slot: slot) == .nothing)
  }

  @Test("strangers and oversized datagrams are counted and dropped")
  func filtering() throws {
    let peerSocket = try Self.bound()
    let stranger = try Self.bound()
    let socket = try Self.bound()
    let (peer, own) = (try Self.endpoint(peerSocket), try Self.endpoint(socket))
    var fromPeer = try UDPSocket(peerSocket, peer: own)
    var fromStranger = try UDPSocket(stranger, peer: own)
    var receiver = try UDPSocket(socket, peer: peer)
    #expect(fromStranger.send([1]) == 0)
    #expect(fromPeer.send([UInt8](repeating: 2, count: 1501)) == 0)
    #expect(fromPeer.send([UInt8](repeating: 3, count: 1500)) == 0)
    var burst = Burst(capacity: 64 * slot, maximumCount: 64)
    #expect(receiver.fill(&burst, slot: slot) == .some(3))
    let verdicts = (0..<3).map { burst[$0].verdict }
    #expect(verdicts == [.dropped, .dropped, .fresh])
    #expect(receiver.counters.foreign == 1)
    #expect(receiver.counters.truncated == 1)
    receiver.acceptsStrangers = true
    #expect(fromStranger.send([4]) == 0)
    burst.reset()
    #expect(receiver.fill(&burst, slot: slot) == .some(1))
    #expect(burst[0].verdict == .fresh)
  }

  @Test("a refusal by ICMP is remembered and the socket stays of use")
  func refused() throws {
    let closed: Endpoint
    do {
      let gone = try Self.bound()
      closed = try Self.endpoint(gone)
    }
    var socket = try UDPSocket(try Self.bound(), peer: closed)
    #expect(socket.send([1]) == 0)
    var burst = Burst(capacity: 64 * slot, maximumCount: 64)
    try wait(for: socket.descriptor)
    #expect(socket.fill(&burst, slot: slot) == .nothing)
    #expect(socket.lastError == ECONNREFUSED)
    #expect(socket.counters.reported == 1)
    // Nothing is left that would keep a level-triggered loop awake.
    var poller = try Poller()
    try poller.add(socket.descriptor, for: .readable, token: 0)
    #expect(try poller.wait(until: Clock.now) == 0)
    #expect(socket.send([1]) == 0)
  }

  @Test("a datagram that cannot be sent is skipped, the rest goes")
  func tooLarge() throws {
    let right = try Self.bound()
    var sender = try UDPSocket(try Self.bound(), peer: try Self.endpoint(right))
    var out = Burst(capacity: 256 * 1024, maximumCount: 4)
    _ = out.append(copying: [1])
    _ = out.append(copying: [UInt8](repeating: 2, count: 66_000))
    _ = out.append(copying: [3])
    for index in 0..<3 { out[index].verdict = .forward }
    var cursor = FlushCursor()
    #expect(sender.flush(out, from: &cursor) == .done)
    #expect(sender.counters.tooLarge == 1)
    var receiver = try UDPSocket(right, peer: try Self.own(sender))
    var burst = Burst(capacity: 64 * slot, maximumCount: 64)
    try wait(for: receiver.descriptor)
    _ = receiver.fill(&burst, slot: slot)
    #expect((0..<burst.count).map { burst.copy($0) } == [[1], [3]])
  }

  @Test("the kernel is asked what a handed descriptor is")
  func kinds() throws {
    for transport in Transport.allCases {
      for family in AddressFamily.allCases {
        let asked = TransportSocket.kind(of: try TransportSocket.make(transport, family, .init()))
        let kind = try #require(asked)
        #expect(kind == (transport, family))
      }
    }
    let pair = try MessageSocket.pair()
    let none = TransportSocket.kind(of: pair.ours) == nil
    #expect(none)
  }

  @Test("transport sockets carry the mark and the device", .enabled(if: Namespace.isRoot))
  func marks() throws {
    let device = try #require(DeviceName("lo"))
    let socket = try TransportSocket.make(.udp, .ipv4, .init(mark: 0xad00_0000, device: device))
    var mark: UInt32 = 0
    var size = socklen_t(4)
    #expect(getsockopt(socket.raw, SOL_SOCKET, SO_MARK, &mark, &size) == 0)
    #expect(mark == 0xad00_0000)
    var name = [UInt8](repeating: 0, count: 16)
    size = 16
    #expect(getsockopt(socket.raw, SOL_SOCKET, SO_BINDTODEVICE, &name, &size) == 0)
    #expect(name.prefix(3) == Array("lo\0".utf8)[...])
  }
}
