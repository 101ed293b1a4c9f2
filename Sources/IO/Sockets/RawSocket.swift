package import Base
internal import CLinux

/// Sends IP packets that were written whole, header included. The kernel only finds the next hop.
package final class RawSocket {
  private let socket: FileDescriptor

  /// It belongs to the network namespace in which it was made.
  package init(_ family: AddressFamily) throws(SystemFailure) {
    let opened = adit_raw_socket(Int32(family.rawValue))
    socket = FileDescriptor(owning: try SystemCall.check(opened, "open a raw socket"))
  }

  package func send(_ packet: [UInt8], to destination: IPAddress) throws(SystemFailure) {
    var address = adit_address(Endpoint(address: destination, port: 0))
    let sent = unsafe adit_send_to(socket.raw, packet, packet.count, &address)
    _ = try SystemCall.check(sent, "send a packet")
  }
}
