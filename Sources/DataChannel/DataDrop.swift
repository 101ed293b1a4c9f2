/// Why a data packet went nowhere; one counter each, and the raw values are the names that `status` shows.
package enum DataDrop: String, Hashable, Sendable, CaseIterable {
  case tooShort = "data_too_short"
  case unknownOpcode = "data_unknown_opcode"
  /// Its key id has no key here, or not yet: normal around renegotiations.
  case unknownKey = "data_unknown_key"
  case badTag = "data_bad_tag"
  case replayed = "data_replayed"
  case badPadding = "data_bad_padding"
  /// A framing byte that was not agreed on, or a compressed packet that does not unpack.
  case badCompression = "data_bad_compression"
  case tooLarge = "data_too_large"
  /// What came out is no IP packet.
  case notIP = "data_not_ip"
  /// Nothing to seal with.
  case noKey = "data_no_key"
  /// The packet ids of the key are used up.
  case wrapExhausted = "data_ids_exhausted"
  /// The key saw so many forgeries that it no longer opens anything.
  case forgeryLimit = "data_forgery_limit"
  /// The arena has no room for the unpacked packet.
  case noRoom = "data_no_room"
  /// OpenSSL failed; never seen.
  case cipherFailed = "data_cipher_failed"
  /// Of an epoch that the peer has left, or is not near.
  case unknownEpoch = "data_unknown_epoch"
  /// A fragment that contradicts itself or leads beyond what a packet may be.
  case badFragment = "data_bad_fragment"
  /// A packet some of whose fragments came, and the others too late or never.
  case fragmentLost = "data_fragment_lost"
  /// What the tun said of the packet's checksum or segments is not so.
  case badOffload = "data_bad_offload"

  /// The place in `allCases`, without the search.
  var index: Int {
    switch self {
    case .tooShort: 0
    case .unknownOpcode: 1
    case .unknownKey: 2
    case .badTag: 3
    case .replayed: 4
    case .badPadding: 5
    case .badCompression: 6
    case .tooLarge: 7
    case .notIP: 8
    case .noKey: 9
    case .wrapExhausted: 10
    case .forgeryLimit: 11
    case .noRoom: 12
    case .cipherFailed: 13
    case .unknownEpoch: 14
    case .badFragment: 15
    case .fragmentLost: 16
    case .badOffload: 17
    }
  }
}
