import Base
import IO

/// The transport of a pump: one socket, UDP or TCP.
package struct PumpLink: ~Copyable {
  private var udp: UDPSocket?
  private var tcp: TCPSocket?
  package let descriptor: Int32
  package let isStream: Bool

  package init(udp socket: consuming UDPSocket) {
    descriptor = socket.descriptor
    udp = consume socket
    isStream = false
  }

  package init(tcp socket: consuming TCPSocket) {
    descriptor = socket.descriptor
    tcp = consume socket
    isStream = true
  }

  package mutating func flush(_ burst: borrowing Burst, from cursor: inout FlushCursor) -> Flushed {
    (isStream ? tcp?.flush(burst, from: &cursor) : udp?.flush(burst, from: &cursor)) ?? .done
  }

  mutating func fill(_ burst: inout Burst, slot: Int) -> Filled { udp?.fill(&burst, slot: slot) ?? .nothing }
  mutating func fill(_ stream: inout StreamBuffer) -> Filled { tcp?.fill(&stream) ?? .nothing }

  /// The last read took all that waited.
  var isDrained: Bool {
    mutating get { udp?.isDrained ?? false }
  }

  package mutating func drainErrors() { udp?.drainErrors() }

  /// One control packet, without a length. On a stream the sealed packets must have left.
  package mutating func send(control packet: [UInt8]) {
    guard isStream else {
      _ = udp?.send(packet)
      return
    }
    var record: [UInt8] = []
    record.append(bigEndian: UInt16(packet.count))
    record += packet
    var written = 0
    // A handshake is small: the socket takes it sooner or later.
    while tcp?.send(record, from: &written) == .full {}
  }
}
