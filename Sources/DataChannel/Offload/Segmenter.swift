internal import Base

/// A super-packet that is being cut, and how far the knife has come.
///
/// Each segment is made where its payload lies: its header goes in front, over the end of the payload of the segment
/// before, which must be sealed by then. What a segment changes of the one before is written, everything else is copied
/// from it, so headers may be longer than segments.
///
/// The kernel's `headerLength` says how much of a packet lay in one piece, not how long its headers are: it is not looked
/// at. Where the transport header begins comes from `checksumStart`, which also knows about IPv6 extension headers.
struct Segmenter {
  /// Of IP and transport together.
  let headerLength: Int
  /// Payload of each segment but the last.
  private let size: Int
  private let transport: Int
  private let isIPv4: Bool
  private let isTCP: Bool
  /// As they came.
  private let flags: UInt8
  /// Sum of the IPv4 header without total length, id and checksum.
  private let networkSum: UInt64
  /// Sum of the pseudo header without its length. It comes from the checksum field: the addresses alone are not enough,
  /// a routing header of IPv6 puts another destination into it.
  private let pseudoSum: UInt64
  private var id: UInt16
  /// Where the next segment's header goes.
  private var at = 0
  /// Payload bytes not yet given out.
  private var left: Int

  /// - Returns: `nil`, having written nothing, when the header does not fit the packet of `count` bytes behind it.
  init?(_ packet: UnsafeMutableRawPointer, count: Int, header: VnetHeader) {
    size = Int(header.segmentSize)
    transport = Int(header.checksumStart)
    isTCP = header.segmentation != .udp
    guard header.segmentation != .none, header.needsChecksum, size > 0,
      Int(header.checksumOffset) == (isTCP ? TCPField.checksum : UDPField.checksum),
      count >= transport + (isTCP ? TCPField.smallest : UDPField.size)
    else { return nil }
    // What follows stays within transport and transport header, which are within `count`.
    let version = unsafe packet.load(as: UInt8.self)
    isIPv4 = version >> 4 == 4
    let internetLength = Int(version & 0xf) * 4
    switch header.segmentation {
    case .tcpIPv4: guard isIPv4 else { return nil }
    case .tcpIPv6: guard !isIPv4 else { return nil }
    case .udp, .none: break
    }
    if isIPv4 {
      guard internetLength >= IPv4Field.smallest, internetLength <= transport else { return nil }
    } else {
      guard version >> 4 == 6, transport >= IPv6Field.size else { return nil }
    }
    if isTCP {
      let length = Int(unsafe packet.load(fromByteOffset: transport + TCPField.offset, as: UInt8.self) >> 4) * 4
      guard length >= TCPField.smallest else { return nil }
      headerLength = transport + length
      flags = unsafe packet.load(fromByteOffset: transport + TCPField.flags, as: UInt8.self)
    } else {
      headerLength = transport + UDPField.size
      flags = 0
    }
    left = count - headerLength
    guard left > 0, headerLength + min(size, left) <= Int(UInt16.max) else { return nil }

    let field = unsafe packet.loadUnaligned(
      fromByteOffset: transport + Int(header.checksumOffset), as: UInt16.self)
    let length = count - transport
    // The complement takes away; a length beyond 16 bits stands there folded.
    pseudoSum = UInt64(field) + UInt64(~Checksum.fold(networkOrder(length & 0xffff) + networkOrder(length >> 16)))
    if isIPv4 {
      id = unsafe UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: IPv4Field.id, as: UInt16.self))
      // Total length and id are neighbours.
      unsafe packet.storeBytes(of: 0, toByteOffset: IPv4Field.length, as: UInt32.self)
      unsafe packet.storeBytes(of: 0, toByteOffset: IPv4Field.checksum, as: UInt16.self)
      networkSum = unsafe Checksum.sum(packet, count: internetLength)
    } else {
      id = 0
      networkSum = 0
    }
  }

  var isDone: Bool { left == 0 }
  /// Bytes of the next segment, headers included.
  var count: Int { headerLength + min(size, left) }

  /// Makes the next segment of `count` bytes, all checksums complete, and goes on behind it.
  ///
  /// - Parameter packet: where the super-packet lies, as in `init`.
  mutating func next(in packet: UnsafeMutableRawPointer) -> UnsafeRawPointer {
    let payload = min(size, left)
    let isFirst = at == 0
    let isLast = payload == left
    let start = unsafe packet + at
    if !isFirst { unsafe start.copyMemory(from: start - size, byteCount: headerLength) }
    if isIPv4 {
      unsafe writeIPv4(start, count: headerLength + payload)
    } else {
      unsafe store(headerLength + payload - IPv6Field.size, at: start + IPv6Field.length)
    }
    let length = headerLength - transport + payload
    if isTCP {
      unsafe writeTCP(start + transport, length: length, isFirst: isFirst, isLast: isLast)
    } else {
      unsafe writeUDP(start + transport, length: length)
    }
    at += size
    left -= payload
    return UnsafeRawPointer(start)
  }

  private mutating func writeIPv4(_ start: UnsafeMutableRawPointer, count: Int) {
    unsafe store(count, at: start + IPv4Field.length)
    unsafe store(Int(id), at: start + IPv4Field.id)
    let sum = networkSum &+ networkOrder(count) &+ networkOrder(Int(id))
    unsafe start.storeBytes(of: ~Checksum.fold(sum), toByteOffset: IPv4Field.checksum, as: UInt16.self)
    id &+= 1
  }

  private func writeTCP(_ start: UnsafeMutableRawPointer, length: Int, isFirst: Bool, isLast: Bool) {
    var kept = TCPFlag.all
    if !isFirst {
      kept &= ~TCPFlag.cwr
      let sequence = unsafe UInt32(
        bigEndian: start.loadUnaligned(fromByteOffset: TCPField.sequence, as: UInt32.self))
      unsafe start.storeBytes(
        of: (sequence &+ UInt32(truncatingIfNeeded: size)).bigEndian, toByteOffset: TCPField.sequence, as: UInt32.self)
    }
    if !isLast { kept &= ~(TCPFlag.fin | TCPFlag.psh) }
    unsafe start.storeBytes(of: flags & kept, toByteOffset: TCPField.flags, as: UInt8.self)
    unsafe start.storeBytes(of: 0, toByteOffset: TCPField.checksum, as: UInt16.self)
    let sum = unsafe Checksum.sum(start, count: length, onto: pseudoSum &+ networkOrder(length))
    unsafe start.storeBytes(of: ~Checksum.fold(sum), toByteOffset: TCPField.checksum, as: UInt16.self)
  }

  private func writeUDP(_ start: UnsafeMutableRawPointer, length: Int) {
    unsafe store(length, at: start + UDPField.length)
    unsafe start.storeBytes(of: 0, toByteOffset: UDPField.checksum, as: UInt16.self)
    let sum = unsafe Checksum.sum(start, count: length, onto: pseudoSum &+ networkOrder(length))
    unsafe start.storeBytes(of: PartialChecksum.field(sum), toByteOffset: UDPField.checksum, as: UInt16.self)
  }

  private func store(_ value: Int, at field: UnsafeMutableRawPointer) {
    unsafe field.storeBytes(of: UInt16(truncatingIfNeeded: value).bigEndian, as: UInt16.self)
  }
}

/// A number of at most 16 bits as it would have been read from memory.
@inline(__always)
private func networkOrder(_ value: Int) -> UInt64 { UInt64(UInt16(truncatingIfNeeded: value).bigEndian) }

/// Byte offsets in the headers (RFC 791, 8200, 9293, 768).
private enum IPv4Field {
  static let smallest = 20
  static let length = 2
  static let id = 4
  static let checksum = 10
}

private enum IPv6Field {
  static let size = 40
  static let length = 4
}

private enum TCPField {
  static let smallest = 20
  static let sequence = 4
  static let offset = 12
  static let flags = 13
  static let checksum = 16
}

private enum UDPField {
  static let size = 8
  static let length = 4
  static let checksum = 6
}

private enum TCPFlag {
  static let all: UInt8 = 0xff
  static let fin: UInt8 = 0x01
  static let psh: UInt8 = 0x08
  static let cwr: UInt8 = 0x80
}
