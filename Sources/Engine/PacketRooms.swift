internal import Base
internal import IO

/// Where packets lie on their way through: all allocated once, touched only as far as used.
struct PacketRooms: ~Copyable {
  /// Packets taken from the tun in one go.
  static let batch = 64

  /// From the tun, plain. Super-packets are taken as long as a whole one fits.
  var packets = Burst(capacity: 256 * 1024 + TunDevice.superSlot, maximumCount: PacketRooms.batch)
  /// The same, sealed, or as many of their segments as fit.
  var sealed = Burst(capacity: 320 * 1024, maximumCount: 512)
  /// How far the sealed ones have left.
  var cursor = FlushCursor()
  /// Some of the packets are not sealed yet: there was no room, and the transport took no more.
  var isSealing = false
  /// From a UDP socket; opened in place. Behind the slots is room for what unpacks.
  var received = Burst(
    capacity: UDPSocket.fillRoom + 512 * 1024,
    maximumCount: 64 + UDPSocket.mergedSlots * UDPSocket.mostMerged)
  /// From a TCP socket. Holds more than twice the largest record.
  var stream = StreamBuffer(capacity: 192 * 1024, maximumCount: 512)

  /// Bytes of one datagram with its headroom, and of one packet of the tun.
  private(set) var slot = PacketRooms.slot(for: 1500)
  /// A longer record of a stream cannot be one.
  private(set) var largestRecord = 16 * 1024

  mutating func fit(_ mtu: Int) {
    slot = Self.slot(for: mtu)
    largestRecord = min(max(16 * 1024, mtu + 1024), Int(UInt16.max))
  }

  /// The tun may carry less than comes from the network, but nothing larger than fits.
  mutating func grow(_ mtu: Int) {
    if Self.slot(for: mtu) > slot { fit(mtu) }
  }

  /// Ready for another connection.
  mutating func forget() {
    packets.reset()
    isSealing = false
    sealed.reset()
    received.reset()
    cursor = FlushCursor()
    stream.clear()
  }

  /// 2 KiB for all ordinary MTUs: a datagram that a path of 1500 can carry always fits.
  private static func slot(for mtu: Int) -> Int { max(2048, (Burst.headroom + mtu + 256 + 63) & ~63) }
}
