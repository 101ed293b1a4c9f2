import Base
import Glibc
import Profile

/// A connected socket that blocks, for packets as they are: on TCP it adds and takes off the lengths itself.
final class WireSocket {
  struct Failure: Error { var call: String }

  private let descriptor: Int32
  private let isStream: Bool
  private var pending: [UInt8] = []

  init(to remote: Remote) throws {
    isStream = remote.transport == .tcp
    descriptor = socket(AF_INET, Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = remote.port.bigEndian
    guard inet_pton(AF_INET, remote.host, &address.sin_addr) == 1 else { throw Failure(call: "inet_pton") }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, result == 0 else { throw Failure(call: "connect") }
  }

  deinit { close(descriptor) }

  func send(_ packet: [UInt8]) throws {
    var bytes = packet
    if isStream {
      bytes = []
      bytes.append(bigEndian: UInt16(packet.count))
      bytes += packet
    }
    guard Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Failure(call: "send") }
  }

  /// The next packet, if one comes in time.
  func receive(within milliseconds: Int32) throws -> [UInt8]? {
    if let packet = takeRecord() { return packet }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw Failure(call: "recv") }
    guard isStream else { return Array(buffer.prefix(count)) }
    pending += buffer.prefix(count)
    return takeRecord()
  }

  private func takeRecord() -> [UInt8]? {
    guard isStream, pending.count >= 2 else { return nil }
    let length = Int(pending[0]) << 8 | Int(pending[1])
    guard pending.count >= 2 + length else { return nil }
    defer { pending.removeFirst(2 + length) }
    return Array(pending[2..<2 + length])
  }
}

/// Of CLOCK_BOOTTIME, like everything that a session is told.
func bootTime() -> Instant {
  var now = timespec()
  clock_gettime(CLOCK_BOOTTIME, &now)
  return Instant(nanoseconds: UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec))
}
