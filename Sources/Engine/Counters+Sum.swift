internal import Exchange
internal import IO

extension Counters {
  /// Adds another session's.
  mutating func add(_ other: Counters) {
    tunReceivedBytes &+= other.tunReceivedBytes
    tunSentBytes &+= other.tunSentBytes
    tunReceivedPackets &+= other.tunReceivedPackets
    tunSentPackets &+= other.tunSentPackets
    tunReceiveErrors &+= other.tunReceiveErrors
    tunSendErrors &+= other.tunSendErrors
    transportReceivedBytes &+= other.transportReceivedBytes
    transportSentBytes &+= other.transportSentBytes
    transportReceivedPackets &+= other.transportReceivedPackets
    transportSentPackets &+= other.transportSentPackets
    lastPacketReceived = [lastPacketReceived, other.lastPacketReceived].compactMap { $0 }.max()
    renegotiations &+= other.renegotiations
    for drop in other.drops { add(drop.reason, drop.count) }
  }

  mutating func add(_ reason: String, _ count: UInt64) {
    guard count > 0 else { return }
    if let index = drops.firstIndex(where: { $0.reason == reason }) {
      drops[index].count &+= count
    } else {
      drops.append(Drop(reason, count))
    }
  }

  mutating func add(_ socket: UDPSocket.Counters) {
    add("foreign_source", socket.foreign)
    add("datagram_too_large", socket.truncated)
    add("send_too_large", socket.tooLarge)
    add("send_no_buffers", socket.noBuffers)
    add("send_refused", socket.unsent)
  }
}
