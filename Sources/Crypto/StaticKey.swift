package import Base

/// The key of tls-auth and tls-crypt: an "OpenVPN Static key V1" (protocol.md section 4).
package struct StaticKey: Hashable, Sendable {
  /// Why a text is not one.
  ///
  /// Cases U-07: a marker that an editor broke must be named here, not end as a timeout.
  package enum Failure: String, Error, Hashable, Sendable, CaseIterable {
    case noBegin = "no BEGIN line"
    case noEnd = "no END line"
    case notHexadecimal = "something else than hexadecimal digits"
    case wrongLength = "neither 256 nor 128 bytes"
  }

  /// 256, or 128 when `isHalf`.
  package let bytes: SecretBytes

  /// Only K[0] exists; such a key serves both directions and cannot be used with a key-direction.
  package var isHalf: Bool { bytes.count < KeyBlock.size }

  /// - Parameter bytes: 256 or 128.
  package init?(bytes: SecretBytes) {
    guard bytes.count == KeyBlock.size || bytes.count == KeyBlock.size / 2 else { return nil }
    self.bytes = bytes
  }

  /// Reads the text form; what stands before and behind the markers is ignored.
  package init(text: some Collection<UInt8>) throws(Failure) {
    let text = Array(text)
    guard let begin = text[...].firstRange(of: "-----BEGIN OpenVPN Static key V1-----") else { throw .noBegin }
    let rest = text[begin.upperBound...]
    guard let end = rest.firstRange(of: "-----END OpenVPN Static key V1-----") else { throw .noEnd }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(KeyBlock.size + 1)
    defer { bytes.wipe() }
    var high: UInt8?
    for character in rest[..<end.lowerBound] where character != 32 && !(9...13).contains(character) {
      guard let nibble = Hex.value(ofDigit: character) else { throw .notHexadecimal }
      if let first = high {
        guard bytes.count < KeyBlock.size else { throw .wrongLength }
        bytes.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
    }
    guard high == nil, let key = StaticKey(bytes: SecretBytes(bytes)) else { throw .wrongLength }
    self = key
  }

  /// The first `count` bytes of one quarter; a half key gives K[0] for both.
  package func slice(_ index: Int, _ part: KeyBlock.Part, count: Int) -> SecretBytes {
    precondition((0...1).contains(index) && (0...KeyBlock.quarter).contains(count))
    let offset = KeyBlock.offset(isHalf ? 0 : index, part)
    return bytes.slice(offset..<offset + count)
  }
}
