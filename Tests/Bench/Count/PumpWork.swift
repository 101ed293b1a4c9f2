import Base
import BenchPump
import CLinux
import DataChannel
import Glibc
import IO

/// The whole way: tun, cut, seal, UDP over the loopback, open, join, tun. Pairs of sockets stand in for the tuns.
struct PumpWork: ~Copyable {
  private static let anyPort = Endpoint(address: .v4(IPv4Address(0x7f00_0001)), port: 0)

  private var sender = Pump(joins: true)
  private var receiver = Pump(joins: true)

  consuming func run(_ count: Int) throws {
    var lanes = Lanes()
    let inside = try pair()
    let outside = try pair()
    var near = TunDevice(FileDescriptor(owning: inside.1))
    var far = TunDevice(FileDescriptor(owning: outside.1))
    let first = try TransportSocket.make(.udp, .ipv4, .init(local: Self.anyPort))
    let second = try TransportSocket.make(.udp, .ipv4, .init(local: Self.anyPort))
    let places = (place(of: first.raw), place(of: second.raw))
    var out = PumpLink(udp: try UDPSocket(first, peer: places.1, mode: .gso))
    var back = PumpLink(udp: try UDPSocket(second, peer: places.0, mode: .gso))
    let (header, bytes) = InnerFlow.superPacket()
    let packet = header.bytes + bytes
    var drain = [UInt8](repeating: 0, count: 70_000)
    var left = count
    var wanted: UInt64 = 0
    while left > 0 {
      left -= InnerFlow.segments
      wanted += UInt64(InnerFlow.segments)
      precondition(write(inside.0, packet, packet.count) == packet.count)
      sender.sendWhatWaits(&near, over: &out, sealing: &lanes.up)
      while receiver.came < wanted {
        wait(back.descriptor)
        receiver.receiveWhatWaits(&back, into: &far, opening: &lanes.down)
      }
      while read(outside.0, &drain, drain.count) > 0 {}
    }
    precondition(sender.sent == wanted && lanes.down.counters.packets == wanted && far.counters.writeErrors == 0)
  }

  private func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    precondition(adit_message_pair(&ends) >= 0 && adit_set_nonblocking(ends[0]) >= 0)
    return (ends[0], ends[1])
  }

  private func place(of socket: Int32) -> Endpoint {
    var address = adit_address()
    precondition(adit_local_address(socket, &address) == 0)
    return Endpoint(address: Self.anyPort.address, port: address.port)
  }

  private func wait(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    precondition(poll(&entry, 1, 5000) == 1, "nothing came")
  }
}
