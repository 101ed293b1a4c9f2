package import Base

/// What all packets of a session's data channel have in common.
package struct DataFormat: Hashable, Sendable {
  /// Written into sealed packets; `nil` = DATA_V1. Both opcodes are opened whatever this says.
  package var peerID: UInt32?
  /// The format of OpenVPN 2.7 for AEAD ciphers: an epoch in each id, the tag behind. Needs a peer id.
  package var usesEpochs: Bool
  package var compression: CompressionFraming
  /// False where nothing is ever decompressed (`allow-compression no`): packed payloads are dropped.
  package var unpacks: Bool
  /// Bytes of the largest sealed packet there may be; `nil` = no fragment headers. Datagrams only.
  package var fragment: Int?
  /// True on TCP: sealed packets carry their u16 length in front. Packets to open never do.
  package var isStream: Bool
  /// Ids behind the newest that are still opened; 0 = strict order.
  package var replayWindow: Int
  /// How late a packet may come behind a newer one, or up to twice that; `.zero` = however late.
  package var replayTime: Duration
  /// Bytes of the longest inner packet to hand on; decompression stops there too.
  package var largestPayload: Int

  package init(
    peerID: UInt32?, usesEpochs: Bool = false, compression: CompressionFraming = .none, unpacks: Bool = true,
    fragment: Int? = nil, isStream: Bool = false,
    replayWindow: Int = 64, replayTime: Duration = .seconds(15), largestPayload: Int = 1500
  ) {
    precondition((1...65_535).contains(largestPayload))
    precondition(!usesEpochs || peerID != nil)
    precondition(fragment == nil || !isStream)
    self.peerID = peerID
    self.usesEpochs = usesEpochs
    self.compression = compression
    self.unpacks = unpacks
    self.fragment = fragment
    self.isStream = isStream
    self.replayWindow = replayWindow
    self.replayTime = replayTime
    self.largestPayload = largestPayload
  }
}

extension PacketOverhead {
  /// - Parameter auth: for CBC ciphers.
  package init(_ format: DataFormat, cipher: DataCipher, auth: Digest?, outer family: AddressFamily) {
    self.init(
      peerID: format.peerID, usesEpochs: format.usesEpochs, compression: format.compression,
      hasFragments: format.fragment != nil, isStream: format.isStream, cipher: cipher, auth: auth, outer: family)
  }
}
