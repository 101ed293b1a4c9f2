internal import CLinux

/// Hears every packet of one device, in and out, from the network header on (AF_PACKET).
package final class PacketTap {
  package struct Heard: Hashable, Sendable {
    package var packet: [UInt8]
    /// It leaves by the device.
    package var isOutgoing: Bool
  }

  private static let largest = 64 << 10
  /// Packets of a busy uplink that may wait for us; each takes some 2 KiB.
  private static let buffer: Int32 = 8 << 20

  private let tap: FileDescriptor
  private let device: Int32
  private let ethertype: Int32
  private var room = [UInt8](repeating: 0, count: PacketTap.largest)
  private var lostBefore = 0

  /// It belongs to the network namespace in which it was made.
  /// - Parameters:
  ///   - device: its index.
  ///   - ethertype: `nil` = every protocol.
  package init(device: Int32, ethertype: UInt16? = nil) throws(SystemFailure) {
    self.device = device
    self.ethertype = Int32(ethertype ?? 0)
    let opened = adit_tap_open(device, self.ethertype, Self.buffer)
    tap = FileDescriptor(owning: try SystemCall.check(opened, "listen to a device"))
  }

  package var descriptor: Int32 { tap.raw }

  /// - Returns: `nil` when none waits, or when the device is down or gone.
  package func next() -> Heard? {
    var isOutgoing: UInt8 = 0
    let count = unsafe room.withUnsafeMutableBytes {
      unsafe adit_tap_receive(tap.raw, $0.baseAddress, $0.count, &isOutgoing)
    }
    return count < 0 ? nil : Heard(packet: Array(room[..<count]), isOutgoing: isOutgoing != 0)
  }

  /// To everybody on the link.
  package func broadcast(_ packet: [UInt8]) throws(SystemFailure) {
    let sent = unsafe adit_tap_broadcast(tap.raw, device, ethertype, packet, packet.count)
    _ = try SystemCall.check(sent, "send to a link")
  }

  /// How many packets were lost because we were too slow, in all.
  package var lost: Int {
    lostBefore += max(adit_tap_lost(tap.raw), 0)
    return lostBefore
  }
}
