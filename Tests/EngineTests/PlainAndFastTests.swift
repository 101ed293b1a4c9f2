import Base
import CLinux
import Crypto
import DataChannel
import IO
import Testing

/// The same traffic, once with nothing merged anywhere and once with everything: from the tun through lane, socket, socket
/// and lane to the other tun, where what is joined is cut again as the kernel does.
@Suite("The plain path and the fast one")
struct PlainAndFastTests {
  private static let largest = 1500

  /// Two lanes with one key between two sockets of the loopback.
  private struct Path: ~Copyable {
    var up: UpLane
    var down: DownLane
    var sender: UDPSocket
    var receiver: UDPSocket

    init(_ mode: OffloadMode, _ cipher: DataCipher, usesEpochs: Bool) throws {
      let format = DataFormat(peerID: 5, usesEpochs: usesEpochs, replayWindow: 64, largestPayload: largest)
      let block = RandomSource.seeded(7).secret(256)
      var up = UpLane(format: format, random: .seeded(8))
      var down = DownLane(format: format)
      let seals = up.install(DataKey(keyID: 0, cipher: cipher, auth: .sha256, block: block, role: .client))
      let opens = down.install(DataKey(keyID: 0, cipher: cipher, auth: .sha256, block: block, role: .server))
      #expect(seals && opens)
      up.send(with: 0)
      let any = Endpoint(address: EngineTests.loopback, port: 0)
      let left = try TransportSocket.make(.udp, .ipv4, .init(local: any))
      let right = try TransportSocket.make(.udp, .ipv4, .init(local: any))
      let (leftEnd, rightEnd) = (Self.end(left), Self.end(right))
      let sender = try UDPSocket(left, peer: rightEnd, mode: mode)
      let receiver = try UDPSocket(right, peer: leftEnd, mode: mode)
      self.up = up
      self.down = down
      self.sender = sender
      self.receiver = receiver
    }

    private static func end(_ socket: borrowing FileDescriptor) -> Endpoint {
      var address = adit_address()
      _ = adit_local_address(socket.raw, &address)
      return Endpoint(address: EngineTests.loopback, port: address.port)
    }

    /// - Parameter isJoining: false = each packet by itself.
    /// - Returns: what a tun would be given, cut.
    mutating func carry(_ traffic: [TunPacket], isJoining: Bool) -> [[UInt8]] {
      var packets = Burst(capacity: 256 * 1024 + TunDevice.superSlot, maximumCount: 64)
      var sealed = Burst(capacity: 100 * 1024, maximumCount: 128)
      var received = Burst(capacity: UDPSocket.fillRoom, maximumCount: 1024)
      var coalescer = Coalescer()
      var out: [[UInt8]] = []
      for packet in traffic {
        packets.reset()
        packet.append(to: &packets)
        var isDone = false
        while !isDone {
          sealed.reset()
          isDone = up.seal(&packets, into: &sealed)
          var cursor = FlushCursor()
          guard sender.flush(sealed, from: &cursor) == .done else { return out }
          while true {
            received.reset()
            guard case .some = receiver.fill(&received, slot: 2048) else { break }
            down.open(&received)
            if isJoining { coalescer.join(&received) }
            for index in 0..<received.count where received[index].verdict == .forward {
              out += TunPacket(received, index).segments
            }
          }
        }
      }
      return out
    }
  }

  @Test(
    "give the same packets in the same order, byte for byte",
    arguments: [(DataCipher.aes256GCM, false), (.chacha20Poly1305, false), (.aes128GCM, true), (.aes256CBC, false)])
  func same(cipher: DataCipher, usesEpochs: Bool) throws {
    let random = RandomSource.seeded(2026)
    let traffic = (0..<50).map { _ in TunPacket(random, largest: Self.largest) }
    let expected = traffic.flatMap(\.segments)
    var plain = try Path(.off, cipher, usesEpochs: usesEpochs)
    var fast = try Path(.auto, cipher, usesEpochs: usesEpochs)
    let cut = traffic.flatMap { $0.segments.map { TunPacket(bytes: $0, segmentSize: nil) } }
    let slow = plain.carry(cut, isJoining: false)
    let quick = fast.carry(traffic, isJoining: true)
    #expect(slow.count == expected.count)
    #expect(slow == expected)
    #expect(quick.count == expected.count)
    #expect(quick == expected)
    // The fast one was fast: the kernel merged datagrams.
    let offloads = fast.receiver.offloads
    #expect(offloads.contains(.gro))
    #expect(expected.count > 2 * traffic.count)
  }
}
