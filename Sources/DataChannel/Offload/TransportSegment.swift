internal import Base

/// A TCP segment or a UDP datagram inside an IP packet whose headers are the plain ones: IPv4 without options, IPv6
/// without extensions.
@safe struct TransportSegment {
  let start: UnsafeMutableRawPointer
  let length: Int
  let ipSize: Int
  let isTCP: Bool
  /// Of the transport header.
  let transportSize: Int

  enum Kind {
    case segment
    /// Neither TCP nor UDP.
    case other
    /// TCP or UDP, or what may carry it, in a form that is left alone: it may belong to any connection.
    case unclear
  }

  static let ipv4Size = 20
  static let ipv6Size = 40
  private static let smallestTCPSize = 20
  static let udpSize = 8
  static let tcpNumber: UInt8 = 6
  static let udpNumber: UInt8 = 17
  /// DF, the only bit beside an id that a packet in one piece has.
  static let dontFragment: UInt16 = 0x4000

  static let ack: UInt8 = 0x10
  static let push: UInt8 = 0x08

  /// Tells a segment from everything else, which most often takes two loads.
  @inline(__always)
  static func kind(_ start: UnsafeRawPointer, length: Int) -> Kind {
    guard length >= ipv4Size else { return .unclear }
    switch unsafe start.load(as: UInt8.self) {
    case 0x45:
      let number = unsafe start.load(fromByteOffset: 9, as: UInt8.self)
      guard isTransport(number) else { return .other }
      guard length >= ipv4Size + udpSize, unsafe word(start, 2) == length, unsafe word(start, 6) & ~dontFragment == 0
      else { return .unclear }
      return unsafe hasWholeHeader(start, number, at: ipv4Size, length: length) ? .segment : .unclear
    case 0x46...0x4f:
      return isTransport(unsafe start.load(fromByteOffset: 9, as: UInt8.self)) ? .unclear : .other
    case 0x60...0x6f:
      let next = unsafe start.load(fromByteOffset: 6, as: UInt8.self)
      guard isTransport(next) else { return leadsOn(next) ? .unclear : .other }
      guard length >= ipv6Size + udpSize, unsafe word(start, 4) == length &- ipv6Size else { return .unclear }
      return unsafe hasWholeHeader(start, next, at: ipv6Size, length: length) ? .segment : .unclear
    default: return .other
    }
  }

  @inline(__always)
  private static func isTransport(_ number: UInt8) -> Bool { number == tcpNumber || number == udpNumber }

  /// Next headers behind which TCP or UDP may follow: options, routing, fragment, authentication and what else IANA lists
  /// as extension headers.
  private static func leadsOn(_ next: UInt8) -> Bool {
    switch next {
    case 0, 43, 44, 51, 60, 135, 139, 140: true
    default: false
    }
  }

  /// - Parameter offset: where the transport header begins, which is at least `udpSize` before the end.
  @inline(__always)
  private static func hasWholeHeader(_ start: UnsafeRawPointer, _ number: UInt8, at offset: Int, length: Int) -> Bool {
    guard number == tcpNumber else { return unsafe word(start, offset &+ 4) == length &- offset }
    guard offset &+ smallestTCPSize <= length else { return false }
    let size = Int(unsafe start.load(fromByteOffset: offset &+ 12, as: UInt8.self) >> 4) &* 4
    return size >= smallestTCPSize && offset &+ size <= length
  }

  /// Of bytes that `kind` called a segment.
  @inline(__always)
  init(_ start: UnsafeMutableRawPointer, length: Int) {
    unsafe self.start = start
    self.length = length
    let isIPv4 = unsafe start.load(as: UInt8.self) >> 4 == 4
    ipSize = isIPv4 ? Self.ipv4Size : Self.ipv6Size
    isTCP = unsafe start.load(fromByteOffset: isIPv4 ? 9 : 6, as: UInt8.self) == Self.tcpNumber
    transportSize =
      isTCP ? Int(unsafe start.load(fromByteOffset: ipSize &+ 12, as: UInt8.self) >> 4) &* 4 : Self.udpSize
  }

