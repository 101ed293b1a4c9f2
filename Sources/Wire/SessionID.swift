internal import Base

/// Names one end of a connection attempt: 8 random bytes, never all zero (protocol.md section 2.1).
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
  package static let size = 8

  package var value: UInt64

  package init(_ value: UInt64) { self.value = value }

  /// - Returns: `nil` unless there are exactly 8.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == SessionID.size else { return nil }
    value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: value)
    return bytes
  }

  package var isZero: Bool { value == 0 }
  package var description: String { Hex.text(bytes) }
}
