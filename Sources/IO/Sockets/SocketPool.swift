package import Base
internal import CLinux

/// Spare sockets that somebody with privilege made ahead: who needs one takes it, or does without.
package final class SocketPool {
  /// More of one kind than this is closed: the other side misbehaves.
  package static let mostOfKind = 16

  private struct Kind: Hashable {
    var transport: Transport
    var family: AddressFamily
  }

  private var spares: [Kind: [Int32]] = [:]

  package init() {}

  deinit { for socket in spares.values.joined() { _ = adit_close(socket) } }

  /// - Returns: false when it is no transport socket, or one too many; it is closed then.
  package func put(_ socket: consuming FileDescriptor) -> Bool {
    guard let kind = TransportSocket.kind(of: socket) else { return false }
    let key = Kind(transport: kind.transport, family: kind.family)
    guard spares[key, default: []].count < Self.mostOfKind else { return false }
    spares[key, default: []].append(socket.release())
    return true
  }

  package func take(_ transport: Transport, _ family: AddressFamily) -> FileDescriptor? {
    let key = Kind(transport: transport, family: family)
    guard let socket = spares[key]?.popLast() else { return nil }
    return FileDescriptor(owning: socket)
  }

  package func count(_ transport: Transport, _ family: AddressFamily) -> Int {
    spares[Kind(transport: transport, family: family)]?.count ?? 0
  }
}