  // MARK: what stands in it

  var isIPv4: Bool { ipSize == Self.ipv4Size }
  var headerSize: Int { ipSize &+ transportSize }
  var payload: Int { length &- headerSize }
  private var transport: UnsafeMutableRawPointer { unsafe start + ipSize }
  /// Of TCP; nothing numbers datagrams.
  var sequence: UInt32 {
    isTCP ? UInt32(bigEndian: unsafe transport.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) : 0
  }
  var identification: UInt16 { unsafe Self.word(start, 4) }
  var hasPush: Bool { isTCP && flags & Self.push != 0 }
  private var flags: UInt8 { unsafe transport.load(fromByteOffset: 13, as: UInt8.self) }
  private var checksumOffset: Int { isTCP ? 16 : 6 }

  /// Carries payload, and neither a flag nor a reserved bit that cutting would spread over other segments.
  @inline(__always)
  var isPlainData: Bool {
    guard payload > 0 else { return false }
    guard isTCP else { return true }
    let reserved = unsafe transport.load(fromByteOffset: 12, as: UInt8.self) & 0x0f
    return reserved == 0 && flags & ~Self.push == Self.ack
  }

  /// Enough to tell two connections apart nearly always.
  @inline(__always)
  var fingerprint: UInt64 {
    let ports = UInt64(unsafe transport.loadUnaligned(as: UInt32.self)) &* 0x9e37_79b9_7f4a_7c15
    guard !isIPv4 else { return unsafe start.loadUnaligned(fromByteOffset: 12, as: UInt64.self) ^ ports }
    return quad(8) ^ quad(16) &* 3 ^ quad(24) &* 5 ^ quad(32) &* 7 ^ ports ^ 1
  }

  @inline(__always)
  func isSameConnection(as other: TransportSegment) -> Bool {
    guard ipSize == other.ipSize, isTCP == other.isTCP,
      unsafe transport.loadUnaligned(as: UInt32.self) == other.transport.loadUnaligned(as: UInt32.self)
    else { return false }
    guard !isIPv4 else {
      return unsafe start.loadUnaligned(fromByteOffset: 12, as: UInt64.self)
        == other.start.loadUnaligned(fromByteOffset: 12, as: UInt64.self)
    }
    return quad(8) == other.quad(8) && quad(16) == other.quad(16) && quad(24) == other.quad(24)
      && quad(32) == other.quad(32)
  }

  /// All that cutting copies from the head into every segment is the same in both, PSH aside.
  @inline(__always)
  func hasSameHeader(as head: TransportSegment) -> Bool {
    if isIPv4 {
      // Version, size and type of service; DF; time to live.
      guard
        unsafe start.loadUnaligned(as: UInt16.self) == head.start.loadUnaligned(as: UInt16.self),
        unsafe Self.word(start, 6) == Self.word(head.start, 6),
        unsafe start.load(fromByteOffset: 8, as: UInt8.self) == head.start.load(fromByteOffset: 8, as: UInt8.self)
      else { return false }
    } else {
      // Version, traffic class and flow label; hop limit.
      guard
        unsafe start.loadUnaligned(as: UInt32.self) == head.start.loadUnaligned(as: UInt32.self),
        unsafe start.load(fromByteOffset: 7, as: UInt8.self) == head.start.load(fromByteOffset: 7, as: UInt8.self)
      else { return false }
    }
    guard transportSize == head.transportSize else { return false }
    return !isTCP || hasSameTCPHeader(as: head)
  }

  @inline(__always)
  private func hasSameTCPHeader(as head: TransportSegment) -> Bool {
    let (tcp, other) = unsafe (transport, head.transport)
    // Acknowledgement, window and urgent pointer, then the options.
    guard
      unsafe tcp.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        == other.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
      unsafe Self.word(tcp, 14) == Self.word(other, 14), unsafe Self.word(tcp, 18) == Self.word(other, 18)
    else { return false }
    var at = Self.smallestTCPSize
    while at < transportSize {
      guard
        unsafe tcp.loadUnaligned(fromByteOffset: at, as: UInt32.self)
          == other.loadUnaligned(fromByteOffset: at, as: UInt32.self)
      else { return false }
      at &+= 4
    }
    return true
  }

