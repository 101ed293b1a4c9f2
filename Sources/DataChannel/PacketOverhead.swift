package import Base
internal import Crypto

/// What the tunnel puts around each inner packet, down to the network's own headers: how large an inner packet becomes
/// outside, and what of a path's MTU is left inside (protocol.md sections 8 and 10.2).
package struct PacketOverhead: Hashable, Sendable {
  /// Everything that does not depend on the packet.
  private let fixed: Int
  /// CBC pads packet id, framing and packet to whole blocks, with one byte at least.
  private let isBlock: Bool
  /// In front of the packet, inside the encryption.
  private let inside: Int

  /// - Parameter auth: for CBC ciphers.
  package init(_ format: DataFormat, cipher: DataCipher, auth: Digest?, outer family: AddressFamily) {
    let network = (family == .ipv4 ? 20 : 40) + (format.isStream ? 20 + RecordLength.size : 8)
    let front = network + PacketHeader(peerID: format.peerID).size
    let framing: Int
    switch format.compression {
    // No IP packet begins with the escape of version 2.
    case .none, .stubV2, .lz4V2: framing = 0
    case .lzo, .lzoStub, .stub, .lz4: framing = 1
    }
    isBlock = !cipher.isAEAD
    inside = (isBlock ? PacketID.size : 0) + framing + (format.fragment == nil ? 0 : FragmentHeader.size)
    let aead = format.usesEpochs ? EpochLayout.added : AEADLayout.body
    fixed = front + (isBlock ? BlockLayout.body(auth ?? .sha1) : aead)
  }

  /// Of the whole packet outside, IP header included, that carries an inner packet of this size.
  package func outer(inner: Int) -> Int {
    fixed + (isBlock ? BlockCipherContext.sealedCount(inside + inner) : inside + inner)
  }

  /// The largest inner packet that makes no larger packet outside than this; 0 when there is none.
  package func inner(outer: Int) -> Int {
    let room = outer - fixed
    guard room > 0 else { return 0 }
    let block = BlockCipherContext.blockSize
    return max((isBlock ? room / block * block - 1 : room) - inside, 0)
  }
}
