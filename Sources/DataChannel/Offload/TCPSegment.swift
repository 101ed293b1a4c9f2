/// A TCP segment inside an IP packet whose headers are the plain ones: IPv4 without options, IPv6 without extensions.
@safe struct TCPSegment {
  let start: UnsafeMutableRawPointer
  let length: Int
  let ipSize: Int
  let tcpSize: Int

  enum Kind {
    case segment
    /// Nothing of TCP's.
    case other
    /// TCP, or what may carry it, in a form that is left alone: it may belong to any connection.
    case unclear
  }

  static let ipv4Size = 20
  static let ipv6Size = 40
  private static let smallestTCPSize = 20
  static let tcp: UInt8 = 6
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
      guard unsafe start.load(fromByteOffset: 9, as: UInt8.self) == tcp else { return .other }
      guard length >= ipv4Size + smallestTCPSize, unsafe word(start, 2) == length,
        unsafe word(start, 6) & ~dontFragment == 0
      else { return .unclear }
      return unsafe hasWholeHeader(start, at: ipv4Size, length: length) ? .segment : .unclear
    case 0x46...0x4f:
      return unsafe start.load(fromByteOffset: 9, as: UInt8.self) == tcp ? .unclear : .other
    case 0x60...0x6f:
      let next = unsafe start.load(fromByteOffset: 6, as: UInt8.self)
      guard next == tcp else { return leadsOn(next) ? .unclear : .other }
      guard length >= ipv6Size + smallestTCPSize, unsafe word(start, 4) == length &- ipv6Size else { return .unclear }
      return unsafe hasWholeHeader(start, at: ipv6Size, length: length) ? .segment : .unclear
    default: return .other
    }
  }

  /// Next headers behind which TCP may follow: options, routing, fragment, authentication and what else IANA lists as
  /// extension headers.
  private static func leadsOn(_ next: UInt8) -> Bool {
    switch next {
    case 0, 43, 44, 51, 60, 135, 139, 140: true
    default: false
    }
  }

  @inline(__always)
  private static func hasWholeHeader(_ start: UnsafeRawPointer, at offset: Int, length: Int) -> Bool {
    let size = Int(unsafe start.load(fromByteOffset: offset &+ 12, as: UInt8.self) >> 4) &* 4
    return size >= smallestTCPSize && offset &+ size <= length
  }

  /// Of bytes that `kind` called a segment.
  @inline(__always)
  init(_ start: UnsafeMutableRawPointer, length: Int) {
    unsafe self.start = start
    self.length = length
    ipSize = unsafe start.load(as: UInt8.self) >> 4 == 4 ? Self.ipv4Size : Self.ipv6Size
    tcpSize = Int(unsafe start.load(fromByteOffset: ipSize &+ 12, as: UInt8.self) >> 4) &* 4
  }

  // MARK: what stands in it

  var isIPv4: Bool { ipSize == Self.ipv4Size }
  var headerSize: Int { ipSize &+ tcpSize }
  var payload: Int { length &- headerSize }
  var tcp: UnsafeMutableRawPointer { unsafe start + ipSize }
  var sequence: UInt32 { UInt32(bigEndian: unsafe tcp.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) }
  var identification: UInt16 { unsafe Self.word(start, 4) }
  var hasPush: Bool { flags & Self.push != 0 }
  private var flags: UInt8 { unsafe tcp.load(fromByteOffset: 13, as: UInt8.self) }

  /// Carries payload, and neither a flag nor a reserved bit that cutting would spread over other segments.
  @inline(__always)
  var isPlainData: Bool {
    let reserved = unsafe tcp.load(fromByteOffset: 12, as: UInt8.self) & 0x0f
    return payload > 0 && reserved == 0 && flags & ~Self.push == Self.ack
  }

  /// Enough to tell two connections apart nearly always.
  @inline(__always)
  var fingerprint: UInt64 {
    let ports = UInt64(unsafe tcp.loadUnaligned(as: UInt32.self)) &* 0x9e37_79b9_7f4a_7c15
    guard !isIPv4 else { return unsafe start.loadUnaligned(fromByteOffset: 12, as: UInt64.self) ^ ports }
    return quad(8) ^ quad(16) &* 3 ^ quad(24) &* 5 ^ quad(32) &* 7 ^ ports ^ 1
  }

  @inline(__always)
  func isSameConnection(as other: TCPSegment) -> Bool {
    guard ipSize == other.ipSize, unsafe tcp.loadUnaligned(as: UInt32.self) == other.tcp.loadUnaligned(as: UInt32.self)
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
  func hasSameHeader(as head: TCPSegment) -> Bool {
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
    guard tcpSize == head.tcpSize else { return false }
    // Acknowledgement, window and urgent pointer, then the options.
    guard
      unsafe tcp.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        == head.tcp.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
      unsafe Self.word(tcp, 14) == Self.word(head.tcp, 14), unsafe Self.word(tcp, 18) == Self.word(head.tcp, 18)
    else { return false }
    var at = Self.smallestTCPSize
    while at < tcpSize {
      guard
        unsafe tcp.loadUnaligned(fromByteOffset: at, as: UInt32.self)
          == head.tcp.loadUnaligned(fromByteOffset: at, as: UInt32.self)
      else { return false }
      at &+= 4
    }
    return true
  }

  /// True when cutting would write the very checksums that stand here.
  ///
  /// They must be right, and of the one form that everybody gives them: all ones say zero, and where TCP's comes out as
  /// zero the kernel writes zero but a device may write ones.
  @inline(__always)
  var hasGoodChecksums: Bool {
    let field = unsafe Self.word(tcp, 16)
    guard field != 0, field != 0xffff, Checksum.fold(sum) == 0xffff else { return false }
    guard isIPv4 else { return true }
    return unsafe Self.word(start, 10) != 0xffff && Checksum.fold(Checksum.sum(start, count: ipSize)) == 0xffff
  }

  private var sum: UInt64 {
    let count = length &- ipSize
    return unsafe Checksum.sum(tcp, count: count, onto: pseudoHeader(count))
  }

  private func pseudoHeader(_ count: Int) -> UInt64 {
    isIPv4
      ? unsafe Checksum.pseudoHeader(ipv4: start, protocol: Self.tcp, count: count)
      : unsafe Checksum.pseudoHeader(ipv6: start, protocol: Self.tcp, count: count)
  }

  // MARK: editing

  /// Writes the length of the whole packet where IP says it, and the checksum over that.
  func writeLength(_ total: Int) {
    if isIPv4 {
      unsafe start.storeBytes(of: UInt16(total).bigEndian, toByteOffset: 2, as: UInt16.self)
      unsafe start.storeBytes(of: 0, toByteOffset: 10, as: UInt16.self)
      let checksum = unsafe ~Checksum.fold(Checksum.sum(start, count: ipSize))
      unsafe start.storeBytes(of: checksum, toByteOffset: 10, as: UInt16.self)
    } else {
      unsafe start.storeBytes(of: UInt16(total &- ipSize).bigEndian, toByteOffset: 4, as: UInt16.self)
    }
  }

  func writePush(_ isSet: Bool) {
    unsafe tcp.storeBytes(of: isSet ? flags | Self.push : flags & ~Self.push, toByteOffset: 13, as: UInt8.self)
  }

  /// Leaves the sum to whoever cuts or reads the packet of this length: only the pseudo header is in it.
  func writePartialChecksum(_ total: Int) {
    let folded = Checksum.fold(pseudoHeader(total &- ipSize))
    unsafe tcp.storeBytes(of: folded, toByteOffset: 16, as: UInt16.self)
  }

  func writeChecksum() {
    unsafe tcp.storeBytes(of: 0, toByteOffset: 16, as: UInt16.self)
    unsafe tcp.storeBytes(of: ~Checksum.fold(sum), toByteOffset: 16, as: UInt16.self)
  }

  @inline(__always)
  private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always)
  private func quad(_ offset: Int) -> UInt64 { unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
}
