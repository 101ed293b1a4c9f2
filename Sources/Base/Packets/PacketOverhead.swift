/// What the tunnel puts around each inner packet, down to the network's own headers: how large an inner packet becomes
/// outside, and what of a path's MTU is left inside (protocol.md sections 8 and 10.2).
package struct PacketOverhead: Hashable, Sendable {
  /// Headers of IP and of UDP or TCP.
  package let network: Int
  /// Everything that does not depend on the packet.
  private let fixed: Int
  /// CBC pads packet id, framing and packet to whole blocks, with one byte at least.
  private let isBlock: Bool
  /// In front of the packet, inside the encryption.
  private let inside: Int

  private static let block = 16
  private static let tag = 16
  private static let packetID = 4
  private static let epochID = 8
  private static let recordLength = 2
  private static let fragmentHeader = 4

  /// - Parameters:
  ///   - peerID: `nil` = DATA_V1.
  ///   - auth: for CBC ciphers.
  package init(
    peerID: UInt32?, usesEpochs: Bool, compression: CompressionFraming, hasFragments: Bool, isStream: Bool,
    cipher: DataCipher, auth: Digest?, outer family: AddressFamily
  ) {
    network = (family == .ipv4 ? 20 : 40) + (isStream ? 20 : 8)
    let front = network + (isStream ? Self.recordLength : 0) + (peerID == nil ? 1 : 4)
    let framing: Int
    switch compression {
    // No IP packet begins with the escape of version 2.
    case .none, .stubV2, .lz4V2: framing = 0
    case .lzo, .lzoStub, .stub, .lz4: framing = 1
    }
    isBlock = !cipher.isAEAD
    inside = (isBlock ? Self.packetID : 0) + framing + (hasFragments ? Self.fragmentHeader : 0)
    let aead = (usesEpochs ? Self.epochID : Self.packetID) + Self.tag
    fixed = front + (isBlock ? (auth ?? .sha1).size + Self.block : aead)
  }

  /// Of the whole packet outside, IP header included, that carries an inner packet of this size.
  package func outer(inner: Int) -> Int {
    fixed + (isBlock ? ((inside + inner) / Self.block + 1) * Self.block : inside + inner)
  }

  /// The largest inner packet that makes no larger packet outside than this; 0 when there is none.
  package func inner(outer: Int) -> Int {
    let room = outer - fixed
    guard room > 0 else { return 0 }
    return max((isBlock ? room / Self.block * Self.block - 1 : room) - inside, 0)
  }
}
