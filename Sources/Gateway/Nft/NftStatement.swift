package import Base

/// What a rule does with a packet that matched.
package enum NftStatement: Hashable, Sendable {
  /// Sets the byte under the mask; the other bits belong to others.
  case setMark(UInt32, mask: UInt32)
  case setConnectionMark(UInt32, mask: UInt32)
  /// Ends the base chain for this packet.
  case accept
  /// Back to the chain that jumped here.
  case `return`
  case jump(NftName)
  /// Like `jump`, and what comes back goes on where the chain before was called.
  case goto(NftName)
  case counter(NftName)
  case reject(Rejection)
  /// Without a word. Only for what is in the middle of a connection: whatever begins is refused and told so.
  case drop
  case masquerade
  case destinationNAT(Endpoint)
  /// To this port of the router itself, at the first address of the device that the packet came in by.
  case redirect(UInt16)
  case segmentSize(SegmentSize)

  package enum Rejection: Hashable, Sendable { case tcpReset, adminProhibited }

  package enum SegmentSize: Hashable, Sendable {
    case fixed(Int)
    /// What the packet's route carries.
    case route
  }
}
