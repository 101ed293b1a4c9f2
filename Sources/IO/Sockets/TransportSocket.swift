package import Base
internal import CLinux

/// Makes the sockets that leave by the uplink. Marking and binding need privilege, so root makes them and hands them over.
package enum TransportSocket {
  package struct Options: Hashable, Sendable {
    /// Whole word; `nil` = none.
    package var mark: UInt32?
    package var device: DeviceName?
    package var local: Endpoint?
    /// Bytes.
    package var receiveBuffer = Options.receiveBuffer(memory: adit_memory_total())
    package var sendBuffer = 2 * 1024 * 1024

    package init(mark: UInt32? = nil, device: DeviceName? = nil, local: Endpoint? = nil) {
      self.mark = mark
      self.device = device
      self.local = local
    }

    /// 4 MiB takes a second of 30 Mbit/s while TLS has the processor; a small router has no such memory to give.
    ///
    /// - Parameter memory: bytes of the whole machine; 0 = unknown.
    package static func receiveBuffer(memory: UInt64) -> Int {
      (1..<(128 << 20)).contains(memory) ? 1 << 20 : 4 << 20
    }
  }

  package static func make(
    _ transport: Transport, _ family: AddressFamily, _ options: Options
  ) throws(SystemFailure) -> FileDescriptor {
    let kind = Int32(transport == .udp ? ADIT_UDP : ADIT_TCP)
    let socket = FileDescriptor(
      owning: try SystemCall.check(adit_socket(Int32(family.rawValue), kind), "socket"))
    if let mark = options.mark { try SystemCall.done(adit_socket_mark(socket.raw, mark), "SO_MARK") }
    if let device = options.device {
      try SystemCall.done(unsafe adit_socket_device(socket.raw, device.text), "SO_BINDTODEVICE \(device)")
    }
    // A smaller buffer than wanted is no reason to fail. TCP sizes its own.
    if transport == .udp {
      _ = adit_socket_buffers(socket.raw, Int32(options.receiveBuffer), Int32(options.sendBuffer))
    }
    if let local = options.local {
      var address = adit_address(local)
      try SystemCall.done(unsafe adit_bind(socket.raw, &address), "bind \(local)")
    }
    return socket
  }

  /// What a handed socket is, asked of the kernel; `nil` for anything but UDP or TCP over IP.
  package static func kind(of socket: borrowing FileDescriptor) -> (transport: Transport, family: AddressFamily)? {
    guard let family = AddressFamily(rawValue: UInt8(clamping: adit_socket_family(socket.raw))) else { return nil }
    return (adit_socket_is_stream(socket.raw) == 1 ? .tcp : .udp, family)
  }
}
