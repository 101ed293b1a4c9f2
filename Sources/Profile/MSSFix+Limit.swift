package import Base

extension MSSFix {
  /// What a path takes outside when nobody says or knows better: PPPoE, as OpenVPN supposes it.
  package static let usualPath = 1492

  /// Bytes of the largest inner packet that this asks for; `nil` = it asks for nothing.
  ///
  /// - Parameter path: what `standard` supposes that the path takes outside.
  package func largestPacket(_ overhead: PacketOverhead, path: Int) -> Int? {
    switch self {
    case .off: nil
    case .standard: overhead.inner(outer: path)
    case .packet(let size): overhead.inner(outer: overhead.network + size)
    case .outer(let size): overhead.inner(outer: size)
    case .inner(let size): size
    }
  }
}