  /// True when cutting would write the very checksums that stand here.
  ///
  /// They must be right, and of the one form that everybody gives them: all ones say zero, and where TCP's comes out as
  /// zero the kernel writes zero but a device may write ones. Zero says that a datagram has none.
  @inline(__always)
  var hasGoodChecksums: Bool {
    let field = unsafe Self.word(transport, checksumOffset)
    guard field != 0, field != 0xffff, Checksum.fold(sum) == 0xffff else { return false }
    guard isIPv4 else { return true }
    return unsafe Self.word(start, 10) != 0xffff && Checksum.fold(Checksum.sum(start, count: ipSize)) == 0xffff
  }

  private var sum: UInt64 {
    let count = length &- ipSize
    return unsafe Checksum.sum(transport, count: count, onto: pseudoHeader(count))
  }

  private func pseudoHeader(_ count: Int) -> UInt64 {
    let number = isTCP ? Self.tcpNumber : Self.udpNumber
    return isIPv4
      ? unsafe Checksum.pseudoHeader(ipv4: start, protocol: number, count: count)
      : unsafe Checksum.pseudoHeader(ipv6: start, protocol: number, count: count)
  }

  // MARK: editing

  /// Writes the length of the whole packet where IP and UDP say it, and IP's checksum over that.
  func writeLength(_ total: Int) {
    if isIPv4 {
      unsafe start.storeBytes(of: UInt16(total).bigEndian, toByteOffset: 2, as: UInt16.self)
      unsafe start.storeBytes(of: 0, toByteOffset: 10, as: UInt16.self)
      let checksum = unsafe ~Checksum.fold(Checksum.sum(start, count: ipSize))
      unsafe start.storeBytes(of: checksum, toByteOffset: 10, as: UInt16.self)
    } else {
      unsafe start.storeBytes(of: UInt16(total &- ipSize).bigEndian, toByteOffset: 4, as: UInt16.self)
    }
    guard !isTCP else { return }
    unsafe transport.storeBytes(of: UInt16(total &- ipSize).bigEndian, toByteOffset: 4, as: UInt16.self)
  }

  /// Of TCP; datagrams have none.
  func writePush(_ isSet: Bool) {
    guard isTCP else { return }
    unsafe transport.storeBytes(of: isSet ? flags | Self.push : flags & ~Self.push, toByteOffset: 13, as: UInt8.self)
  }

  /// Leaves the sum to whoever cuts or reads the packet of this length: only the pseudo header is in it.
  func writePartialChecksum(_ total: Int) {
    let folded = Checksum.fold(pseudoHeader(total &- ipSize))
    unsafe transport.storeBytes(of: folded, toByteOffset: checksumOffset, as: UInt16.self)
  }

  func writeChecksum() {
    unsafe transport.storeBytes(of: 0, toByteOffset: checksumOffset, as: UInt16.self)
    unsafe transport.storeBytes(of: ~Checksum.fold(sum), toByteOffset: checksumOffset, as: UInt16.self)
  }

  /// What tells the kernel how to cut a super-packet with this header.
  ///
  /// - Parameter size: payload of each segment but the last.
  func vnetHeader(segmentSize size: Int) -> VnetHeader {
    VnetHeader(
      needsChecksum: true, segmentation: isTCP ? isIPv4 ? .tcpIPv4 : .tcpIPv6 : .udp,
      headerLength: UInt16(truncatingIfNeeded: headerSize), segmentSize: UInt16(truncatingIfNeeded: size),
      checksumStart: UInt16(truncatingIfNeeded: ipSize), checksumOffset: UInt16(truncatingIfNeeded: checksumOffset))
  }

  @inline(__always)
  private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always)
  private func quad(_ offset: Int) -> UInt64 { unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
}
