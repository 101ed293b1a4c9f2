internal import Base
internal import Exchange
internal import IO
internal import Profile

/// Makes the marked sockets that engines connect and resolve with. Only root can mark, so they are made here and handed over.
struct SocketSupply {
  /// Sockets of one kind that an engine may hold unasked: c-ares takes one for each server it asks, and one more is for
  /// the connection.
  static let each = 3
  /// A whole request of an engine is answered with at most this many.
  static let most = ExchangeLimit.sockets

  var mark: UInt32
  /// False when the kernel has no IPv6.
  var hasIPv6: Bool

  /// - Parameter profile: its `rcvbuf`, `sndbuf`, `mark`, `local` and `bind-dev` are honoured.
  /// - Returns: the kinds that could be made, each with its socket, which is the caller's to close.
  func sockets(
    _ kinds: [SocketKind], for profile: Profile
  ) -> (kinds: [SocketKind], descriptors: [Int32], failure: SystemFailure?) {
    var made: [SocketKind] = []
    var descriptors: [Int32] = []
    var failure: SystemFailure?
    for kind in kinds.prefix(Self.most) {
      let (transport, family) = kind.parts
      if family == .ipv6, !hasIPv6 { continue }
      var options = TransportSocket.Options(mark: profile.mark ?? mark, device: profile.bindDevice)
      if let size = profile.receiveBuffer, size > 0 { options.receiveBuffer = size }
      if let size = profile.sendBuffer, size > 0 { options.sendBuffer = size }
      do throws(SystemFailure) {
        descriptors.append(try TransportSocket.make(transport, family, options).release())
        made.append(kind)
      } catch {
        failure = error
      }
    }
    return (made, descriptors, failure)
  }

  /// What an engine gets before it asks.
  func first(for profile: Profile) -> [SocketKind] {
    let families: [AddressFamily] = hasIPv6 ? [.ipv4, .ipv6] : [.ipv4]
    let transports = Set(profile.remotes.map(\.transport))
    var kinds: [SocketKind] = []
    for family in families {
      kinds += Array(repeating: SocketKind(.udp, family), count: Self.each)
      if transports.contains(.tcp) { kinds += Array(repeating: SocketKind(.tcp, family), count: 2) }
    }
    return Array(kinds.prefix(Self.most))
  }
}

extension SocketKind {
  var parts: (transport: Transport, family: AddressFamily) {
    switch self {
    case .udp4: (.udp, .ipv4)
    case .udp6: (.udp, .ipv6)
    case .tcp4: (.tcp, .ipv4)
    case .tcp6: (.tcp, .ipv6)
    }
  }
}
