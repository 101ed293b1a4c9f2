/// The framing that a compression option puts around each data packet (protocol.md section 9). Adit never compresses.
package enum CompressionFraming: String, Hashable, Sendable, CaseIterable {
  /// No option at all: raw packets.
  case none
  /// `comp-lzo [yes|adaptive]`, `compress lzo`: FA in front; 66 (LZO) is understood.
  case lzo
  /// `comp-lzo no`: FA in front.
  case lzoStub
  /// `compress`, `compress stub`: FB in front, first byte swapped to the end.
  case stub
  /// `compress lz4`: as `stub`; 69 (LZ4) is understood.
  case lz4
  /// `compress stub-v2`: 50 escapes only.
  case stubV2
  /// `compress lz4-v2`.
  case lz4V2

  /// True when the option asks for real compression, which `allow-compression` must permit.
  package var compresses: Bool { self == .lzo || self == .lz4 || self == .lz4V2 }
}
