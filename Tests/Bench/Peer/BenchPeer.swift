import Base
import BenchPump
import CLinux
import Crypto
import DataChannel
import Glibc
import IO
import TestKit

/// An OpenVPN server of our own rooms for one client, so that both ends of a measurement batch. Run by scripts/bench.
///
/// `BenchPeer udp|tcp ADDRESS PORT CIPHER DEVICE NET PROFILE [PUSHED]…`: listens, makes DEVICE (its address NET.1 is for the
/// caller to set), writes a client's PROFILE, says `ready`, serves the first client that comes as NET.2, and ends with it.
@main
enum BenchPeer {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count >= 8, let transport = Transport(rawValue: words[1]), let address = IPv4Address(words[2]),
      let port = UInt16(words[3]), let cipher = DataCipher(name: words[4]), let device = DeviceName(words[5])
    else {
      print("usage: BenchPeer udp|tcp ADDRESS PORT CIPHER DEVICE NET PROFILE [PUSHED]…")
      exit(64)
    }
    let endpoint = Endpoint(address: .v4(address), port: port)
    var setup = PeerIdentity.setup(transport, cipher)
    setup.pushParts = [
      ["topology subnet", "route-gateway \(words[6]).1", "ifconfig \(words[6]).2 255.255.255.0"] + words[8...]
    ]
    var tun = TunDevice(try TunDevice.open(device, isPersistent: false))
    tun.offload(.auto)
    let socket = try TransportSocket.make(transport, .ipv4, .init(local: endpoint))
    if transport == .tcp { listen(socket.raw, 1) }
    try PeerIdentity.writeProfile(of: setup, at: endpoint, to: words[7])
    say("ready")
    let server = try MirrorServer(setup, random: .system, wallTime: Clock.wallTime)
    let link = try accept(transport, consume socket)
    var loop = PeerLoop(server, try Poller(), link: consume link, tun: consume tun)
    try loop.run()
  }

  /// Waits for the first client.
  private static func accept(_ transport: Transport, _ socket: consuming FileDescriptor) throws -> PumpLink {
    var entry = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, -1) < 1 {}
    if transport == .tcp {
      let connection = FileDescriptor(owning: adit_accept(socket.raw))
      _ = adit_socket_no_delay(connection.raw)
      _ = adit_socket_unsent_limit(connection.raw, 128 * 1024)
      return PumpLink(tcp: try TCPSocket(connection, mode: .auto))
    }
    var client = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var byte: UInt8 = 0
    let peeked = withUnsafeMutablePointer(to: &client) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(socket.raw, &byte, 1, Int32(MSG_PEEK), $0, &size)
      }
    }
    precondition(peeked >= 0)
    let address = withUnsafeBytes(of: client.sin_addr) { IPAddress(bytes: Array($0)) }
    guard let address else { preconditionFailure("not IPv4") }
    let peer = Endpoint(address: address, port: UInt16(bigEndian: client.sin_port))
    return PumpLink(udp: try UDPSocket(socket, peer: peer, mode: .auto))
  }

  static func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
