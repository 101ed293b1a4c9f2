package import Base

/// A message as it crosses the socketpair: its bytes, and what rides beside them in a sealed memfd.
///
/// On the wire: version, type, whether there is an attachment, its length (u32), then the fields of the type. The memfd,
/// when there is one, is the first descriptor; the descriptors the message itself promises follow it.
package struct Envelope: Hashable, Sendable {
  /// Raised with every change of the layout: both ends are the same executable, so there is nothing to negotiate.
  static let version: UInt8 = 1
  static let headerSize = 7

  package var bytes: [UInt8]
  package var attachment: SecretBytes?

  package init(bytes: [UInt8], attachment: SecretBytes? = nil) {
    self.bytes = bytes
    self.attachment = attachment
  }

  /// What the header of a received message promises, so that the reader of descriptors knows what to expect.
  package enum Promise: Hashable, Sendable {
    case nothing
    case attachment(length: Int)
  }

  /// - Returns: `nil` when the bytes are no message of ours.
  package static func promise(of bytes: [UInt8]) -> Promise? {
    guard let header = Header(bytes) else { return nil }
    return header.attachment.map { .attachment(length: $0) } ?? .nothing
  }
}

/// The first bytes of every message.
struct Header {
  var type: UInt8
  var attachment: Int?

  init?(_ bytes: [UInt8]) {
    guard bytes.count <= ExchangeLimit.message else { return nil }
    var reader = ByteReader(bytes)
    guard reader.readByte() == Envelope.version, let type = reader.readByte(), let flag = reader.readByte(),
      let length = reader.readUInt32()
    else { return nil }
    self.type = type
    switch flag {
    case 0 where length == 0: attachment = nil
    case 1 where length <= ExchangeLimit.attachment: attachment = Int(length)
    default: return nil
    }
  }
}
