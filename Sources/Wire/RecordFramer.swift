/// Finds the records of a TCP transport: `u16 length`, then that many bytes (protocol.md section 1.1).
package enum RecordFramer {
  /// Bytes of the length in front of each packet, which it does not count.
  package static let headSize = 2

  package enum Record: Hashable, Sendable {
    /// A packet lies whole at `offset` of the buffer; the next record begins behind it.
    case complete(offset: Int, length: Int)
    /// More bytes must come first.
    case partial
    /// The length cannot be one, so the stream is lost: nothing after it can be found again.
    case broken
  }

  /// - Parameters:
  ///   - buffer: what was read so far.
  ///   - offset: where the record begins.
  ///   - largest: a longer record is hostile.
  package static func next(in buffer: UnsafeRawBufferPointer, at offset: Int, largest: Int) -> Record {
    precondition(offset >= 0 && offset <= buffer.count)
    guard buffer.count - offset >= headSize else { return .partial }
    let length = unsafe Int(buffer[offset]) << 8 | Int(buffer[offset + 1])
    guard length > 0, length <= largest else { return .broken }
    guard buffer.count - offset - headSize >= length else { return .partial }
    return .complete(offset: offset + headSize, length: length)
  }
}
