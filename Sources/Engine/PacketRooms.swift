internal import Base
internal import IO

/// Where packets lie on their way through: all allocated once, touched only as far as used.
struct PacketRooms: ~Copyable {
  /// Packets taken from the tun or the socket in one go.
  static let batch = 64

  /// From the tun, plain.
  var packets = Burst(capacity: 256 * 1024, maximumCount: PacketRooms.batch)
  /// The same, sealed. Larger, so that a full burst always fits: no cipher adds more than this to a packet.
  var sealed = Burst(capacity: 256 * 1024 + PacketRooms.batch * 256, maximumCount: PacketRooms.batch)
  /// How far the sealed ones have left.
  var cursor = FlushCursor()
  /// From a UDP socket; opened in place.
  var received = Burst(capacity: 256 * 1024, maximumCount: 2 * PacketRooms.batch)
  /// From a TCP socket. Holds more than twice the largest record.
  var stream = StreamBuffer(capacity: 192 * 1024, maximumCount: 2 * PacketRooms.batch)

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
    sealed.reset()
    received.reset()
    cursor = FlushCursor()
    stream.clear()
  }

  /// 2 KiB for all ordinary MTUs: a datagram that a path of 1500 can carry always fits.
  private static func slot(for mtu: Int) -> Int { max(2048, (Burst.headroom + mtu + 256 + 63) & ~63) }
}
